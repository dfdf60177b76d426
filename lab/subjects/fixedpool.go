package subjects

import (
	"github.com/ebbpool/arena/fixedpool"
	"github.com/ebbpool/arena/lab/workloads"
)

// fixedPools is our FixedPool, one for each type. Its objects are given back
// one by one, in the order in which they were taken.
type fixedPools struct {
	flat   fixed[workloads.Flat]
	link   fixed[workloads.Link]
	simple fixed[workloads.Simple]
	node   fixed[workloads.Node]
}

// fixed is a pool with what is out of it.
type fixed[T any] struct {
	pool *fixedpool.Pool[T]
	out  []*T
}

// sized makes a pool for n objects when a workload asks for the first of them.
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

// EndsByCall tells that End does work.
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
