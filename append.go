package arena

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// Append is the builtin append for slices whose memory is in a: where s has no
// room for items, it grows in the arena, or on the heap if a is nil.
//
// If s is the newest slice or object of its kind in a, it grows in place, so
// that its address stays and nothing is copied. Otherwise the elements move
// and the old memory is free again only when the arena is reset. Capacities
// double, and grow by a quarter from 256 elements on; what lies beyond the
// length is zero. The builtin would move s to the heap without a word.
func Append[T any](a *Arena, s []T, items ...T) []T {
	// The comparison is append's own, which the compiler then leaves out, with
	// the call behind it.
	if len(s)+len(items) > cap(s) {
		return appendSlow(a, s, items)
	}
	return append(s, items...)
}

//go:noinline
func appendSlow[T any](a *Arena, s, items []T) []T {
	if a == nil || machine.SizeOf[T]() == 0 {
		return append(s, items...)
	}
	n := len(s) + len(items)
	if n < 0 || uintptr(n) > machine.MaxAlloc/machine.SizeOf[T]() {
		panic(message[T]("Append") + "length " + itoa(len(s)) + " + " + itoa(len(items)) + " is more than can be allocated")
	}
	if check.Watched {
		a.enter("Append")
		defer a.leave()
	}
	t := machine.GrowSlice(&a.region, s, n)
	if machine.DataOf(t) != machine.DataOf(s) {
		copy(t, s)
	}
	copy(t[len(s):], items)
	return t
}
