package machine

// laneMemory is the part of a lane that depends on its type. It is an interface
// because a value of one without fields costs nothing to make: functions of a
// type would be closures, two for each lane.
type laneMemory interface {
	// make allocates a chunk of so many bytes.
	make(bytes uintptr) Pointer
	// clear zeroes [from, to) of a chunk, with the write barriers it needs.
	clear(base Pointer, from, to uintptr)
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

func (flatMemory) make(bytes uintptr) Pointer           { return MakeFlat(bytes) }
func (flatMemory) clear(base Pointer, from, to uintptr) { clearFlat(base, from, to) }

// typedMemory is the memory of T's lane.
type typedMemory[T any] struct{}

func (typedMemory[T]) make(bytes uintptr) Pointer           { return MakeTyped[T](bytes) }
func (typedMemory[T]) clear(base Pointer, from, to uintptr) { ClearTyped[T](base, from, to) }
