package arena

import (
	"strings"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// AllocString returns a copy of s in a, or on the heap if a is nil. A string
// takes its length in bytes, and no padding.
func (a *Arena) AllocString(s string) string {
	if n := uintptr(len(s)); !check.Watched && a != nil && n != 0 && n <= a.region.Flat.Hi-a.region.Flat.Lo {
		hi := a.region.Flat.Hi - n
		a.region.Flat.Hi = hi
		machine.CopyString(a.region.Flat.Base, hi, s)
		return machine.StringAt(a.region.Flat.Base, hi, n)
	}
	return a.allocStringSlow(s)
}

// AllocBytesToString returns a copy of b as a string in a, or on the heap if
// a is nil.
func (a *Arena) AllocBytesToString(b []byte) string {
	return a.AllocString(machine.ViewString(b))
}

//go:noinline
func (a *Arena) allocStringSlow(s string) string {
	switch {
	case len(s) == 0:
		return ""
	case a == nil:
		return strings.Clone(s)
	}
	if check.Watched {
		a.enter("AllocString")
		defer a.leave()
	}
	n := uintptr(len(s))
	base, off := machine.TextRoom(&a.region, n)
	machine.CopyString(base, off, s)
	return machine.StringAt(base, off, n)
}
