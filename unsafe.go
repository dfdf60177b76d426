package arena

// The one use of package unsafe in this room; everything else asks
// internal/machine, whose unsafe.go says what is taken for granted.

import "unsafe"

// New returns a pointer to a zero T. It is valid until the slab is reset.
//
// It stands here, written out, because that is how it stays within what the
// compiler inlines.
//
// SAFETY: next and ready are multiples of the size of T, [next, ready) is zero
// room of the chunk at base, and refill returns with next < ready, or with
// both zero for a T of no size.
func (s *Slab[T]) New() (p *T) {
	if s.next == s.ready {
		s.refill()
	}
	p = (*T)(unsafe.Add(s.base, s.next))
	s.next += unsafe.Sizeof(*p)
	return
}
