//go:build goexperiment.arenas

package subjects

import (
	"arena"
	"unsafe"

	"github.com/ebbpool/arena/lab/workloads"
)

// stdArena is the standard library's experiment. It has no Reset: Free ends a cycle, and the next uses a new
// arena. Its slices do not grow, and strings are copied by hand.
type stdArena struct{ a *arena.Arena }

func newStdArena() any { return &stdArena{arena.NewArena()} }

func (s *stdArena) End() {
	s.a.Free()
	s.a = arena.NewArena()
}

// EndsByCall marks End as doing work.
func (*stdArena) EndsByCall() {}

func (s *stdArena) Flats(dst []*workloads.Flat) {
	for i := range dst {
		dst[i] = arena.New[workloads.Flat](s.a)
	}
}

func (s *stdArena) Links(dst []*workloads.Link) {
	for i := range dst {
		dst[i] = arena.New[workloads.Link](s.a)
	}
}

func (s *stdArena) Simples(dst []*workloads.Simple) {
	for i := range dst {
		dst[i] = arena.New[workloads.Simple](s.a)
	}
}

func (s *stdArena) Texts(dst []string, src string) {
	for i := range dst {
		dst[i] = s.copied(src)
	}
}

func (s *stdArena) copied(text string) string {
	b := arena.MakeSlice[byte](s.a, len(text), len(text))
	copy(b, text)
	return unsafe.String(unsafe.SliceData(b), len(b))
}

func (s *stdArena) MakeInts(n, capacity int) []int { return arena.MakeSlice[int](s.a, n, capacity) }
func (s *stdArena) ReserveInts(n int) []int        { return arena.MakeSlice[int](s.a, n, n) }

func (s *stdArena) AppendInts(list []int, first, n int) []int {
	for i := range n {
		list = stdAppend(s.a, list, first+i)
	}
	return list
}

func (s *stdArena) GrowItems(x *workloads.Simple, n int) {
	for i := range n {
		x.Items = stdAppend(s.a, x.Items, i)
	}
}

func (s *stdArena) Begin() { s.a = arena.NewArena() }
func (s *stdArena) Drop()  { s.a.Free() }

func stdAppend[T any](a *arena.Arena, s []T, x T) []T {
	if len(s) == cap(s) {
		bigger := arena.MakeSlice[T](a, len(s), grownCapacity(cap(s)))
		copy(bigger, s)
		s = bigger
	}
	return append(s, x)
}

func (s *stdArena) Node() *workloads.Node          { return arena.New[workloads.Node](s.a) }
func (s *stdArena) NewEvent() *workloads.Event     { return arena.New[workloads.Event](s.a) }
func (s *stdArena) NewUser() *workloads.User       { return arena.New[workloads.User](s.a) }
func (s *stdArena) NewAddress() *workloads.Address { return arena.New[workloads.Address](s.a) }
func (s *stdArena) NewDevice() *workloads.Device   { return arena.New[workloads.Device](s.a) }
func (s *stdArena) NewPrice() *workloads.Price     { return arena.New[workloads.Price](s.a) }

func (s *stdArena) AppendField(list []workloads.Field, f workloads.Field) []workloads.Field {
	return stdAppend(s.a, list, f)
}

func (s *stdArena) AppendItem(list []workloads.Item, it workloads.Item) []workloads.Item {
	return stdAppend(s.a, list, it)
}

func (s *stdArena) AppendTag(list []string, tag string) []string { return stdAppend(s.a, list, tag) }
func (s *stdArena) Text(b []byte) string {
	return s.copied(unsafe.String(unsafe.SliceData(b), len(b)))
}
func (s *stdArena) Buffer(n int) []byte { return arena.MakeSlice[byte](s.a, 0, n) }

func (s *stdArena) Tree(depth int) *workloads.Node {
	n := arena.New[workloads.Node](s.a)
	if depth > 0 {
		n.Left, n.Right = s.Tree(depth-1), s.Tree(depth-1)
	}
	return n
}

func (*stdArena) Apart() workloads.Nodes { return &stdArena{arena.NewArena()} }
