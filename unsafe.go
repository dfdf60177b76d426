package arena

// The use of package unsafe in this room; everything else asks internal/machine,
// whose unsafe.go says what is taken for granted. The functions stand here,
// written out, because that is how they stay within what the compiler inlines.

import (
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/swiss"
)

// New returns a pointer to a zero T. It is valid until the slab is reset.
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

// take hands out the next T of room, or what more has where there is none. more is
// a parameter because the compiler counts the call of one for less than another,
// and where it inlines this it calls what was passed.
//
// SAFETY: room is that of the lane of T: Lo and Hi are multiples of the size of T,
// and all between them is zero. Or it is machine.NoChunk, whose Lo and Hi are equal
// for ever.
func take[T any](chunk *machine.Chunk, a *Arena, more func(*Arena) *T) (p *T) {
	if chunk.Lo == chunk.Hi {
		return more(a)
	}
	p = (*T)(unsafe.Add(chunk.Base, chunk.Lo))
	chunk.Lo += unsafe.Sizeof(*p)
	return
}

// Get returns the value of k, and whether there is one.
//
// It stands here because an if, which could say that a nil Map has a nil table,
// would take it beyond what the compiler inlines.
//
// SAFETY: the table is the first field of a Map.
func (m *Map[K, V]) Get(k K) (V, bool) {
	if check.On {
		m.mustBeAlive("Map.Get")
	}
	return (*swiss.Table[K, V])(unsafe.Pointer(m)).Get(k)
}

// Ptr returns where the value of k is, nil if there is none: to change it, or to
// read a large one without a copy. The pointer is good until the next Set of a
// key that the map doesn't have, Delete of k or Clear. Later, it points to the
// former value, or to another's.
//
// SAFETY: as Get.
func (m *Map[K, V]) Ptr(k K) *V {
	if check.On {
		m.mustBeAlive("Map.Ptr")
	}
	return (*swiss.Table[K, V])(unsafe.Pointer(m)).Find(k)
}
