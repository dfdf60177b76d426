package appends

import (
	"fmt"

	"github.com/ebbpool/arena"
)

func simple(a *arena.Arena) []int {
	s := arena.MakeSlice[int](a, 0, 10)
	s = append(s, 1, 2) // want `builtin append to s, memory of arena a, moves it to the heap when it is full: use arena.Append`
	return s
}

func spread(a *arena.Arena, more []string) []string {
	s := arena.MakeSlice[string](a, 0, len(more))
	return append(s, more...) // want `builtin append to s, memory of arena a`
}

func text(a *arena.Arena, s string) []byte {
	b := a.AllocBytes(10)
	return append(b[:0], s...) // want `builtin append to b, memory of arena a`
}

type parser struct{ a *arena.Arena }

func (p *parser) field() []int {
	s := arena.MakeSlice[int](p.a, 0, 10)
	return append(s, 1) // want `builtin append to s, memory of arena p.a`
}

func grown(a *arena.Arena) (s []int) {
	for i := range 10 {
		s = arena.Append(a, s, i)
	}
	return append(s, 1) // want `builtin append to memory of arena a|builtin append to s, memory of arena a`
}

func element(a *arena.Arena, e error) []any {
	s := arena.MakeSlice[any](a, 0, 10)
	return append(s, e) // want `builtin append to s, memory of arena a`
}

func imported(a *arena.Arena, e *named) []fmt.Stringer {
	s := arena.MakeSlice[fmt.Stringer](a, 0, 10)
	return append(s, e) // want `builtin append to s, memory of arena a`
}

type named struct{}

func (*named) String() string { return "" }

func fineArenaAppend(a *arena.Arena) []int {
	s := arena.MakeSlice[int](a, 0, 10)
	return arena.Append(a, s, 1)
}

func fineHeap(a *arena.Arena) (out []string) {
	s := a.AllocString("x")
	out = append(out, s)
	return out
}

func fineCopy(a *arena.Arena) []byte {
	return append([]byte(nil), a.AllocBytes(10)...)
}

// A full slice expression asks for the copy.
func fineFull(a *arena.Arena) []int {
	s := arena.MakeSlice[int](a, 3, 3)
	return append(s[:len(s):len(s)], 1)
}

func fineNoArena() []int {
	s := arena.MakeSlice[int](nil, 0, 10)
	return append(s, 1)
}

// The arena has no name where the append stands: there is no fix.
func scoped(get func() *arena.Arena) []int {
	var s []int
	{
		a := get()
		s = arena.MakeSlice[int](a, 0, 4)
	}
	return append(s, 1) // want `builtin append to s, memory of arena a`
}

type names []int16

func converted(a *arena.Arena, more []int16) names {
	s := names(arena.MakeSlice[int16](a, 0, 4))
	s = append(s, more...) // want `builtin append to memory of arena a`
	return s
}

// The slice before the conversion is appended to as well, so both must not grow in place.
func convertedTwice(a *arena.Arena, x, y bool) ([]bool, flags) {
	s := arena.MakeSlice[bool](a, 0, 4)
	t := flags(s)
	t = append(t, x) // want `builtin append to s, memory of arena a`
	s = append(s, y) // want `builtin append to s, memory of arena a`
	return s, t
}

type flags []bool
