package subjects

import (
	"github.com/ebbpool/arena/fixedpool"
	"github.com/ebbpool/arena/lab/workloads"
)

// fixedPools has one of our fixed-capacity pools for each type. Objects are freed one by one, in order of
// allocation.
type fixedPools struct {
	flat   fixed[workloads.Flat]
	link   fixed[workloads.Link]
	simple fixed[workloads.Simple]
	node   fixed[workloads.Node]
}

// fixed is a pool and its objects in use.
type fixed[T any] struct {
	pool *fixedpool.Pool[T]
	out  []*T
}

// sized makes a pool for n objects at a workload's first request.
func (f *fixed[T]) sized(n int) *fixedpool.Pool[T] {
	if f.pool == nil || f.pool.Capacity() < n {
		f.pool = fixedpool.New[T](n)
	}
	return f.pool
}

func (f *fixed[T]) fill(dst []*T) {
	pool := f.sized(len(dst))
	for i := range dst {
		dst[i] = pool.Allocate()
	}
	f.out = append(f.out[:0], dst...)
}

func (f *fixed[T]) end() {
	for _, x := range f.out {
		f.pool.Deallocate(x)
	}
	f.out = f.out[:0]
}

func (p *fixedPools) End() {
	p.flat.end()
	p.link.end()
	p.simple.end()
	p.node.end()
}

// EndsByCall marks End as doing work.
func (*fixedPools) EndsByCall() {}

func (p *fixedPools) Flats(dst []*workloads.Flat)     { p.flat.fill(dst) }
func (p *fixedPools) Links(dst []*workloads.Link)     { p.link.fill(dst) }
func (p *fixedPools) Simples(dst []*workloads.Simple) { p.simple.fill(dst) }

func (p *fixedPools) Tree(depth int) *workloads.Node {
	p.node.sized(2 << depth)
	return fixedTree(&p.node, depth)
}

func (f *fixed[T]) take() *T {
	x := f.pool.Allocate()
	f.out = append(f.out, x)
	return x
}

func fixedTree(f *fixed[workloads.Node], depth int) *workloads.Node {
	n := f.take()
	if depth > 0 {
		n.Left, n.Right = fixedTree(f, depth-1), fixedTree(f, depth-1)
	}
	return n
}

func (*fixedPools) Apart() workloads.Nodes { return &fixedPools{} }
