package bench

import "unsafe"

// byteBump is the yardstick of the benchmarks: what every other resettable Go
// arena does, a cursor over a []byte. It zeroes nothing, and the collector
// does not see the pointers stored in it: objects that only it points to are
// freed under the program. For measuring only.
//
// It comes in two forms. bytebump calls its method, as those arenas do: theirs
// also choose among chunks and keep counts, which is more than the compiler
// inlines. cursor is inlined into the caller's loop: the least that a bump
// allocator can do, and less than any of those arenas does.
type byteBump struct {
	chunk []byte
	off   uintptr
	full  [][]byte
}

// newByteBump makes one on the heap, where an arena that is passed around is.
// One that never leaves a function would be kept in its stack frame, whose
// loads and stores some processors turn into registers.
//
//go:noinline
func newByteBump(size int) *byteBump { return &byteBump{chunk: make([]byte, size)} }

func bumpNew[T any](b *byteBump) *T {
	var z T
	return (*T)(b.alloc(unsafe.Sizeof(z), unsafe.Alignof(z)))
}

func cursorNew[T any](b *byteBump) *T {
	var z T
	return (*T)(b.cursor(unsafe.Sizeof(z), unsafe.Alignof(z)))
}

//go:noinline
func (b *byteBump) alloc(size, align uintptr) unsafe.Pointer {
	off := (b.off + align - 1) &^ (align - 1)
	if off+size > uintptr(len(b.chunk)) {
		b.full = append(b.full, b.chunk)
		b.chunk = make([]byte, max(uintptr(len(b.chunk)), size))
		off = 0
	}
	b.off = off + size
	return unsafe.Pointer(&b.chunk[off])
}

func (b *byteBump) cursor(size, align uintptr) unsafe.Pointer {
	off := (b.off + align - 1) &^ (align - 1)
	if off+size > uintptr(len(b.chunk)) {
		return b.grow(size)
	}
	b.off = off + size
	return unsafe.Pointer(&b.chunk[off])
}

//go:noinline
func (b *byteBump) grow(size uintptr) unsafe.Pointer {
	b.chunk = make([]byte, max(uintptr(len(b.chunk)), size))
	b.off = size
	return unsafe.Pointer(unsafe.SliceData(b.chunk))
}

func (b *byteBump) allocString(s string) string {
	if len(s) == 0 {
		return ""
	}
	p := b.alloc(uintptr(len(s)), 1)
	copy(unsafe.Slice((*byte)(p), len(s)), s)
	return unsafe.String((*byte)(p), len(s))
}

func (b *byteBump) reset() { b.off, b.full = 0, nil }
