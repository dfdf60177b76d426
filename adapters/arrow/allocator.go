// Package arenaarrow has the buffers of Apache Arrow in an arena:
//
//	mem := arenaarrow.New(a)
//	b := array.NewInt64Builder(mem)
//	...
//	if err := mem.Reset(); err != nil { // a buffer was not released
//
// Buffers hold the values of arrays and records. The objects around them,
// builders and arrays, stay on the heap: arrow makes them with new.
package arenaarrow

import (
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/ebbpool/arena"
)

// Allocator is a memory.Allocator whose memory is an arena's. It takes blocks from the
// arena and cuts buffers from them. One goroutine at a time may use it, and so whatever
// allocates or releases buffers that come from it.
//
// Released memory is used again where it is the newest, and all of it when the last
// buffer was released. So builders that are made and released by turns keep taking the
// same memory.
type Allocator struct {
	arena *arena.Arena
	lanes [4]lane // by size, so that what grows beside values, a bitmap, is not between them
	live  int     // buffers
	bytes int     // in them
}

var _ memory.Allocator = (*Allocator)(nil)

const (
	alignment = 64 // as arrow's own allocators have it
	smallest  = 4 << 10
	largest   = 1 << 20 // of a block, unless one buffer needs more
	mostFirst = 1 << 10 // of a buffer in the first lane; each next one has 16 times as much

	mostSize = math.MaxInt / 4 // of a buffer: a block for two is no overflow
)

// New returns an allocator in a, or on the heap if a is nil. As long as a buffer is live,
// a must not be reset, rewound or put back; Reset reports whether one is.
func New(a *arena.Arena) *Allocator { return &Allocator{arena: a} }

// Allocate returns size bytes, which are zero, at an address that is a multiple of 64. A
// negative or an impossible size panics, and so does a limit of the arena, with a
// *arena.LimitError; nothing has changed then.
func (m *Allocator) Allocate(size int) []byte {
	checkSize("Allocate", size)
	if size == 0 {
		return []byte{}
	}
	b := m.lane(size).take(m.arena, size)
	clear(b)
	m.live++
	m.bytes += size
	return b
}

// Reallocate returns b with size bytes: in place where b shrinks, or is the newest buffer
// of its block and that has room, and else as a copy. What is new is zero.
func (m *Allocator) Reallocate(size int, b []byte) []byte {
	if cap(b) == 0 {
		return m.Allocate(size)
	}
	checkSize("Reallocate", size)
	old := len(b)
	if size <= cap(b) {
		b = b[:size]
	} else {
		// A buffer that outgrows a lane moves: three times at most.
		l := m.lane(cap(b))
		if to := m.lane(size); l != to || !l.extend(&b, size) {
			moved := to.take(m.arena, size)
			copy(moved, b)
			l.giveBack(b)
			b = moved
		}
	}
	if size > old {
		clear(b[old:])
	}
	m.bytes += size - old
	return b
}

// Free takes a buffer back. One more Free than there were buffers panics.
func (m *Allocator) Free(b []byte) {
	if cap(b) == 0 {
		return // as a buffer without memory, which was not counted
	}
	if m.live == 0 {
		panic(fmt.Sprintf("arenaarrow: Free: %d bytes that are not out; a buffer was released twice, or belongs to another allocator", len(b)))
	}
	m.live--
	m.bytes -= len(b)
	if m.live == 0 {
		for i := range m.lanes {
			m.lanes[i].restart()
		}
		return
	}
	m.lane(cap(b)).giveBack(b)
}

// Live returns how many buffers are out, and how many bytes they have.
func (m *Allocator) Live() (buffers, bytes int) { return m.live, m.bytes }

// Reset gives all memory back by a's Reset, after which the allocator may be used on. It
// refuses to while buffers are live, and changes nothing: arrays that were not released
// would show what others write. The arena may be put back after a Reset that returned nil,
// and the allocator is then not to be used any more.
func (m *Allocator) Reset() error {
	if m.live != 0 {
		return fmt.Errorf("arenaarrow: Reset: %d buffers of %d bytes are still live; release their arrays, records and builders before, or use memory.CheckedAllocator to see which", m.live, m.bytes)
	}
	m.lanes = [len(m.lanes)]lane{}
	if m.arena != nil {
		m.arena.Reset()
	}
	return nil
}

func checkSize(function string, size int) {
	if size < 0 || size > mostSize {
		panic(fmt.Sprintf("arenaarrow: %s: a size of %d bytes; it must be from 0 to %d", function, size, mostSize))
	}
}

// lane is where a buffer of that size lies. A bitmap has a bit for each value, so it is in
// another lane than values of two bytes or more.
func (m *Allocator) lane(size int) *lane {
	i := 0
	for most := mostFirst; size > most && i < len(m.lanes)-1; most *= 16 {
		i++
	}
	return &m.lanes[i]
}
