package handlers

import (
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
	"github.com/ebbpool/arena/lab/load/payloads"
)

// BenchmarkIsolation is that of internal/bench, of the handler.
func BenchmarkIsolation(b *testing.B) {
	const objects = 67 // that a request has, where they are on the heap
	source := payloads.NewSource(1, 4096)
	testkit.Isolation(b, "the_handler", objects, func() (isolated, recycling, heap func()) {
		in := func(p *arena.ArenaPool) func() {
			h := newInArena(p)
			var payload, reply []byte
			i := 0
			return func() {
				payload = source.AppendPayload(payload[:0], i)
				i++
				var err error
				if reply, err = h.Serve(reply[:0], payload); err != nil {
					b.Fatal(err)
				}
			}
		}
		isolating := arena.NewAutoPool(8 << 20)
		isolating.SetIsolation(true)
		return in(isolating), in(arena.NewAutoPool(8 << 20)), in(nil)
	})
}
