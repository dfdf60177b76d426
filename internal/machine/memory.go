package machine

import "reflect"

// laneMemory is the part of a lane that depends on its type. It is an interface
// because a value of one without fields costs nothing to make: functions of a
// type would be closures, two for each lane.
type laneMemory interface {
	// make allocates a chunk of so many bytes.
	make(bytes uintptr) Pointer
	// clear zeroes [from, to) of a chunk, with the write barriers it needs.
	clear(base Pointer, from, to uintptr)
	// move copies so many bytes, whole values, with the write barriers they need.
	move(to, from Pointer, bytes uintptr)
	// clone copies n bytes at offset off of a chunk to the heap.
	clone(base Pointer, off, n uintptr) Pointer
	// typ is the type of the values, nil where it is any without pointers.
	typ() reflect.Type
}

// typedLane is a lane of a type with pointers, in one piece with its laneOps and
// the list of its first full chunks.
type typedLane struct {
	Lane
	own laneOps
	few [2]chunk
}

// flatMemory is the memory of the lanes without pointers.
type flatMemory struct{}

func (flatMemory) make(bytes uintptr) Pointer                 { return MakeFlat(bytes) }
func (flatMemory) clear(base Pointer, from, to uintptr)       { clearFlat(base, from, to) }
func (flatMemory) move(to, from Pointer, bytes uintptr)       { moveFlat(to, from, bytes) }
func (flatMemory) clone(base Pointer, off, n uintptr) Pointer { return cloneFlat(base, off, n) }
func (flatMemory) typ() reflect.Type                          { return nil }

// typedMemory is the memory of T's lane.
type typedMemory[T any] struct{}

func (typedMemory[T]) make(bytes uintptr) Pointer                 { return MakeTyped[T](bytes) }
func (typedMemory[T]) clear(base Pointer, from, to uintptr)       { ClearTyped[T](base, from, to) }
func (typedMemory[T]) move(to, from Pointer, bytes uintptr)       { moveTyped[T](to, from, bytes) }
func (typedMemory[T]) clone(base Pointer, off, n uintptr) Pointer { return cloneTyped[T](base, off, n) }
func (typedMemory[T]) typ() reflect.Type                          { return reflect.TypeFor[T]() }

// reflectMemory is the memory of the lane of a type that was met by reflection
// first.
type reflectMemory struct {
	t        *Type
	view, to reflect.Value // of the slices below, made when they are first needed
	a, b     Slice         // slices of t, set by whoever works with the views
}

// reflectLane is a lane with such memory, in one piece: a new arena pays for each.
type reflectLane struct {
	typedLane
	memory reflectMemory
}

// look makes the views, which few of the arenas need that are dropped after one epoch.
func (m *reflectMemory) look() {
	if !m.view.IsValid() {
		m.view, m.to = sliceVariable(m.t.slices, &m.a), sliceVariable(m.t.slices, &m.b)
	}
}

func (m *reflectMemory) make(bytes uintptr) Pointer {
	n := int(bytes / m.t.Size)
	return reflect.MakeSlice(m.t.slices, n, n).UnsafePointer()
}

// clear goes as ClearTyped does.
func (m *reflectMemory) clear(base Pointer, from, to uintptr) {
	for to-from > clearPiece {
		n := clearStep(to-from, m.t.Size)
		to -= n
		m.clearAt(Addr(base, to), n)
	}
	if from < to { // else it may be the chunk's end: the address of another object
		m.clearAt(Addr(base, from), to-from)
	}
}

func (m *reflectMemory) clearAt(p Pointer, bytes uintptr) {
	n := int(bytes / m.t.Size)
	if Portable {
		reflect.SliceAt(m.t.Reflect, p, n).Clear()
		return
	}
	m.look()
	m.a = Slice{p, n, n}
	m.view.Clear()
	m.a.Data = nil // it holds on to nothing
}

func (m *reflectMemory) move(to, from Pointer, bytes uintptr) {
	n := int(bytes / m.t.Size)
	if Portable {
		reflect.Copy(reflect.SliceAt(m.t.Reflect, to, n), reflect.SliceAt(m.t.Reflect, from, n))
		return
	}
	m.look()
	m.a, m.b = Slice{from, n, n}, Slice{to, n, n}
	reflect.Copy(m.to, m.view)
	m.a.Data, m.b.Data = nil, nil
}

func (m *reflectMemory) typ() reflect.Type { return m.t.Reflect }

// clone uses none of the views: others may work with the region meanwhile.
func (m *reflectMemory) clone(base Pointer, off, n uintptr) Pointer {
	from := Addr(base, off)
	if n == m.t.Size {
		c := reflect.New(m.t.Reflect)
		c.Elem().Set(at(m.t.Reflect, from))
		return c.UnsafePointer()
	}
	many := int(n / m.t.Size)
	c := reflect.MakeSlice(m.t.slices, many, many)
	reflect.Copy(c, reflect.SliceAt(m.t.Reflect, from, many))
	return c.UnsafePointer()
}

// Memory with pointers that is taken back is cleared from its end, clearPiece bytes at
// a time, half of the smallest first-level caches: what was written last is still in the
// cache, and what is cleared last is what the next epoch begins with. What is further
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
