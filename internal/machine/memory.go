package machine

import (
	"reflect"
	"unsafe"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// memoryOps is the part of an allocator that depends on its type. It is an interface
// because a value of one without fields costs nothing to make: functions of a
// type would be closures, two for each allocator.
type memoryOps interface {
	// make allocates a chunk of so many bytes.
	make(bytes uintptr) xunsafe.Pointer
	// clear zeroes [from, to) of a chunk, with the write barriers it needs.
	clear(base xunsafe.Pointer, from, to uintptr)
	// move copies so many bytes, whole values, with the write barriers they need.
	move(to, from xunsafe.Pointer, bytes uintptr)
	// clone copies n bytes at offset off of a chunk to the heap.
	clone(base xunsafe.Pointer, off, n uintptr) xunsafe.Pointer
	// typ is the type of the values, nil where it is any without pointers.
	typ() reflect.Type
}

// noscanMemory is the memory of the allocators without pointers.
type noscanMemory struct{}

func (noscanMemory) make(bytes uintptr) xunsafe.Pointer { return MakeNoscan(bytes) }

func (noscanMemory) clear(base xunsafe.Pointer, from, to uintptr) { clearNoscan(base, from, to) }

func (noscanMemory) move(to, from xunsafe.Pointer, bytes uintptr) { moveNoscan(to, from, bytes) }

func (noscanMemory) clone(base xunsafe.Pointer, off, n uintptr) xunsafe.Pointer {
	return cloneNoscan(base, off, n)
}

func (noscanMemory) typ() reflect.Type { return nil }

// typedMemory is the memory of T's allocator. Each of its methods has its work in itself: a
// function that it calls would be compiled once more for each T, of which programs have
// many.
type typedMemory[T any] struct{}

func (*typedMemory[T]) make(n uintptr) xunsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(make([]T, n/xunsafe.SizeOf[T]())))
}

// clear goes in the order of clearStep.
//
// SAFETY: the range lies in the chunk, and is made of whole elements. No slice is made
// of none: the chunk's end is the address of another object, which a pointer to it would
// keep alive, or bring back when it is free.
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

// SAFETY: both ranges are made of Ts.
func (*typedMemory[T]) move(to, from xunsafe.Pointer, bytes uintptr) {
	n := bytes / xunsafe.SizeOf[T]()
	copy(unsafe.Slice((*T)(to), n), unsafe.Slice((*T)(from), n))
}

// SAFETY: the range lies in the chunk and is made of whole elements.
func (*typedMemory[T]) clone(base xunsafe.Pointer, off, n uintptr) xunsafe.Pointer {
	if n == xunsafe.SizeOf[T]() {
		c := new(T)
		*c = *(*T)(unsafe.Add(base, off))
		return unsafe.Pointer(c)
	}
	s := unsafe.Slice((*T)(unsafe.Add(base, off)), n/xunsafe.SizeOf[T]())
	c := make([]T, len(s))
	copy(c, s)
	return unsafe.Pointer(unsafe.SliceData(c))
}

func (*typedMemory[T]) typ() reflect.Type { return reflect.TypeFor[T]() }

// reflectMemory is the memory of the allocator of a type that was met by reflection
// first.
type reflectMemory struct {
	t        *Type
	view, to reflect.Value // of the slices below, made when they are first needed
	a, b     Slice         // slices of t, set by whoever works with the views
}

// look makes the views, which few of the arenas need that are dropped after one cycle.
func (m *reflectMemory) look() {
	if !m.view.IsValid() {
		m.view, m.to = sliceVariable(m.t.slices, &m.a), sliceVariable(m.t.slices, &m.b)
	}
}

func (m *reflectMemory) make(bytes uintptr) xunsafe.Pointer {
	n := int(bytes / m.t.Size)
	return reflect.MakeSlice(m.t.slices, n, n).UnsafePointer()
}

// clear goes as ClearTyped does.
func (m *reflectMemory) clear(base xunsafe.Pointer, from, to uintptr) {
	for to-from > clearPiece {
		n := clearStep(to-from, m.t.Size)
		to -= n
		m.clearAt(xunsafe.Add(base, to), n)
	}
	if from < to { // else it may be the chunk's end: the address of another object
		m.clearAt(xunsafe.Add(base, from), to-from)
	}
}

func (m *reflectMemory) clearAt(p xunsafe.Pointer, bytes uintptr) {
	n := int(bytes / m.t.Size)
	m.look()
	m.a = Slice{p, n, n}
	m.view.Clear()
	m.a.Data = nil // it holds on to nothing
}

func (m *reflectMemory) move(to, from xunsafe.Pointer, bytes uintptr) {
	n := int(bytes / m.t.Size)
	m.look()
	m.a, m.b = Slice{from, n, n}, Slice{to, n, n}
	reflect.Copy(m.to, m.view)
	m.a.Data, m.b.Data = nil, nil
}

func (m *reflectMemory) typ() reflect.Type { return m.t.Reflect }

// clone uses none of the views: others may work with the region meanwhile.
func (m *reflectMemory) clone(base xunsafe.Pointer, off, n uintptr) xunsafe.Pointer {
	from := xunsafe.Add(base, off)
	if n == m.t.Size {
		c := reflect.New(m.t.Reflect)
		c.Elem().Set(xunsafe.Value(m.t.Reflect, from))
		return c.UnsafePointer()
	}
	many := int(n / m.t.Size)
	c := reflect.MakeSlice(m.t.slices, many, many)
	reflect.Copy(c, reflect.SliceAt(m.t.Reflect, from, many))
	return c.UnsafePointer()
}

// MakeNoscan allocates a chunk of n bytes, a multiple of 8, that the collector
// does not scan, zeroed.
func MakeNoscan(n uintptr) xunsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(make([]uint64, n/8)))
}

// MakeTyped allocates a chunk of n bytes, a multiple of the size of T, as a
// slice of T: the collector sees every Pointer in it.
func MakeTyped[T any](n uintptr) xunsafe.Pointer { return (*typedMemory[T])(nil).make(n) }

// ClearTyped zeroes [from, to) of a chunk of T, with the write barriers that T needs.
//
// SAFETY: as typedMemory's clear.
func ClearTyped[T any](base xunsafe.Pointer, from, to uintptr) {
	(*typedMemory[T])(nil).clear(base, from, to)
}

// moveNoscan copies so many bytes of chunks without pointers.
//
// SAFETY: both ranges lie in chunks.
func moveNoscan(to, from xunsafe.Pointer, bytes uintptr) {
	copy(unsafe.Slice((*byte)(to), bytes), unsafe.Slice((*byte)(from), bytes))
}

// cloneNoscan returns a copy on the heap of n bytes at offset off of a chunk without
// pointers, aligned to NoscanAlign as they are.
//
// SAFETY: the range lies in the chunk. The heap aligns objects of a multiple of
// NoscanAlign bytes to that, and those of 16 bytes and more whatever their size.
func cloneNoscan(base xunsafe.Pointer, off, n uintptr) xunsafe.Pointer {
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

// ClearObject zeroes the n <= InlineZero bytes at p, of a chunk without
// pointers. Where n is a constant it compiles to a few vector stores, without
// the check that unsafe.Slice would make.
//
// SAFETY: the caller has reserved these n bytes. The array type is only there
// to be sliced: it may reach beyond the chunk, which checkptr would refuse.
// No write barrier is needed where no pointer can be.
//
//go:nocheckptr
func ClearObject(p xunsafe.Pointer, n uintptr) {
	clear((*[InlineZero]byte)(p)[:n])
}

// blockBytes is how many bytes ClearBlocks clears at a time.
const blockBytes = 64

// Blocks is how many bytes ClearBlocks clears for n.
func Blocks(n uintptr) uintptr { return (n + blockBytes - 1) &^ (blockBytes - 1) }

// ClearBlocks zeroes the Blocks(n) bytes at p, of a chunk without pointers, for n
// above 0: few stores, and no call, which takes longer than some blocks do.
//
// SAFETY: all of these bytes are free in the chunk, of which the caller has
// reserved the first n. p moves on only where more follows.
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

// BytesAt returns the n <= SmallBytes bytes at p as a slice, without the check that
// unsafe.Slice would make.
//
// SAFETY: as At. The array type is only there to be sliced: it may reach beyond
// the chunk, which checkptr would refuse.
//
//go:nocheckptr
func BytesAt(p xunsafe.Pointer, n uintptr) []byte { return (*[SmallBytes]byte)(p)[:n:n] }

// clearNoscan zeroes [from, to) of a chunk without pointers.
//
// SAFETY: the range lies in the chunk.
func clearNoscan(base xunsafe.Pointer, from, to uintptr) {
	clear(unsafe.Slice((*byte)(unsafe.Add(base, from)), to-from))
}

// Memory with pointers that is taken back is cleared from its end, clearPiece bytes at
// a time, half of the smallest first-level caches: what was written last is still in the
// cache, and what is cleared last is what the next cycle begins with. What is further
// than clearNear from the beginning is in no cache by then, and goes in large pieces, in
// which processors need not read a line before they clear it.
const (
	clearPiece = 16 << 10
	clearNear  = 2 << 20
)

// clearStep is how many of the last of left bytes, more than clearPiece, are cleared
// next.
func clearStep(left, size uintptr) uintptr {
	piece := uintptr(clearPiece)
	if left > 2*clearNear {
		piece = clearNear
	}
	return max(piece/size, 1) * size
}

// clearPointers zeroes [from, to), whole values of any type with pointers, with the write
// barriers that they need. A function of each type would be in no cache where a cycle
// ends that used many.
//
// SAFETY: assumption A8.
func clearPointers(base xunsafe.Pointer, from, to uintptr) {
	clear(unsafe.Slice((*xunsafe.Pointer)(unsafe.Add(base, from)), (to-from)/xunsafe.SizeOf[uintptr]()))
}

// clearsPointers says that assumption A8 holds: [clearPointers] clears memory of every type.
// No check at start-up can tell, so it is off on toolchains that the suite has not run on: each
// type's own function clears its memory there.
const clearsPointers = Tested
