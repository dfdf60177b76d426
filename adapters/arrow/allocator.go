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
	lanes [4]lane                  // by size, so that a bitmap that grows beside values is not between them
	live  *arena.Map[uintptr, int] // addresses of the live buffers, and their sizes
	bytes int                      // in them
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
	if m.live == nil {
		m.live = arena.NewMap[uintptr, int](m.arena, 0)
	}
	b := m.lane(size).take(m.arena, size)
	m.enter(b)
	clear(b)
	return b
}

// enter enters the new buffer b. If a limit refuses the memory of its entry, it takes b back.
func (m *Allocator) enter(b []byte) {
	entered := false
	defer func() {
		if !entered {
			m.lane(cap(b)).giveBack(b)
		}
	}()
	m.live.Set(address(b), len(b))
	entered = true
	m.bytes += len(b)
}

// size returns the size of the live buffer that begins where b does.
func (m *Allocator) size(function string, b []byte) int {
	size, ok := m.live.Get(address(b))
	if !ok || size < len(b) {
		panic(fmt.Sprintf("arenaarrow: %s: %d bytes that are no live buffer", function, len(b)))
	}
	return size
}

// Reallocate returns b with size bytes: in place if b shrinks, or is the newest buffer of its block and there is room,
// and else as a copy. New bytes are zero. It panics if b is no live buffer.
func (m *Allocator) Reallocate(size int, b []byte) []byte {
	if cap(b) == 0 {
		return m.Allocate(size)
	}
	checkSize("Reallocate", size)
	was, old := m.size("Reallocate", b), len(b)
	switch {
	case size == 0:
		m.Free(b)
		return b[:0:0]
	case size <= cap(b):
		b = b[:size]
		m.live.Set(address(b), size)
		m.bytes += size - was
	default:
		// A buffer that outgrows a lane moves: three times at most.
		l := m.lane(cap(b))
		if to := m.lane(size); l == to && l.extend(&b, size) {
			m.live.Set(address(b), size)
			m.bytes += size - was
		} else {
			moved := to.take(m.arena, size)
			m.enter(moved)
			copy(moved, b)
			m.live.Delete(address(b))
			m.bytes -= was
			l.giveBack(b)
			b = moved
		}
	}
	if size > old {
		clear(b[old:])
	}
	return b
}

// Free takes a buffer back. It panics if b does not begin where a live buffer does, or is longer.
func (m *Allocator) Free(b []byte) {
	if cap(b) == 0 {
		return // a buffer of size 0, which was not counted
	}
	m.bytes -= m.size("Free", b)
	m.live.Delete(address(b))
	if m.live.Len() == 0 {
		for i := range m.lanes {
			m.lanes[i].restart()
		}
		return
	}
	m.lane(cap(b)).giveBack(b)
}

// Live returns the number of live buffers and the sum of their sizes.
func (m *Allocator) Live() (buffers, bytes int) { return m.live.Len(), m.bytes }

// Reset resets the arena, after which the allocator may be used on. If buffers are live it returns an error and changes
// nothing, because arrays that were not released would show the values of new ones; memory.CheckedAllocator shows which
// they are. After a Reset that returned nil the arena may be put back, and the allocator must not be used any more.
func (m *Allocator) Reset() error {
	if n := m.live.Len(); n != 0 {
		return fmt.Errorf("arenaarrow: Reset: %d live buffers of %d bytes", n, m.bytes)
	}
	m.live = nil
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
