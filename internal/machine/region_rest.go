package machine

// Inactive allocators. A region meets more and more types, and most of its cycles use few of
// them. So that a cycle pays for those that it uses, an allocator that idleCycles cycles did not use
// becomes inactive: it comes behind the active ones in Types.lanes, has no free memory that a fast path would
// find, and keeps a chunk only if that is small. Empty, Mark, Rewind and the statistics
// visit the active ones. The slow path of an allocation reactivates an allocator (use).
//
//	Types.lanes    +----+----+----+----+----+----+
//	               | active  | inactive          |
//	               +----+----+----+----+----+----+
//	                         ^ active
//
// The active allocators are those of the last cycles. With a list of the current cycle alone, each type would take the
// slow path once in every cycle.

// idleCycles is the number of cycles in a row that must not use an allocator before it becomes inactive. To
// reactivate it costs what a look at a few that are active does. One that was inactive for a cycle or more
// after the one that reactivated it becomes inactive at the end of the next such cycle: small cycles
// pay nothing for a large one among them.
const idleCycles = 3

// use returns l, which was found, as an active allocator.
//
//go:norace
func (r *Region) use(l *Lane) *Lane {
	t := r.Types.laneList
	if int(l.ops.index) < t.active {
		return l
	}
	t.restHeld -= l.cap
	if l.cap != 0 {
		t.restChunks--
	}
	t.restOversize -= l.retention.oversize
	t.swap(int(l.ops.index), t.active)
	t.active++
	l.retention.seldom = l.ops.since != uint32(r.resets) // the last cycle did not use it
	l.retention.idle = 0
	l.Lo, l.Hi = l.begin(), l.cap
	return l
}

// rest makes l, which is empty and has one chunk at most, inactive.
func (r *Region) rest(l *Lane) {
	t := r.Types.laneList
	if l.size() > smallKept {
		l.leaveChunk(l.chunk, true)
		l.chunk = chunk{}
	}
	t.restHeld += l.cap
	if l.cap != 0 {
		t.restChunks++
	}
	t.restOversize += l.retention.oversize
	t.active--
	t.swap(int(l.ops.index), t.active)
	l.Lo, l.Hi = 0, 0
	l.ops.since = 0
	if l.retention.seldom {
		l.retention.seldom = false
		l.ops.since = uint32(r.resets + 1)
	}
}

// shrink makes the allocators, which are empty and keep held bytes, leave their largest chunks until the
// others have MaxRetained bytes at most. It returns what they keep.
func (r *Region) shrink(held uintptr) uintptr {
	held -= r.Types.restHeld
	r.restNothing()
	for held > r.MaxRetained {
		largest := r.FlatLane()
		for _, l := range r.Types.inUse() {
			if l.cap > largest.cap {
				largest = l
			}
		}
		held -= largest.cap
		largest.leaveChunk(largest.chunk, true)
		largest.chunk = chunk{}
	}
	return held
}

// inactiveBytes returns the bytes that the region could do without, beside the chunks of active
// allocators and of its cache: those of inactive ones, and of idle maps.
func (r *Region) inactiveBytes() uintptr {
	return r.Types.restHeld + r.maps.idleBytes()
}

// dropInactive drops the chunks of inactive allocators, and idle maps.
func (r *Region) dropInactive() {
	r.maps.dropIdle(r)
	r.restNothing()
}

// restNothing drops the chunks of inactive allocators.
func (r *Region) restNothing() {
	t := r.Types.laneList
	if t.restHeld == 0 {
		return
	}
	for _, l := range t.lanes[t.active:] {
		if l.cap != 0 {
			l.ops.quota.give(l.size(), 1)
			l.chunk = chunk{}
		}
	}
	t.restHeld, t.restChunks = 0, 0
}
