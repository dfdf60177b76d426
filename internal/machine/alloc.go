package machine

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// New is the slow path of arena.New: full chunk, first use of T, or a large T. The size of T is not 0.
//
//go:norace
func New[T any](r *Region) *T {
	if r.onHeap(xunsafe.SizeOf[T]()) {
		return new(T)
	}
	al := allocatorOf[T](r)
	c, off := al.reserve(xunsafe.SizeOf[T]())
	al.clearReserved(c, off, off+xunsafe.SizeOf[T]())
	return xunsafe.At[T](c.Base, off)
}

// MakeSlice returns a zero slice of T. The size of T and c are not 0.
func MakeSlice[T any](r *Region, n, c int) []T {
	if r.onHeap(uintptr(c) * xunsafe.SizeOf[T]()) {
		return make([]T, n, c)
	}
	al := allocatorOf[T](r)
	size := uintptr(c) * xunsafe.SizeOf[T]()
	ch, off := al.reserveSlice(size)
	al.clearReserved(ch, off, off+size)
	return SliceAt[T](ch.Base, off, n, c)
}

// MakeSliceUninit is MakeSlice without clearing, for a T without pointers.
func MakeSliceUninit[T any](r *Region, n, c int) []T {
	if r.onHeap(uintptr(c) * xunsafe.SizeOf[T]()) {
		return make([]T, n, c)
	}
	al := allocatorOf[T](r)
	size := uintptr(c) * xunsafe.SizeOf[T]()
	ch, off := al.reserveSlice(size)
	if check.On { // avoids a call of an empty function
		ch.watch.GiveUnwritten(ch.Base, off, off+size)
	}
	return SliceAt[T](ch.Base, off, n, c)
}

// ReserveString reserves n bytes for a string, n > 0, and returns their chunk and offset.
//
//go:norace
func ReserveString(r *Region, n uintptr) (xunsafe.Pointer, uintptr) {
	if r.onHeap(n) {
		return xunsafe.DataOf(make([]byte, n)), 0
	}
	al := allocatorOf[byte](r)
	c, off := al.reserveText(n)
	return c.Base, off
}

// CurrentOf returns the chunk from which a handle allocates Ts: [Lo, Hi) is zero, and consists of whole Ts. It
// creates the typed allocator if necessary, but no chunk.
func CurrentOf[T any](r *Region) *Chunk {
	if r.onHeap(0) {
		return &NoChunk
	}
	if al := allocatorOf[T](r); al.Typed() {
		return al.Current()
	}
	return &NoChunk
}

// allocatorOf returns the allocator of T, which the first call creates.
//
//go:norace
func allocatorOf[T any](r *Region) *Allocator {
	if !r.Ready() {
		r.prepareSlow()
	}
	key := KeyOf((*T)(nil))
	if key.PtrBytes == 0 {
		return &r.Noscan
	}
	if al := r.Types.find(key); al != nil {
		return r.activate(al)
	}
	x := r.Types.firstAllocator()
	if x == nil {
		x = new(typedAllocator)
	}
	return r.addAllocator(x, key, xunsafe.SizeOf[T](), (*typedMemory[T])(nil))
}

// addAllocator initializes x as the allocator of the type key, whose size is size.
func (r *Region) addAllocator(x *typedAllocator, key *TypeDesc, size uintptr, memory memoryOps) *Allocator {
	x.own = allocatorOps{memoryOps: memory, zeroes: true, quota: r.Noscan.ops.quota}
	al := &x.Allocator
	al.allocatorRecord = &x.record
	al.full = x.few[:0]
	al.Key, al.ops, al.watch = key, &x.own, check.NewAllocator(memory.typ(), size)
	al.retention = newTypedRetention(r.chunkSize, size)
	al.home = &r.home
	al.retention.isolates = r.detached != nil
	al.watch.WatchedBy(&r.Watch)
	r.Types.add(al)
	return al
}

// TakeSlice is the fast path of reserveSlice for the noscan allocator. cleared is at least size rounded up to
// NoscanAlign; ok is false if there is no room for it.
func (al *Allocator) TakeSlice(size, cleared uintptr) (off uintptr, ok bool) {
	off = al.Lo
	if off+cleared > al.Hi {
		return 0, false
	}
	al.Lo = off + (size+NoscanAlign-1)&^(NoscanAlign-1)
	al.tip = off + size
	return off, true
}

// TakeElements is the fast path of reserveSlice for a typed allocator. size is a multiple of the element size.
func (al *Allocator) TakeElements(size uintptr) (off uintptr, ok bool) {
	off = al.Lo
	if off+size > al.Hi {
		return 0, false
	}
	al.Lo = off + size
	al.tip = al.Lo
	return off, true
}

// takeObject is the fast path of reserve for the noscan allocator, for objects that ClearBlocks clears.
func (al *Allocator) takeObject(size uintptr) (off uintptr, ok bool) {
	off = al.Lo
	if off+Blocks(size) > al.Hi {
		return 0, false
	}
	al.Lo = off + (size+NoscanAlign-1)&^(NoscanAlign-1)
	return off, true
}

// reserve reserves size bytes, not 0, and returns their chunk and offset.
//
//go:norace
func (al *Allocator) reserve(size uintptr) (*chunk, uintptr) {
	if check.Watched {
		defer al.enter().Leave()
	}
	redzone, n := al.watch.Redzone(), RoundUp(size, al.retention.unit)
	if al.Hi-al.Lo < redzone+n {
		if al.needsOwnChunk(n) {
			c := al.newChunk(redzone+n, 0)
			off := al.takeLow(&c, redzone, size, n) // free chunks may begin behind memory of earlier cycles
			return al.addFull(c), off
		}
		al.grow(redzone + n)
	}
	return &al.chunk, al.takeLow(&al.chunk, redzone, size, n)
}

// takeLow takes n bytes, of which the caller needs size, and a redzone before them from the lower end of
// the free memory of c, and returns their offset.
//
//go:norace
func (al *Allocator) takeLow(c *chunk, redzone, size, n uintptr) (off uintptr) {
	al.addRedzone(c, c.Lo, redzone)
	off = c.Lo + redzone
	c.Lo = off + n
	al.tip = 0
	al.give(c, off, off+size)
	return off
}

// reserveSlice is reserve for a slice, which can be extended until something else is reserved.
//
//go:norace
func (al *Allocator) reserveSlice(size uintptr) (*chunk, uintptr) {
	c, off := al.reserve(size)
	if c == &al.chunk {
		al.tip = off + size
	}
	return c, off
}

// reserveText reserves size bytes at the upper end of a chunk of the noscan allocator.
//
//go:norace
func (al *Allocator) reserveText(size uintptr) (*chunk, uintptr) {
	if check.Watched {
		defer al.enter().Leave()
	}
	redzone := al.watch.TextRedzone(size)
	if al.Hi-al.Lo < redzone+size {
		if al.needsOwnChunk(size) {
			c := al.newChunk(redzone+size, 0)
			off := al.takeHigh(&c, redzone, size)
			return al.addFull(c), off
		}
		al.grow(redzone + size)
	}
	return &al.chunk, al.takeHigh(&al.chunk, redzone, size)
}

// takeHigh takes size bytes and a redzone behind them from the upper end of the free memory of c.
//
//go:norace
func (al *Allocator) takeHigh(c *chunk, redzone, size uintptr) (off uintptr) {
	al.addRedzone(c, c.Hi-redzone, redzone)
	c.Hi -= redzone + size
	al.give(c, c.Hi, c.Hi+size)
	return c.Hi
}

// clearReserved zeroes [from, to) of the chunk c, unless free memory is always zero.
//
//go:norace
func (al *Allocator) clearReserved(c *chunk, from, to uintptr) {
	if !al.ops.zeroes {
		c.clearDirty(from, to)
	}
}

// isCold reports whether the first cycle still has less than the chunk size; see coldStart.
//
//go:norace
func (al *Allocator) isCold() bool {
	return al.retention.cold && al.retention.target == 0 && al.HeldBytes() < al.retention.start && !al.retention.isolates
}

// coldSize returns the size of the next chunk of a cold allocator, which must have room for need bytes.
//
//go:norace
func (al *Allocator) coldSize(need uintptr) uintptr {
	return min(al.retention.start, max(coldStart, al.retention.start/coldPart, coldStep*max(al.HeldBytes(), need)))
}

// grow makes a chunk with room for need bytes the current one. If it panics, the allocator has not changed.
//
//go:norace
func (al *Allocator) grow(need uintptr) {
	var next chunk
	if i := al.nextFree(need); i >= 0 {
		next = al.takeFree(i)
	} else if al.isCold() {
		next = al.newChunk(need, al.coldSize(need))
	} else {
		size := al.nextSize()
		next = al.newChunk(need, size)
		al.retention.plan(size)
	}
	al.setCurrent(next)
}

// setCurrent makes next the current chunk.
//
//go:norace
func (al *Allocator) setCurrent(next chunk) {
	if al.Base != nil {
		if al.used() == 0 {
			al.addFree(al.chunk)
		} else {
			al.addFull(al.chunk)
		}
	}
	al.chunk = next
	al.tip = 0
	if check.Tag {
		al.check()
	}
}

// newChunk returns an empty chunk of want bytes, or of need bytes if need is larger. A limit may make it smaller, but
// not smaller than need. If a limit refuses need, newChunk panics and the allocator has not changed. want is 0 for a
// chunk beside the current one.
//
//go:norace
func (al *Allocator) newChunk(need, want uintptr) chunk {
	large := need > want && !al.plannedFor(need)
	if want != 0 && al.Base == nil {
		want = al.firstSize(want)
	}
	need = RoundUp(need, al.retention.unit)
	n := max(need, min(want, MaxAlloc)/al.retention.unit*al.retention.unit)
	m, keep := al.ops.quota, (*Allocator)(nil)
	if want == 0 {
		keep = al
	}
	least, most := n/4, 2*n
	if al.Base == nil { // the arena will keep this chunk
		least, most = n-n/9, n+n/3
		if n > joinedAtOnce && !al.retention.joined {
			least = n / 8
		}
	}
	c := al.takeCached(need, least, n-n/8, most)
	if c.Base != nil {
		return c
	}
	if m != nil {
		n = m.grant(need, n, al.retention.unit, keep)
	}
	c = chunk{Hi: n, cap: n, cleanEnd: n}
	if m != nil {
		// make panics if the runtime refuses the size.
		defer func() {
			if c.Base == nil {
				m.cancel(n)
				return
			}
			m.commit(n, large)
		}()
	}
	if check.On {
		c.Base = c.watch.Make(&al.watch, n, al.ops.make)
	} else {
		c.Base = al.ops.make(n)
	}
	al.retention.made()
	if large {
		al.home.oversize++
	}
	return c
}

// nextSize returns the planned size of the next chunk of this cycle.
//
//go:norace
func (al *Allocator) nextSize() uintptr {
	if al.retention.isolates {
		return al.retention.isolatedSize()
	}
	if al.Base == nil || al.isCold() {
		return al.retention.first()
	}
	return al.retention.next(al.HeldBytes(), al.home.MaxRetained)
}

// needsOwnChunk reports whether a value that does not fit the current chunk gets a new chunk of its own, while the
// current chunk stays. It does if a quarter of the current chunk is free and the value is so large that there are few
// such chunks.
//
//go:norace
func (al *Allocator) needsOwnChunk(size uintptr) bool {
	free := al.Hi - al.Lo
	if free == 0 || free < al.cap/4 || al.nextFree(size) >= 0 {
		return false
	}
	return size > max(al.nextSize(), al.HeldBytes()/4)/4 && (al.used() != 0 || al.ops.quota.Left() >= size)
}

// takeCached returns a cached chunk of least to most bytes, preferably of ideal bytes, for a value of need bytes. If
// there is none, or if a limit does not allow it, the chunk has no memory.
func (al *Allocator) takeCached(need, least, ideal, most uintptr) chunk {
	if most < cacheLeast || !al.caches() || al.home.cache == nil {
		return chunk{}
	}
	cache, q := al.home.cache, al.ops.quota
	if q != nil && !cache.owned() {
		most = min(most, max(need, q.Left()/share)) // as in grant
	}
	c := cache.take(al, max(least, need), ideal, most)
	switch {
	case c.Base == nil:
		return c
	case q == nil:
	case !cache.owned() && !q.arena.reserve(q.pool, c.cap):
		cache.add(al, c)
		return chunk{}
	default:
		q.adopt(c.cap)
	}
	al.retention.made()
	return c
}
