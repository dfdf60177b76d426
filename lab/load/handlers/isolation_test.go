package handlers

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
	"github.com/ebbpool/arena/lab/load/payloads"
)

// inKeyed is inArena with a KeyedPool and 100 tenants in random order.
type inKeyed struct {
	pool  *arena.KeyedPool[string]
	names [100]string
	rand  rand.PCG
}

func (h *inKeyed) Serve(dst, payload []byte) ([]byte, error) {
	a := h.pool.Get(h.names[h.rand.Uint64()%uint64(len(h.names))])
	defer h.pool.Put(a)
	out, err := serveIn(a, payload)
	return append(dst, out...), err
}

func newInKeyed(p *arena.KeyedPool[string]) *inKeyed {
	h := &inKeyed{pool: p}
	for i := range h.names {
		h.names[i] = "tenant-" + strconv.Itoa(i)
	}
	return h
}

// BenchmarkIsolation measures the handler like BenchmarkIsolation of internal/bench.
func BenchmarkIsolation(b *testing.B) {
	const objects = 67 // heap allocations of a request without arenas
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
			Keyed: in(newInKeyed(arena.NewKeyedPool[string](8 << 20))),
		}
	})
}
