package bench

import "unsafe"

// byteBump is the baseline of the benchmarks: a cursor over a []byte, like every other resettable Go arena. It zeroes nothing, and the collector does not see pointers stored in it, so objects reachable only
// from it are freed too early. Use it for measurements only.
//
// It has three forms. bytebump calls its method, as those arenas do, because choosing among chunks and
// counting exceed the compiler's inlining budget. cursor leaves inlining to the compiler, as for an arena of
// one chunk: go build does not inline it (cost 96, budget 80) unless there is a profile. inlined is always
// inlined into the caller's loop. It is the least that a bump allocator can do, and less than any of those
// arenas does.
type byteBump struct {
	chunk []byte
	off   uintptr
	full  [][]byte
}

// newByteBump allocates a byteBump on the heap, like an arena that is passed around. One that never leaves a
// function would be in its stack frame, where some processors turn loads and stores into register renames.
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

// inlined has grow as a parameter because the compiler's inlining cost of an indirect call is lower.
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

// bytes returns n bytes without clearing them.
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
