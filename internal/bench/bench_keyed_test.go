package bench

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/ebbpool/arena"
)

// BenchmarkKeyedPool times a Get and Put, with and without a small object, of a plain pool and of a
// KeyedPool: with one key, and with 1,000 keys in random order.
func BenchmarkKeyedPool(b *testing.B) {
	plain, keyed := arena.NewAutoPool(0), arena.NewKeyedPool[string](0)
	names, order := make([]string, 1000), make([]uint16, 1<<14)
	for i := range names {
		names[i] = fmt.Sprintf("tenant-%04d", i)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range order {
		order[i] = uint16(random.IntN(len(names)))
	}
	builtin := map[string]*int{}
	for _, name := range names {
		builtin[name] = new(int)
	}
	key := func(i int) string { return names[order[i%len(order)]] }
	for _, bench := range []struct {
		name string
		f    func(i int)
	}{
		{"pool=plain", func(int) { plain.Put(plain.Get()) }},
		{"pool=keyed/keys=1", func(int) { keyed.Put(keyed.Get("tenant-0001")) }},
		{"pool=keyed/keys=1000", func(i int) { keyed.Put(keyed.Get(key(i))) }},
		{"lookup=map/keys=1000", func(i int) { *builtin[key(i)]++ }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var seed atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				for i := int(seed.Add(7919)); pb.Next(); i++ {
					bench.f(i)
				}
			})
		})
		b.Run(bench.name+"/goroutines=1", func(b *testing.B) {
			for i := range b.N {
				bench.f(i)
			}
		})
	}
}
