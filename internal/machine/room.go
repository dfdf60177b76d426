package machine

// Chunk is a chunk for handles, which allocate from a lane's current chunk: its
// address stays the same while the lane is its region's, whatever chunk is current.
type Chunk = chunk

// NoChunk is the chunk of handles that take the slow path for each value. It stays
// empty.
var NoChunk Chunk

// Current returns the current chunk of a lane of a type with pointers.
func (l *Lane) Current() *Chunk { return &l.chunk }

// CurrentOf returns the chunk from which a handle may take Ts: [Lo, Hi) is zero, and
// made of whole Ts. It makes the lane of a T with pointers if there is none, but no
// chunk.
func CurrentOf[T any](r *Region) *Chunk {
	if l := laneOf[T](r); l.Typed() {
		return l.Current()
	}
	return &NoChunk
}
