package handlers

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
	"github.com/ebbpool/arena/lab/load/payloads"
)

// inKeyed is inArena with a pool of 100 tenants, who send requests in random order.
type inKeyed struct {
	pool  *arena.KeyedPool[string]
	names [100]string
	rand  rand.PCG
}

func (h *inKeyed) Serve(dst, payload []byte) ([]byte, error) {
	name := &h.names[h.rand.Uint64()%uint64(len(h.names))]
	if *name == "" {
		*name = fmt.Sprintf("tenant-%p", name)
	}
	a := h.pool.Get(*name)
	defer h.pool.Put(a)
	out, err := serveIn(a, payload)
	return append(dst, out...), err
}

// BenchmarkIsolation is that of internal/bench, of the handler.
func BenchmarkIsolation(b *testing.B) {
	const objects = 67 // that a request has, where they are on the heap
	source := payloads.NewSource(1, 4096)
	testkit.Isolation(b, "the_handler", objects, func() testkit.Requests {
		in := func(h interface {
			Serve(dst, payload []byte) ([]byte, error)
		}) func() {
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
		return testkit.Requests{
			Isolated: in(newInArena(isolating)), Plain: in(newInArena(arena.NewAutoPool(8 << 20))), Heap: in(newInArena(nil)),
			Keyed: in(&inKeyed{pool: arena.NewKeyedPool[string](8 << 20)}),
		}
	})
}
