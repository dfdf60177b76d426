// Package arenaarrow allocates the buffers of Apache Arrow in an arena:
//
//	mem := arenaarrow.New(a)
//	b := array.NewInt64Builder(mem)
//	...
//	if err := mem.Reset(); err != nil { // a buffer was not released
//
// Buffers hold the values of arrays and records. Builders and arrays themselves are allocated by package
// arrow and stay on the heap.
package arenaarrow

import (
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/ebbpool/arena"
)

// Allocator is a memory.Allocator that cuts buffers from blocks of an arena. It may be used by one goroutine
// at a time, which includes allocating and releasing its buffers.
//
// Freed memory is reused if the buffer was the newest, and all of it when the last buffer is released. So
// builders that are made and released in turn use the same memory again.
type Allocator struct {
	arena   *arena.Arena
	classes [4]sizeClass             // because bitmaps would separate the values beside which they grow
	live    *arena.Map[uintptr, int] // sizes of the live buffers by address
	bytes   int                      // total size of live buffers
}

var _ memory.Allocator = (*Allocator)(nil)

const (
	alignment = 64 // as in arrow's own allocators
	smallest  = 4 << 10
	largest   = 1 << 20 // maximum size of a block, unless one buffer needs more
	mostFirst = 1 << 10 // maximum size of a buffer in the first class; 16 times as much in each next class

	mostSize = math.MaxInt / 4 // maximum size of a buffer, so that a block for two does not overflow
)

// New returns an allocator in a, or on the heap if a is nil. While a buffer is live, a must not be reset,
// rewound or put back. Reset reports live buffers.
func New(a *arena.Arena) *Allocator { return &Allocator{arena: a} }

// Allocate returns size zeroed bytes, aligned to 64. It panics if size is negative or too large, or with a
// *arena.LimitError if the arena's limit is exceeded; it then changes nothing.
func (m *Allocator) Allocate(size int) []byte {
	checkSize("Allocate", size)
	if size == 0 {
		return []byte{}
	}
	if m.live == nil {
		m.live = arena.NewMap[uintptr, int](m.arena, 0)
	}
	b := m.class(size).take(m.arena, size)
	m.enter(b)
	clear(b)
	return b
}

// enter records the new buffer b. If a limit refuses the memory for the record, it frees b.
func (m *Allocator) enter(b []byte) {
	entered := false
	defer func() {
		if !entered {
			m.class(cap(b)).giveBack(b)
		}
	}()
	m.live.Set(address(b), len(b))
	entered = true
	m.bytes += len(b)
}

// size returns the size of the live buffer that begins at b.
func (m *Allocator) size(function string, b []byte) int {
	size, ok := m.live.Get(address(b))
	if !ok || size < len(b) {
		panic(fmt.Sprintf("arenaarrow: %s: %d bytes that are no live buffer", function, len(b)))
	}
	return size
}

// Reallocate returns b with size bytes. It works in place if b shrinks, or if b is the newest buffer of its
// block and there is room; otherwise it copies. New bytes are zero. It panics if b is not a live buffer.
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
		// A buffer that outgrows its class moves, at most three times.
		from := m.class(cap(b))
		if to := m.class(size); from == to && from.extend(&b, size) {
			m.live.Set(address(b), size)
			m.bytes += size - was
		} else {
			moved := to.take(m.arena, size)
			m.enter(moved)
			copy(moved, b)
			m.live.Delete(address(b))
			m.bytes -= was
			from.giveBack(b)
			b = moved
		}
	}
	if size > old {
		clear(b[old:])
	}
	return b
}

// Free frees b. It panics if b does not begin at a live buffer, or is longer.
func (m *Allocator) Free(b []byte) {
	if cap(b) == 0 {
		return // a buffer of size 0 is not recorded
	}
	m.bytes -= m.size("Free", b)
	m.live.Delete(address(b))
	if m.live.Len() == 0 {
		for i := range m.classes {
			m.classes[i].restart()
		}
		return
	}
	m.class(cap(b)).giveBack(b)
}

// Live returns the number of live buffers and their total size.
func (m *Allocator) Live() (buffers, bytes int) { return m.live.Len(), m.bytes }

// Reset resets the arena; the allocator may be used again. If there are live buffers it returns an error and
// changes nothing, because unreleased arrays would show the values of new ones. Use memory.CheckedAllocator
// to find these arrays. After Reset returns nil the arena may be put back; then the allocator must not be
// used any more.
func (m *Allocator) Reset() error {
	if n := m.live.Len(); n != 0 {
		return fmt.Errorf("arenaarrow: Reset: %d live buffers of %d bytes", n, m.bytes)
	}
	m.live = nil
	m.classes = [len(m.classes)]sizeClass{}
	if m.arena != nil {
		m.arena.Reset()
	}
	return nil
}

func checkSize(function string, size int) {
	if size < 0 || size > mostSize {
		panic(fmt.Sprintf("arenaarrow: %s: size %d not in [0, %d]", function, size, mostSize))
	}
}

// class returns the class of buffers of the given size. A bitmap has one bit per value, so it is in another class than
// values of two bytes or more.
func (m *Allocator) class(size int) *sizeClass {
	i := 0
	for most := mostFirst; size > most && i < len(m.classes)-1; most *= 16 {
		i++
	}
	return &m.classes[i]
}
