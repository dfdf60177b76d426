package machine

import "github.com/ebbpool/arena/internal/check"

// What a lane needs that belongs to no region: a slab's.

// NewLane returns the lane of a slab of Ts, whose chunks have chunk bytes at
// least. The lane tells w of its epochs.
func NewLane[T any](chunk uintptr, w *check.Tracker) Lane {
	mustBeReadable()
	pointers := HoldsPointers[T]()
	ops := &laneOps{laneMemory: typedMemory[T]{}, zeroes: pointers}
	align := max(SizeOf[T](), 1)
	l := Lane{ops: ops, align: align, watch: check.NewLane[T](align, pointers), retention: newRetention(chunk, align)}
	l.watch.WatchedBy(w)
	return l
}

// Typed reports whether the lane's values have pointers: its room is zero then.
func (l *Lane) Typed() bool { return l.ops.zeroes }

// ChunkSize returns the size of the first chunk that NewLane was given, in bytes.
func (l *Lane) ChunkSize() uintptr { return l.retention.start }

// Grow gives the lane room for need bytes.
func (l *Lane) Grow(need uintptr) { l.grow(need) }

// ClearAhead zeroes [Lo, to), room of a lane without pointers that is about to be
// handed out.
func (l *Lane) ClearAhead(to uintptr) { l.chunk.clearDirty(l.Lo, to) }

// Empty ends the epoch of the lane and keeps at most limit bytes.
func (l *Lane) Empty(limit uintptr) { l.empty(limit) }

// CheckFree is Region.CheckFree for the lane alone.
func (l *Lane) CheckFree() { l.checkFrom(0) }

// Renew gives all memory to the collector and begins anew, with what NewLane
// returned.
func (l *Lane) Renew(fresh Lane) {
	l.Drop()
	fresh.retention.oversize = l.retention.oversize
	*l = fresh
}

// Numbers looks at every chunk.
func (l *Lane) Numbers() Numbers {
	n := Numbers{Used: l.UserBytes(), Held: l.HeldBytes(), Chunks: l.Chunks(), Oversize: l.retention.oversize}
	if l.Typed() {
		n.Types = 1
	}
	return n
}
