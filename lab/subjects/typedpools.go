package subjects

import (
	"sync"

	"github.com/ebbpool/arena/lab/workloads"
)

// typedPools is one sync.Pool for each type, as programs have them for their
// hot types. What an epoch took goes back at its end, cleared.
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

// taken are the objects of one epoch.
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
		*x = *new(T) // or the pool would keep alive what x points to
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

// EndsByCall tells that End does work.
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

// Apart shares the pools, and has taken nothing yet.
func (p *typedPools) Apart() workloads.Nodes { return &typedPools{sharedPools: p.sharedPools} }
