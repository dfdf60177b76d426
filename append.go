package arena

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// Append is the builtin append for slices whose memory is in a: where s has no
// room for items, it grows in the arena, or on the heap if a is nil.
//
// If s is the newest slice or object of its kind in a, it grows in place, so
// that its address stays and nothing is copied: its capacity doubles, and grows
// by a quarter from 256 elements on. Otherwise the elements move to room for
// twice as many; the old slice stays what it is, as with the builtin. What lies
// beyond the length is zero.
//
// A slice that is large beside what a has moves to memory of its own, which is
// given to the collector at once when the slice moves on, unless a Mark was
// taken in between. So a slice that grows alone, as long as it may get, costs a
// no more than twice its size (or a's chunk size). The old memory of small ones
// is free again only when the arena is reset. The builtin would move s to the
// heap without a word.
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
