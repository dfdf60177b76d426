package arena

import "unsafe"

// byteBump is the yardstick of the benchmarks: what every other resettable Go
// arena does, a cursor over a []byte, in its fastest form. It zeroes nothing,
// and the collector does not see the pointers stored in it: objects that only
// it points to are freed under the program. For measuring only.
type byteBump struct {
	chunk []byte
	off   uintptr
}

func newByteBump(size int) *byteBump { return &byteBump{chunk: make([]byte, size)} }

// bumpNew is a generic function over a method, as such arenas have it.
func bumpNew[T any](b *byteBump) *T {
	var z T
	return (*T)(b.alloc(unsafe.Sizeof(z), unsafe.Alignof(z)))
}

func (b *byteBump) alloc(size, align uintptr) unsafe.Pointer {
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

func (b *byteBump) reset() { b.off = 0 }
