package subjects

import (
	"sync"

	"github.com/ebbpool/arena/lab/workloads"
)

// typedPools has one sync.Pool per type, as programs have for frequent types. At the end of a cycle the
// objects are cleared and put back.
type typedPools struct {
	*sharedPools
	flats   taken[workloads.Flat]
	links   taken[workloads.Link]
	simples taken[workloads.Simple]
	nodes   taken[workloads.Node]
	events  taken[workloads.Event]
	users   taken[workloads.User]
	homes   taken[workloads.Address]
	devices taken[workloads.Device]
	prices  taken[workloads.Price]
}

type sharedPools struct {
	flat, link, simple, node, event, user, home, device, price sync.Pool
}

func newTypedPools() *typedPools { return &typedPools{sharedPools: new(sharedPools)} }

// taken holds the objects of one cycle.
type taken[T any] []*T

func (t *taken[T]) get(pool *sync.Pool) *T {
	x, ok := pool.Get().(*T)
	if !ok {
		x = new(T)
	}
	*t = append(*t, x)
	return x
}

func (t *taken[T]) end(pool *sync.Pool) {
	for _, x := range *t {
		*x = *new(T) // otherwise the pool keeps x's targets alive
		pool.Put(x)
	}
	clear(*t)
	*t = (*t)[:0]
}

func (p *typedPools) End() {
	p.flats.end(&p.flat)
	p.links.end(&p.link)
	p.simples.end(&p.simple)
	p.nodes.end(&p.node)
	p.events.end(&p.event)
	p.users.end(&p.user)
	p.homes.end(&p.home)
	p.devices.end(&p.device)
	p.prices.end(&p.price)
}

// EndsByCall marks End as doing work.
func (*typedPools) EndsByCall() {}

func (p *typedPools) Flats(dst []*workloads.Flat) {
	for i := range dst {
		dst[i] = p.flats.get(&p.flat)
	}
}

func (p *typedPools) Links(dst []*workloads.Link) {
	for i := range dst {
		dst[i] = p.links.get(&p.link)
	}
}

func (p *typedPools) Simples(dst []*workloads.Simple) {
	for i := range dst {
		dst[i] = p.simples.get(&p.simple)
	}
}

func (p *typedPools) Node() *workloads.Node          { return p.nodes.get(&p.node) }
func (p *typedPools) NewEvent() *workloads.Event     { return p.events.get(&p.event) }
func (p *typedPools) NewUser() *workloads.User       { return p.users.get(&p.user) }
func (p *typedPools) NewAddress() *workloads.Address { return p.homes.get(&p.home) }
func (p *typedPools) NewDevice() *workloads.Device   { return p.devices.get(&p.device) }
func (p *typedPools) NewPrice() *workloads.Price     { return p.prices.get(&p.price) }

func (p *typedPools) AppendField(s []workloads.Field, f workloads.Field) []workloads.Field {
	return append(s, f)
}

func (p *typedPools) AppendItem(s []workloads.Item, it workloads.Item) []workloads.Item {
	return append(s, it)
}

func (p *typedPools) AppendTag(s []string, tag string) []string { return append(s, tag) }
func (p *typedPools) Text(b []byte) string                      { return string(b) }
func (p *typedPools) Buffer(n int) []byte                       { return make([]byte, 0, n) }

// Worker shares the pools.
func (p *typedPools) Worker() workloads.Requests { return &typedPools{sharedPools: p.sharedPools} }

func (p *typedPools) Tree(depth int) *workloads.Node {
	n := p.nodes.get(&p.node)
	if depth > 0 {
		n.Left, n.Right = p.Tree(depth-1), p.Tree(depth-1)
	}
	return n
}

// Apart shares the pools and has no objects yet.
func (p *typedPools) Apart() workloads.Nodes { return &typedPools{sharedPools: p.sharedPools} }
