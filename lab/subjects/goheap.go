package subjects

import "github.com/ebbpool/arena/lab/workloads"

// goHeap is ordinary Go. The memory of requests is the arena's code with a nil arena, as in the load test.
type goHeap struct{ memory }

func (goHeap) End() {}

func (goHeap) Flats(dst []*workloads.Flat) {
	for i := range dst {
		dst[i] = new(workloads.Flat)
	}
}

func (goHeap) Links(dst []*workloads.Link) {
	for i := range dst {
		dst[i] = new(workloads.Link)
	}
}

func (goHeap) Simples(dst []*workloads.Simple) {
	for i := range dst {
		dst[i] = new(workloads.Simple)
	}
}

func (goHeap) Texts(dst []string, src string) {
	for i := range dst {
		dst[i] = string([]byte(src))
	}
}

func (goHeap) MakeInts(n, capacity int) []int { return make([]int, n, capacity) }
func (goHeap) ReserveInts(n int) []int        { return make([]int, n) }

func (goHeap) AppendInts(s []int, first, n int) []int {
	for i := range n {
		s = append(s, first+i)
	}
	return s
}

func (goHeap) GrowItems(x *workloads.Simple, n int) {
	for i := range n {
		x.Items = append(x.Items, i)
	}
}

// Begin and Drop do nothing, because the collector frees the memory.
func (goHeap) Begin() {}

func (goHeap) Drop() {}

func (goHeap) Node() *workloads.Node        { return new(workloads.Node) }
func (h goHeap) Worker() workloads.Requests { return h }

func (goHeap) Tree(depth int) *workloads.Node {
	n := new(workloads.Node)
	if depth > 0 {
		n.Left, n.Right = goHeap{}.Tree(depth-1), goHeap{}.Tree(depth-1)
	}
	return n
}

// Apart needs no separate memory.
func (h goHeap) Apart() workloads.Nodes { return h }
