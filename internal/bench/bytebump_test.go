package bench

import "unsafe"

// byteBump is the yardstick of the benchmarks: what every other resettable Go
// arena does, a cursor over a []byte. It zeroes nothing, and the collector
// does not see the pointers stored in it: objects that only it points to are
// freed under the program. For measuring only.
//
// It comes in three forms. bytebump calls its method, as those arenas do: theirs
// also choose among chunks and keep counts, which is more than the compiler
// inlines. cursor leaves it to the compiler, as an arena of one chunk would be
// written: go build calls it, at a cost of 96 where 80 is the most that is inlined,
// and inlines it with a profile. inlined is made so that it is always inlined into
// the caller's loop: the least that a bump allocator can do, and less than any of
// those arenas does.
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

func inlinedNew[T any](b *byteBump) *T {
	var z T
	return (*T)(b.inlined(unsafe.Sizeof(z), unsafe.Alignof(z), (*byteBump).grow))
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

// inlined has grow as a parameter because the compiler counts the call of one for
// less than another.
func (b *byteBump) inlined(size, align uintptr, grow func(*byteBump, uintptr) unsafe.Pointer) unsafe.Pointer {
	off := (b.off + align - 1) &^ (align - 1)
	if off+size > uintptr(len(b.chunk)) {
		return grow(b, size)
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

// bytes returns n bytes as they are.
//
//go:noinline
func (b *byteBump) bytes(n int) []byte {
	end := b.off + uintptr(n)
	if end > uintptr(len(b.chunk)) {
		b.grow(uintptr(n))
		end = b.off
	}
	s := b.chunk[end-uintptr(n) : end : end]
	b.off = end
	return s
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
