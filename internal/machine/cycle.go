package machine

import (
	"github.com/ebbpool/arena/internal/check"
)

// The end of a cycle. Region.Empty visits the active allocators. emptyUsual is the fast path for most typed allocators,
// empty the slow path, and chooseKept its slow path if there are several chunks to choose from. flush then moves released
// chunks to the cache. The policy is in retention.go.

// Empty ends the cycle: it takes back all values and makes all marks stale. It returns the number of bytes that the
// cycle used.
func (r *Region) Empty() (used uintptr) {
	rec := r.RegionRecord
	switch {
	case rec.detached != nil:
		return r.endIsolated()
	case rec.heap:
		return r.endHeap()
	}
	noscan := &r.Noscan
	used = noscan.UserBytes()
	held := noscan.empty(rec.MaxRetained)
	most, busiest := uintptr(0), r.Types.Busiest
	allocators := r.Types.active()
	for i := 0; i < len(allocators); i++ {
		al := allocators[i]
		if n := al.used(); al.isUsual(n, rec.MaxRetained) {
			al.emptyUsual(n)
			if n > most {
				most, busiest = n, al
			}
			used += n
			held += al.cap
			continue
		}
		n := al.usedBytes()
		if n == 0 && al.isIdle() {
			if al.retention.idle++; al.retention.idle == idleCycles {
				r.deactivate(al)
				allocators = allocators[:len(allocators)-1] // the last one has taken its place
				i--
				continue
			}
			held += al.cap
			continue
		}
		n -= al.redzoneBytes()
		if n > most {
			most, busiest = n, al
		}
		used += n
		stays := al.empty(rec.MaxRetained)
		if al.retention.wasInactive {
			r.deactivate(al)
			allocators = allocators[:len(allocators)-1]
			i--
			continue
		}
		held += stays
		al.retention.idle = 0
	}
	if busiest != r.Types.Busiest { // usually no write barrier
		r.Types.Busiest = busiest
	}
	if held += r.Types.inactiveHeld; held > rec.MaxRetained {
		held = r.shrink(held)
	}
	if rec.maps != nil {
		used += rec.maps.endCycle(rec.MaxRetained - held)
		held += rec.others
	}
	rec.highWater = max(rec.highWater, used)
	rec.resets++
	if cap(rec.marks.positions) != 0 {
		rec.marks.clear(max(rec.MaxRetained/8, marksRetained))
	}
	if c := rec.cache; len(rec.released) != 0 || c != nil && c.owned() && held+c.Bytes() > rec.MaxRetained {
		r.flush(held)
	}
	if rec.resets%cacheTick == 0 && rec.cache != nil {
		rec.cache.tick()
	}
	if check.Tag {
		r.check()
	}
	return used
}

// CheckFree panics if a redzone was overwritten. Callers that end a cycle call it before they change anything.
func (r *Region) CheckFree() { r.Noscan.checkFrom(0) }

// empty ends the allocator's cycle. It keeps one chunk of at most limit bytes, and returns its size.
func (al *Allocator) empty(limit uintptr) (held uintptr) {
	if check.On && al.usedBytes() != 0 {
		// Memory that is never reused detects every stale use.
		al.recordUse()
		al.Drop()
		return 0
	}
	al.tip = 0
	r := &al.retention
	if used := al.used(); len(al.full)|len(al.free) != 0 || r.top != 0 || !r.keeps(al.cap) || al.cap > limit {
		al.chooseKept(limit)
	} else {
		r.learn(used)
		if r.target > joinedAtOnce {
			r.compare(used)
		}
		if used != 0 { // takeBack, without the call for noscan memory
			if al.ops.zeroes && al.Lo != 0 {
				if clearsPointers && al.Lo <= clearPiece {
					clearPointers(al.Base, 0, al.Lo)
				} else {
					al.ops.clear(al.Base, 0, al.Lo)
				}
			}
			al.chunk.fold()
			al.Lo, al.Hi = 0, al.cap
		}
	}
	return al.cap
}

// isUsual reports whether emptyUsual may end the cycle of this typed allocator, which used used bytes of its current
// chunk.
//
//go:norace
func (al *Allocator) isUsual(used, limit uintptr) bool {
	r := al.allocatorRecord
	return clearsPointers && !check.Watched && used-1 < smallKept && r.retention.keeps(al.cap) && al.cap <= limit &&
		r.retention.top == 0 && !r.retention.wasInactive && len(r.full)|len(r.free)|int(r.retention.idle) == 0
}

// emptyUsual is the fast path of empty.
func (al *Allocator) emptyUsual(used uintptr) {
	al.allocatorRecord.retention.learn(used)
	al.tip = 0
	clearPointers(al.Base, 0, al.Lo)
	al.clean = max(al.clean, al.Lo)
	al.Lo = 0
}

// chooseKept is the slow path of empty, for more than one chunk or one of the wrong size.
func (al *Allocator) chooseKept(limit uintptr) {
	r := &al.retention
	first := r.target == 0
	need := max(al.needBytes(), r.top)
	r.top = 0
	r.learn(need)
	r.compare(need)
	r.target = min(r.target, limit)
	size := min(r.target, r.mostInOne())
	least := size
	if size > smallKept { // otherwise the missing bytes would be too few for a cached chunk
		least -= size / 8
	}
	join := len(al.full) != 0 && size == r.target && r.alike == settled && !r.joined
	switch {
	case join:
		least, r.joined = size, true
	case size > joinedAtOnce || size == limit:
		least = 0 // pieces do as well
	}
	size = max(size, min(r.start, limit))
	was := al.full
	all := append(append(was, al.chunk), al.free...)
	clear(al.free)
	al.chunk, al.free, al.fullUsed = chunk{}, al.free[:0], 0
	best := -1
	for i := range all {
		n := all[i].cap
		if n == 0 || n < least || n > limit || !r.keeps(n) {
			continue
		}
		if best < 0 || all[best].cap < size && n > all[best].cap || n >= size && n < all[best].cap {
			best = i // the smallest that is large enough, or else the largest
		}
	}
	// The cache has no use for pieces that the next cycle replaces by one chunk, or for the chunks of a first
	// cycle if none fits. It has no use for a single chunk of the wrong size, unless other arenas may need it.
	useful := best >= 0 || !first && !join && (len(all) > 1 || al.pooled())
	for i := range all {
		if i == best {
			al.chunk = all[i]
			al.takeBack(&al.chunk, 0, al.cap)
		} else {
			al.releaseChunk(all[i], useful)
		}
	}
	clear(was) // the lists keep no chunks alive
	clear(all)
	if al.full = all[:0]; cap(all) > mostListed {
		al.full = nil
	}
}

// flush moves the released chunks to the cache, and drops chunks that exceed MaxRetained together with the chunks that
// the arena and its forks keep. held is the number of bytes that this region keeps.
func (r *Region) flush(held uintptr) {
	h, q := &r.home, r.Noscan.ops.quota
	if h.cache == nil {
		h.cache = new(Cache)
	}
	left := uintptr(0) // bytes
	for i := range h.released {
		left += h.released[i].cap
	}
	retained := held + h.cache.Bytes()
	if q != nil {
		retained = q.arena.held.Load() + q.arena.flushed.Load() - left
	}
	if after := retained + left; after > r.MaxRetained && h.cache.owned() { // evict older chunks first
		n := h.cache.Bytes()
		r.ShrinkCache(n - min(n, after-r.MaxRetained))
		retained -= n - h.cache.Bytes()
	}
	room := r.MaxRetained - min(r.MaxRetained, retained)
	for i := range h.released {
		x := &h.released[i]
		if x.cap > room {
			q.release(x.cap, 1)
			continue
		}
		room -= x.cap
		x.allocator.takeBack(&x.chunk, 0, x.cap)
		switch {
		case q == nil:
		case h.cache.owned():
			q.held -= x.cap
		default:
			q.part(x.cap)
			if q.IdleForks != nil {
				q.arena.flushed.Add(x.cap)
			}
		}
		h.cache.add(x.allocator, x.chunk)
	}
	clear(h.released)
	h.released = h.released[:0]
}

// idleCycles is the number of consecutive cycles without a use after which an allocator becomes inactive. Reactivating
// one costs about as much as visiting a few active ones. An allocator that becomes active after an inactive cycle becomes
// inactive again at the end of that cycle, so that small cycles pay nothing for a large one among them.
const idleCycles = 3

// shrink releases the largest chunks of the allocators, which are empty and keep held bytes, until at most MaxRetained
// bytes are left. It returns the bytes left.
func (r *Region) shrink(held uintptr) uintptr {
	held -= r.Types.inactiveHeld
	r.dropInactiveChunks()
	for held > r.MaxRetained {
		largest := &r.Noscan
		for _, al := range r.Types.active() {
			if al.cap > largest.cap {
				largest = al
			}
		}
		held -= largest.cap
		largest.releaseChunk(largest.chunk, true)
		largest.chunk = chunk{}
	}
	return held
}
