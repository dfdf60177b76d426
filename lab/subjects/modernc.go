package subjects

import (
	"unsafe"

	malloc "modernc.org/memory"

	"github.com/ebbpool/arena/lab/workloads"
)

// modernc is a malloc in Go on memory of the operating system. Close ends a cycle and frees all of it.
type modernc struct{ a malloc.Allocator }

func newModernc() *modernc { return &modernc{} }

func (m *modernc) End() { must(m.a.Close()) }

// must panics on an error, because an allocator that cannot allocate gives no result.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func moderncNew[T any](m *modernc) *T {
	p, err := m.a.UnsafeMalloc(int(unsafe.Sizeof(*new(T))))
	must(err)
	return (*T)(p)
}

func moderncZero[T any](m *modernc) *T {
	p, err := m.a.UnsafeCalloc(int(unsafe.Sizeof(*new(T))))
	must(err)
	return (*T)(p)
}

// EndsByCall marks End as doing work.
func (*modernc) EndsByCall() {}

func (m *modernc) Flats(dst []*workloads.Flat) {
	for i := range dst {
		dst[i] = moderncNew[workloads.Flat](m)
	}
}

// Links clears the memory, because the write barrier would treat its old content as pointers.
func (m *modernc) Links(dst []*workloads.Link) {
	for i := range dst {
		dst[i] = moderncZero[workloads.Link](m)
	}
}

func (m *modernc) Simples(dst []*workloads.Simple) {
	for i := range dst {
		dst[i] = moderncZero[workloads.Simple](m)
	}
}

func (m *modernc) Texts(dst []string, src string) {
	for i := range dst {
		p, err := m.a.UnsafeMalloc(len(src))
		must(err)
		copy(unsafe.Slice((*byte)(p), len(src)), src)
		dst[i] = unsafe.String((*byte)(p), len(src))
	}
}

func (m *modernc) MakeInts(n, capacity int) []int {
	p, err := m.a.UnsafeCalloc(8 * capacity)
	must(err)
	return unsafe.Slice((*int)(p), capacity)[:n]
}

func (m *modernc) ReserveInts(n int) []int {
	p, err := m.a.UnsafeMalloc(8 * n)
	must(err)
	return unsafe.Slice((*int)(p), n)
}

func (m *modernc) AppendInts(s []int, first, n int) []int {
	for i := range n {
		if len(s) == cap(s) {
			capacity := grownCapacity(cap(s))
			p, err := m.a.UnsafeRealloc(unsafe.Pointer(unsafe.SliceData(s)), 8*capacity)
			must(err)
			s = unsafe.Slice((*int)(p), capacity)[:len(s)]
		}
		s = append(s, first+i)
	}
	return s
}

func (m *modernc) Tree(depth int) *workloads.Node {
	n := moderncZero[workloads.Node](m)
	if depth > 0 {
		n.Left, n.Right = m.Tree(depth-1), m.Tree(depth-1)
	}
	return n
}

func (*modernc) Apart() workloads.Nodes { return newModernc() }
