package machine

import (
	"reflect"
	"unsafe"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// laneMemory is the part of a lane that depends on its type. It is an interface
// because a value of one without fields costs nothing to make: functions of a
// type would be closures, two for each lane.
type laneMemory interface {
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

// flatMemory is the memory of the lanes without pointers.
type flatMemory struct{}

func (flatMemory) make(bytes uintptr) xunsafe.Pointer           { return MakeFlat(bytes) }
func (flatMemory) clear(base xunsafe.Pointer, from, to uintptr) { clearFlat(base, from, to) }
func (flatMemory) move(to, from xunsafe.Pointer, bytes uintptr) { moveFlat(to, from, bytes) }
func (flatMemory) clone(base xunsafe.Pointer, off, n uintptr) xunsafe.Pointer {
	return cloneFlat(base, off, n)
}
func (flatMemory) typ() reflect.Type { return nil }

// typedMemory is the memory of T's lane. Each of its methods has its work in itself: a
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

// reflectMemory is the memory of the lane of a type that was met by reflection
// first.
type reflectMemory struct {
	t        *Type
	view, to reflect.Value // of the slices below, made when they are first needed
	a, b     Slice         // slices of t, set by whoever works with the views
}

// look makes the views, which few of the arenas need that are dropped after one epoch.
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

// MakeFlat allocates a chunk of n bytes, a multiple of 8, that the collector
// does not scan, zeroed.
func MakeFlat(n uintptr) xunsafe.Pointer {
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

// moveFlat copies so many bytes of chunks without pointers.
//
// SAFETY: both ranges lie in chunks.
func moveFlat(to, from xunsafe.Pointer, bytes uintptr) {
	copy(unsafe.Slice((*byte)(to), bytes), unsafe.Slice((*byte)(from), bytes))
}

// cloneFlat returns a copy on the heap of n bytes at offset off of a chunk without
// pointers, aligned to FlatAlign as they are.
//
// SAFETY: the range lies in the chunk. The heap aligns objects of a multiple of
// FlatAlign bytes to that, and those of 16 bytes and more whatever their size.
func cloneFlat(base xunsafe.Pointer, off, n uintptr) xunsafe.Pointer {
	s := unsafe.Slice((*byte)(unsafe.Add(base, off)), n)
	pad := off % FlatAlign
	if pad == 0 && n >= 16 {
		c := make([]byte, len(s))
		copy(c, s)
		return unsafe.Pointer(unsafe.SliceData(c))
	}
	p := unsafe.Add(MakeFlat(RoundUp(pad+n, FlatAlign)), pad)
	copy(unsafe.Slice((*byte)(p), n), s)
	return p
}
