package subjects

import (
	"strings"
	"sync"

	"github.com/ebbpool/arena/lab/workloads"
)

// syncPool is what a careful user writes by hand for this one handler: a
// sync.Pool of the request's whole object graph, with the backing array of
// every slice and the answer's buffer kept for the next request.
//
// Strings can't be reused without package unsafe. They share one fresh
// allocation per request instead, of the size of the payload, which makes
// this the fewest allocations that safe code gets to: one per request.
type syncPool struct {
	pool sync.Pool
}

func newSyncPool() *syncPool {
	return &syncPool{sync.Pool{New: func() any { return new(graph) }}}
}

func (s *syncPool) Serve(dst, payload []byte) ([]byte, error) {
	g := s.pool.Get().(*graph)
	g.text.Grow(len(payload))
	dst, err := workloads.Handle(g, dst, payload)
	g.reset()
	s.pool.Put(g)
	return dst, err
}

// graph is one request's memory, tailored to the handler: each New hands out
// what the handler asks for once per request, Price excepted.
type graph struct {
	event   workloads.Event
	user    workloads.User
	address workloads.Address
	device  workloads.Device
	prices  []*workloads.Price // all ever made; the first used are handed out
	used    int
	fields  []workloads.Field
	items   []workloads.Item
	tags    []string // the tags of all items, one after another
	text    strings.Builder
	out     []byte
}

func (g *graph) NewEvent() *workloads.Event     { return &g.event }
func (g *graph) NewUser() *workloads.User       { return &g.user }
func (g *graph) NewAddress() *workloads.Address { return &g.address }
func (g *graph) NewDevice() *workloads.Device   { return &g.device }

func (g *graph) NewPrice() *workloads.Price {
	if g.used == len(g.prices) {
		g.prices = append(g.prices, new(workloads.Price))
	}
	g.used++
	return g.prices[g.used-1]
}

func (g *graph) AppendField(_ []workloads.Field, f workloads.Field) []workloads.Field {
	g.fields = append(g.fields, f)
	return g.fields
}

func (g *graph) AppendItem(_ []workloads.Item, it workloads.Item) []workloads.Item {
	g.items = append(g.items, it)
	return g.items
}

// AppendTag appends to the shared array. Only the newest item's tags grow, so
// they are its tail.
func (g *graph) AppendTag(s []string, tag string) []string {
	start := len(g.tags) - len(s)
	g.tags = append(g.tags, tag)
	return g.tags[start:]
}

// Text appends to the request's text. A strings.Builder never writes again to
// what it has handed out, so that the strings stay good, even when it grows.
func (g *graph) Text(b []byte) string {
	start := g.text.Len()
	g.text.Write(b)
	return g.text.String()[start:]
}

func (g *graph) Buffer(n int) []byte {
	if cap(g.out) < n {
		g.out = make([]byte, 0, n)
	}
	return g.out[:0]
}

// reset readies the graph for the next request. What was used is cleared, as
// a careful user does: a pooled object must neither show one request's data
// to the next nor keep its strings alive.
func (g *graph) reset() {
	g.event = workloads.Event{}
	g.user = workloads.User{}
	g.address = workloads.Address{}
	g.device = workloads.Device{}
	for _, p := range g.prices[:g.used] {
		*p = workloads.Price{}
	}
	g.used = 0
	clear(g.fields)
	clear(g.items)
	clear(g.tags)
	g.fields, g.items, g.tags = g.fields[:0], g.items[:0], g.tags[:0]
	g.text.Reset()
}
