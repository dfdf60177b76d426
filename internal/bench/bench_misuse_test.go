package bench

import (
	"fmt"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// BenchmarkMisuseSampling measures the cost of guarding one arena in a thousand: some 30 ns per request, of
// which about 4 ns are spent in Gets that return no guarded arena.
func BenchmarkMisuseSampling(b *testing.B) {
	for _, n := range []int{20, 60, 200} {
		b.Run(fmt.Sprint(n, " objects"), func(b *testing.B) {
			body, reply := isolationBody(n), []byte(nil)
			serve := func(p *arena.ArenaPool) func() {
				return func() {
					for range 2_000_000 / n {
						a := p.Get()
						reply = isolationRequest(a, body, reply[:0])
						p.Put(a)
					}
				}
			}
			sampled, plain := arena.NewArenaPool(64<<10, 0), arena.NewArenaPool(64<<10, 0)
			sampled.SetMisuseSampling(1000, nil)
			testkit.Duel(b, serve(sampled), serve(plain))
		})
	}
}
