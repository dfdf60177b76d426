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

// BenchmarkKeyedRequests times requests that read lines and allocate an object for each, of 100 tenants in random
// order.
func BenchmarkKeyedRequests(b *testing.B) {
	plain, keyed := arena.NewAutoPool(0), arena.NewKeyedPool[string](0)
	tenants, order := make([]string, 100), make([]uint8, 1<<12)
	for i := range tenants {
		tenants[i] = fmt.Sprintf("tenant-%03d", i)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range order {
		order[i] = uint8(random.IntN(len(tenants)))
	}
	var reply []byte
	for _, objects := range []int{20, 200} {
		body := isolationBody(objects)
		b.Run(fmt.Sprintf("objects=%d/pool=plain", objects), func(b *testing.B) {
			for range b.N {
				plain.Do(func(a *arena.Arena) { reply = isolationRequest(a, body, reply[:0]) })
			}
		})
		b.Run(fmt.Sprintf("objects=%d/pool=keyed", objects), func(b *testing.B) {
			for i := range b.N {
				keyed.Do(tenants[order[i%len(order)]], func(a *arena.Arena) { reply = isolationRequest(a, body, reply[:0]) })
			}
		})
	}
}
