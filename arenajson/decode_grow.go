package arenajson

import (
	"reflect"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

func (d *decoder) emptySlice(p *decProgram) machine.Slice {
	if d.r != nil {
		return machine.MakeSliceOfType(d.r, p.elem.mem, 0, 0)
	}
	return makeOnHeap(p.typ, machine.Slice{}, 0)
}

// grow returns s with room for n elements, or as many as are expected if that is not 0.
func (d *decoder) grow(p *decProgram, s machine.Slice, n, expected int) machine.Slice {
	if d.r != nil {
		return machine.GrowSliceOfTypeTo(d.r, p.elem.mem, s, n, expected)
	}
	if expected == 0 {
		expected = max(4, 2*s.Cap)
	}
	return makeOnHeap(p.typ, s, max(n, expected))
}

// growth is how many elements a slice had when it grew last, and where it was in the document.
type growth struct{ n, at int }

// leastExpected is the size in bytes from which on a slice grows by what is to come.
const leastExpected = 64 << 10

// expected is how many elements a slice of n will have if all that follows at i is like those
// since it grew last, and a sixteenth more. No document gets more than four times n by that, or
// twice n in another slice, which more may follow. It is 0 for a small slice.
func (d *decoder) expected(was *growth, size uintptr, n, i int) int {
	if uintptr(n)*size < leastExpected {
		return 0
	}
	more := float64(d.n-i) * float64(n-was.n) / float64(i-was.at)
	*was = growth{n, i}
	all := float64(n) + more + more/16
	if d.inside > 1 {
		all = min(all, 2*float64(n))
	}
	for all > 4*float64(n) {
		all = max(all/4, 2*float64(n))
	}
	if all > float64(machine.MaxAlloc/size) {
		return 0
	}
	return max(int(all), n+n/4)
}

// makeOnHeap returns s, a slice of type t, with a capacity of n.
func makeOnHeap(t reflect.Type, s machine.Slice, n int) machine.Slice {
	made := reflect.MakeSlice(t, s.Len, n)
	if s.Len > 0 {
		reflect.Copy(made, xunsafe.Value(t, xunsafe.PointerTo(&s))) // it has a slice's words (assumption A6)
	}
	return machine.Slice{Data: made.UnsafePointer(), Len: s.Len, Cap: n}
}
