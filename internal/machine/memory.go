package machine

import (
	"reflect"
	"unsafe"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// memoryOps has the operations of an allocator that depend on its type. It is an interface because a value without
// fields costs nothing. Functions would be two closures for each allocator.
type memoryOps interface {
	// make allocates a chunk of that many bytes.
	make(bytes uintptr) xunsafe.Pointer
	// clear zeroes [from, to) of a chunk, with the write barriers it needs.
	clear(base xunsafe.Pointer, from, to uintptr)
	// move copies whole values of that many bytes, with the write barriers they need.
	move(to, from xunsafe.Pointer, bytes uintptr)
	// clone copies n bytes at offset off of a chunk to the heap.
	clone(base xunsafe.Pointer, off, n uintptr) xunsafe.Pointer
	// typ returns the type of the values, or nil for noscan memory.
	typ() reflect.Type
}

// noscanMemory has the operations of noscan allocators.
type noscanMemory struct{}

func (noscanMemory) make(bytes uintptr) xunsafe.Pointer { return MakeNoscan(bytes) }

func (noscanMemory) clear(base xunsafe.Pointer, from, to uintptr) { clearNoscan(base, from, to) }

// SAFETY: both ranges are in chunks.
func (noscanMemory) move(to, from xunsafe.Pointer, bytes uintptr) {
	copy(unsafe.Slice((*byte)(to), bytes), unsafe.Slice((*byte)(from), bytes))
}

// clone keeps the alignment of the original.
//
// SAFETY: the range is in the chunk. The heap aligns objects whose size is a multiple of NoscanAlign to that, and all
// objects of 16 bytes or more.
func (noscanMemory) clone(base xunsafe.Pointer, off, n uintptr) xunsafe.Pointer {
	s := unsafe.Slice((*byte)(unsafe.Add(base, off)), n)
	pad := off % NoscanAlign
	if pad == 0 && n >= 16 {
		c := make([]byte, len(s))
		copy(c, s)
		return unsafe.Pointer(unsafe.SliceData(c))
	}
	p := unsafe.Add(MakeNoscan(RoundUp(pad+n, NoscanAlign)), pad)
	copy(unsafe.Slice((*byte)(p), n), s)
	return p
}

func (noscanMemory) typ() reflect.Type { return nil }

// typedMemory has the operations of T's allocator. They call no function that would also be compiled for each T.
type typedMemory[T any] struct{}

func (*typedMemory[T]) make(n uintptr) xunsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(make([]T, n/xunsafe.SizeOf[T]())))
}

// clear zeroes [from, to) in the order of clearStep.
//
// SAFETY: the range is in the chunk, and consists of whole elements. It is never empty: the end of the chunk is the address of another
// object, which a pointer to it would keep alive.
func (*typedMemory[T]) clear(base xunsafe.Pointer, from, to uintptr) {
	for to-from > clearPiece {
		n := clearStep(to-from, xunsafe.SizeOf[T]())
		to -= n
		clear(unsafe.Slice((*T)(unsafe.Add(base, to)), n/xunsafe.SizeOf[T]()))
	}
	if from < to {
		clear(unsafe.Slice((*T)(unsafe.Add(base, from)), (to-from)/xunsafe.SizeOf[T]()))
	}
}

// SAFETY: both ranges consist of Ts.
func (*typedMemory[T]) move(to, from xunsafe.Pointer, bytes uintptr) {
	n := bytes / xunsafe.SizeOf[T]()
	copy(unsafe.Slice((*T)(to), n), unsafe.Slice((*T)(from), n))
}

// SAFETY: the range is in the chunk and consists of whole elements.
func (*typedMemory[T]) clone(base xunsafe.Pointer, off, n uintptr) xunsafe.Pointer {
	c := make([]T, n/xunsafe.SizeOf[T]())
	copy(c, unsafe.Slice((*T)(unsafe.Add(base, off)), len(c)))
	return unsafe.Pointer(unsafe.SliceData(c))
}

func (*typedMemory[T]) typ() reflect.Type { return reflect.TypeFor[T]() }

// reflectMemory has the operations of a type whose first use was by reflection.
type reflectMemory struct {
	t        *Type
	view, to reflect.Value // of a and b, made on first use
	a, b     Slice         // slices of t, which the operations set
}

// look creates the views on first use. Many arenas that are used for one cycle never need them.
func (m *reflectMemory) look() {
	if !m.view.IsValid() {
		m.view, m.to = sliceVariable(m.t.slices, &m.a), sliceVariable(m.t.slices, &m.b)
	}
}

func (m *reflectMemory) make(bytes uintptr) xunsafe.Pointer {
	n := int(bytes / m.t.Size)
	return reflect.MakeSlice(m.t.slices, n, n).UnsafePointer()
}

// clear is typedMemory.clear for t.
func (m *reflectMemory) clear(base xunsafe.Pointer, from, to uintptr) {
	for to-from > clearPiece {
		n := clearStep(to-from, m.t.Size)
		to -= n
		m.clearAt(xunsafe.Add(base, to), n)
	}
	if from < to { // otherwise it may be the end of the chunk: the address of another object
		m.clearAt(xunsafe.Add(base, from), to-from)
	}
}

func (m *reflectMemory) clearAt(p xunsafe.Pointer, bytes uintptr) {
	n := int(bytes / m.t.Size)
	m.look()
	m.a = Slice{p, n, n}
	m.view.Clear()
	m.a.Data = nil // keep nothing alive
}

func (m *reflectMemory) move(to, from xunsafe.Pointer, bytes uintptr) {
	n := int(bytes / m.t.Size)
	m.look()
	m.a, m.b = Slice{from, n, n}, Slice{to, n, n}
	reflect.Copy(m.to, m.view)
	m.a.Data, m.b.Data = nil, nil
}

func (m *reflectMemory) typ() reflect.Type { return m.t.Reflect }

// clone uses no view, because another goroutine may be using the region.
func (m *reflectMemory) clone(base xunsafe.Pointer, off, n uintptr) xunsafe.Pointer {
	many := int(n / m.t.Size)
	c := reflect.MakeSlice(m.t.slices, many, many)
	reflect.Copy(c, reflect.SliceAt(m.t.Reflect, xunsafe.Add(base, off), many))
	return c.UnsafePointer()
}

// MakeNoscan allocates a zeroed chunk of n bytes, a multiple of 8, that the collector does not scan.
func MakeNoscan(n uintptr) xunsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(make([]uint64, n/8)))
}

// MakeTyped allocates a chunk of n bytes, a multiple of the size of T, as a slice of T.
func MakeTyped[T any](n uintptr) xunsafe.Pointer { return (*typedMemory[T])(nil).make(n) }

// ClearTyped zeroes [from, to) of a chunk of T, with write barriers.
//
// SAFETY: see typedMemory.clear.
func ClearTyped[T any](base xunsafe.Pointer, from, to uintptr) {
	(*typedMemory[T])(nil).clear(base, from, to)
}

// ClearObject zeroes the n <= InlineZero bytes at p in a noscan chunk. If n is a constant, it compiles to a few vector
// stores, without the check of unsafe.Slice.
//
// SAFETY: the caller has reserved these n bytes. The array type is only sliced. It may extend beyond the chunk, which
// checkptr would refuse. Memory without pointers needs no write barrier.
//
//go:nocheckptr
func ClearObject(p xunsafe.Pointer, n uintptr) {
	clear((*[InlineZero]byte)(p)[:n])
}

// blockBytes is the number of bytes that ClearBlocks clears at a time.
const blockBytes = 64

// Blocks returns the number of bytes that ClearBlocks clears for n.
func Blocks(n uintptr) uintptr { return (n + blockBytes - 1) &^ (blockBytes - 1) }

// ClearBlocks zeroes Blocks(n) bytes at p in a noscan chunk, n > 0, by stores. A call would take longer than a few
// blocks.
//
// SAFETY: all of these bytes are free in the chunk, and the caller has reserved the first n. p is advanced only if more
// bytes follow.
func ClearBlocks(p xunsafe.Pointer, n uintptr) {
	for {
		clear((*[blockBytes]byte)(p)[:])
		if n <= blockBytes {
			return
		}
		n -= blockBytes
		p = unsafe.Add(p, blockBytes)
	}
}

// BytesAt returns the n <= SmallBytes bytes at p as a slice, without the check of unsafe.Slice.
//
// SAFETY: see xunsafe.At. The array type is only sliced. It may extend beyond the chunk, which checkptr would refuse.
//
//go:nocheckptr
func BytesAt(p xunsafe.Pointer, n uintptr) []byte { return (*[SmallBytes]byte)(p)[:n:n] }

// clearNoscan zeroes [from, to) of a noscan chunk.
//
// SAFETY: the range is in the chunk.
func clearNoscan(base xunsafe.Pointer, from, to uintptr) {
	clear(unsafe.Slice((*byte)(unsafe.Add(base, from)), to-from))
}

// Memory with pointers is cleared from its end in pieces of clearPiece bytes, half of the smallest first-level cache.
// Memory written last is still in the cache, and memory cleared last is used first in the next cycle. Memory beyond
// clearNear is no longer in any cache. It is cleared in large pieces, so that processors need not read a line before
// they clear it.
const (
	clearPiece = 16 << 10
	clearNear  = 2 << 20
)

// clearStep returns the number of bytes to clear next, at the end of left bytes. left is more than clearPiece.
func clearStep(left, size uintptr) uintptr {
	piece := uintptr(clearPiece)
	if left > 2*clearNear {
		piece = clearNear
	}
	return max(piece/size, 1) * size
}

// clearPointers zeroes [from, to), whole values of any type with pointers, with write barriers. A function for each
// type would not be cached at the end of a cycle that used many types.
//
// SAFETY: assumption A8.
func clearPointers(base xunsafe.Pointer, from, to uintptr) {
	clear(unsafe.Slice((*xunsafe.Pointer)(unsafe.Add(base, from)), (to-from)/xunsafe.SizeOf[uintptr]()))
}

// clearsPointers reports whether assumption A8 holds, so that clearPointers can be used. It can't be checked at
// start-up, so clearsPointers is false on toolchains on which the suite has not run.
const clearsPointers = Tested
