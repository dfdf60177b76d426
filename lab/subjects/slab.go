package subjects

import (
	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/lab/workloads"
)

// slabChunk is in objects. A slab keeps ten chunks of this length over a Reset:
// enough for an epoch of 1,000,000 objects, as the other subjects keep it.
const slabChunk = 1 << 17

// nodeChunk is slabChunk for nodes of trees: ten of them hold a tree of 20 levels.
const nodeChunk = 1 << 18

// slabs is our Slab, one for each type.
type slabs struct {
	flat   *arena.Slab[workloads.Flat]
	link   *arena.Slab[workloads.Link]
	simple *arena.Slab[workloads.Simple]
	node   *arena.Slab[workloads.Node]
	apart  *slabs
}

func newSlabs() *slabs {
	return &slabs{
		flat: arena.NewSlab[workloads.Flat](slabChunk), link: arena.NewSlab[workloads.Link](slabChunk),
		simple: arena.NewSlab[workloads.Simple](slabChunk), node: arena.NewSlab[workloads.Node](nodeChunk),
	}
}

// End empties all slabs: those that nothing was taken from cost next to nothing.
func (s *slabs) End() {
	s.flat.Reset()
	s.link.Reset()
	s.simple.Reset()
	s.node.Reset()
}

// EndsByCall tells that End does work.
func (*slabs) EndsByCall() {}

func (s *slabs) Flats(dst []*workloads.Flat) {
	for i := range dst {
		dst[i] = s.flat.New()
	}
}

func (s *slabs) Links(dst []*workloads.Link) {
	for i := range dst {
		dst[i] = s.link.New()
	}
}

func (s *slabs) Simples(dst []*workloads.Simple) {
	for i := range dst {
		dst[i] = s.simple.New()
	}
}

func (s *slabs) Tree(depth int) *workloads.Node { return slabTree(s.node, depth) }

func (s *slabs) Apart() workloads.Nodes {
	if s.apart == nil {
		s.apart = newSlabs()
	}
	return s.apart
}

func slabTree(s *arena.Slab[workloads.Node], depth int) *workloads.Node {
	n := s.New()
	if depth > 0 {
		n.Left, n.Right = slabTree(s, depth-1), slabTree(s, depth-1)
	}
	return n
}
