package subjects

import (
	"unsafe"

	"github.com/ebbpool/arena/lab/workloads"
)

// bump is the usual resettable Go arena: a cursor over a []byte. The collector does not see pointers stored
// in it, so objects reachable only from it are freed too early. It is here for measurements only.
//
// Chunks are kept for the next cycle, as by the other subjects.
type bump struct {
	chunks [][]byte
	next   int // the chunk after the current one
	chunk  []byte
	off    uintptr
	apart  *bump
}

func newBump() *bump {
	b := &bump{}
	b.grow(0)
	return b
}

func bumpNew[T any](b *bump) *T {
	return (*T)(b.alloc(unsafe.Sizeof(*new(T)), unsafe.Alignof(*new(T))))
}

func bumpNewZero[T any](b *bump) *T {
	x := bumpNew[T](b)
	*x = *new(T)
	return x
}

// alloc is not inlined, because arenas of this kind also choose among chunks and count, which exceeds the
// inlining budget.
//
//go:noinline
func (b *bump) alloc(size, align uintptr) unsafe.Pointer {
	off := (b.off + align - 1) &^ (align - 1)
	if off+size > uintptr(len(b.chunk)) {
		b.grow(size)
		off = 0
	}
	b.off = off + size
	return unsafe.Pointer(&b.chunk[off])
}

// grow takes the next chunk that is large enough.
func (b *bump) grow(size uintptr) {
	for b.next < len(b.chunks) {
		b.chunk = b.chunks[b.next]
		b.next++
		if uintptr(len(b.chunk)) >= size {
			return
		}
	}
	b.chunk = make([]byte, max(regionChunk, 2*uintptr(len(b.chunk)), size))
	b.chunks = append(b.chunks, b.chunk)
	b.next = len(b.chunks)
}

func (b *bump) End() {
	b.chunk, b.next, b.off = b.chunks[0], 1, 0
}

// EndsByCall marks End as doing work.
func (*bump) EndsByCall() {}

func (b *bump) Flats(dst []*workloads.Flat) {
	for i := range dst {
		dst[i] = bumpNew[workloads.Flat](b)
	}
}

func (b *bump) Links(dst []*workloads.Link) {
	for i := range dst {
		dst[i] = bumpNew[workloads.Link](b)
	}
}

func (b *bump) Simples(dst []*workloads.Simple) {
	for i := range dst {
		dst[i] = bumpNewZero[workloads.Simple](b)
	}
}

func (b *bump) Texts(dst []string, src string) {
	for i := range dst {
		dst[i] = b.copied(src)
	}
}

func (b *bump) copied(s string) string {
	p := (*byte)(b.alloc(uintptr(len(s)), 1))
	copy(unsafe.Slice(p, len(s)), s)
	return unsafe.String(p, len(s))
}

func bumpSlice[T any](b *bump, capacity int) []T {
	p := (*T)(b.alloc(uintptr(capacity)*unsafe.Sizeof(*new(T)), unsafe.Alignof(*new(T))))
	return unsafe.Slice(p, capacity)
}

func (b *bump) MakeInts(n, capacity int) []int {
	s := bumpSlice[int](b, capacity)
	clear(s)
	return s[:n]
}

func (b *bump) ReserveInts(n int) []int { return bumpSlice[int](b, n) }

func (b *bump) AppendInts(s []int, first, n int) []int {
	for i := range n {
		s = bumpAppend(b, s, first+i)
	}
	return s
}

func bumpAppend[T any](b *bump, s []T, x T) []T {
	if len(s) == cap(s) {
		bigger := bumpSlice[T](b, grownCapacity(cap(s)))
		s = bigger[:copy(bigger, s)]
	}
	return append(s, x)
}

// grownCapacity returns the new capacity of a slice, for allocators without append.
func grownCapacity(old int) int { return max(8, 2*old) }

func (b *bump) Node() *workloads.Node          { return bumpNewZero[workloads.Node](b) }
func (b *bump) NewEvent() *workloads.Event     { return bumpNewZero[workloads.Event](b) }
func (b *bump) NewUser() *workloads.User       { return bumpNewZero[workloads.User](b) }
func (b *bump) NewAddress() *workloads.Address { return bumpNewZero[workloads.Address](b) }
func (b *bump) NewDevice() *workloads.Device   { return bumpNewZero[workloads.Device](b) }
func (b *bump) NewPrice() *workloads.Price     { return bumpNewZero[workloads.Price](b) }

func (b *bump) AppendField(s []workloads.Field, f workloads.Field) []workloads.Field {
	return bumpAppend(b, s, f)
}

func (b *bump) AppendItem(s []workloads.Item, it workloads.Item) []workloads.Item {
	return bumpAppend(b, s, it)
}

func (b *bump) AppendTag(s []string, tag string) []string { return bumpAppend(b, s, tag) }
func (b *bump) Text(t []byte) string                      { return b.copied(unsafe.String(unsafe.SliceData(t), len(t))) }
func (b *bump) Buffer(n int) []byte                       { return bumpSlice[byte](b, n)[:0] }

func (b *bump) Tree(depth int) *workloads.Node {
	n := bumpNewZero[workloads.Node](b)
	if depth > 0 {
		n.Left, n.Right = b.Tree(depth-1), b.Tree(depth-1)
	}
	return n
}

func (b *bump) Apart() workloads.Nodes {
	if b.apart == nil {
		b.apart = newBump()
	}
	return b.apart
}
