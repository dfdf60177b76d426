package machine

// Room is a lane's current chunk, for handles: it stays at one address for as long
// as the lane is its region's, whatever chunk is the current one.
type Room = chunk

// NoRoom is the room of handles that have to ask for each value. It stays empty.
var NoRoom Room

// Room is the room of a lane of a type with pointers.
func (l *Lane) Room() *Room { return &l.chunk }

// RoomOf returns the room that a handle may take Ts from: from Lo, all zero, until
// Lo is Hi, which it meets exactly. It makes the lane of a T with pointers if it
// must, but no chunk.
func RoomOf[T any](r *Region) *Room {
	if l := laneOf[T](r); l.Typed() {
		return l.Room()
	}
	return &NoRoom
}
