package subjects

import (
	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/lab/workloads"
)

// regionChunk suits cycles of some megabytes. Further chunks double.
const regionChunk = 256 << 10

// regionRetained lets an arena retain the memory of the largest cycles, so that it is as warm as the other
// subjects.
const regionRetained = 256 << 20

type region struct {
	memory
	apart *region
}

func newRegion() *region {
	return &region{memory: memory{arena.NewArena(regionChunk, regionRetained)}}
}

func (r *region) End() { r.a.Reset() }

// EndsByCall marks End as doing work.
func (*region) EndsByCall() {}

func (r *region) Flats(dst []*workloads.Flat) {
	for i := range dst {
		dst[i] = arena.New[workloads.Flat](r.a)
	}
}

func (r *region) Links(dst []*workloads.Link) {
	for i := range dst {
		dst[i] = arena.New[workloads.Link](r.a)
	}
}

func (r *region) Simples(dst []*workloads.Simple) {
	for i := range dst {
		dst[i] = arena.New[workloads.Simple](r.a)
	}
}

func (r *region) Texts(dst []string, src string) {
	for i := range dst {
		dst[i] = r.a.AllocString(src)
	}
}

func (r *region) MakeInts(n, capacity int) []int { return arena.MakeSlice[int](r.a, n, capacity) }
func (r *region) ReserveInts(n int) []int        { return arena.MakeSliceUninit[int](r.a, n, n) }

func (r *region) AppendInts(s []int, first, n int) []int {
	for i := range n {
		s = arena.Append(r.a, s, first+i)
	}
	return s
}

func (r *region) GrowItems(x *workloads.Simple, n int) {
	for i := range n {
		x.Items = arena.Append(r.a, x.Items, i)
	}
}

// coldChunk is the chunk size that the package recommends.
const coldChunk = 64 << 10

func (r *region) Begin() { r.a = arena.NewArena(coldChunk, 0) }
func (r *region) Drop()  { r.a = nil }

func (r *region) Node() *workloads.Node { return arena.New[workloads.Node](r.a) }
func (r *region) Tree(depth int) *workloads.Node {
	return allocatorTree(arena.AllocatorFor[workloads.Node](r.a), depth)
}

func (r *region) Apart() workloads.Nodes {
	if r.apart == nil {
		r.apart = newRegion()
	}
	return r.apart
}

// allocatorTree uses an Allocator, as code does that makes many objects of a type.
func allocatorTree(l arena.Allocator[workloads.Node], depth int) *workloads.Node {
	n := l.New()
	if depth > 0 {
		n.Left, n.Right = allocatorTree(l, depth-1), allocatorTree(l, depth-1)
	}
	return n
}

// Worker has its own arena: the cost of a goroutine without sharing.
func (r *region) Worker() workloads.Requests {
	return &region{memory: memory{arena.NewArena(chunkSize, 0)}}
}

// pooled takes an arena from an ArenaPool for each cycle. Unlike region it retains the default.
type pooled struct {
	memory
	pool *arena.ArenaPool
}

func newPooled() *pooled {
	p := &pooled{pool: arena.NewArenaPool(chunkSize, 0)}
	p.a = p.pool.Get()
	return p
}

func (p *pooled) End() {
	p.pool.Put(p.a)
	p.a = p.pool.Get()
}

func (p *pooled) Node() *workloads.Node { return arena.New[workloads.Node](p.a) }
func (p *pooled) Tree(depth int) *workloads.Node {
	return allocatorTree(arena.AllocatorFor[workloads.Node](p.a), depth)
}

// Apart is another arena of the pool, for one cycle.
func (p *pooled) Apart() workloads.Nodes {
	return &lent{pooled{memory: memory{p.pool.Get()}, pool: p.pool}}
}

// lent takes no further arena after it has put its own back.
type lent struct{ pooled }

func (l *lent) End() {
	l.pool.Put(l.a)
	l.a = nil
}

func (p *pooled) MakeInts(n, capacity int) []int { return arena.MakeSlice[int](p.a, n, capacity) }

func (p *pooled) Worker() workloads.Requests {
	return &pooled{memory: memory{p.pool.Get()}, pool: p.pool}
}
