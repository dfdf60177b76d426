package machine

import (
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ebbpool/arena/internal/check"
)

// A Cache holds empty chunks that belong to no allocator: for all arenas of a pool, or for one arena and its forks.
//
// At the end of a cycle an allocator keeps one chunk (retention.go) and moves the others to the cache. An allocator
// that needs a chunk asks the cache before the heap. A chunk is used only for the type that it was made for, so memory
// stays type-stable. Chunks that were not taken for maxAge generations are evicted.
//
// Chunks in a pool's cache count towards no limit until an arena takes them. Chunks in an arena's own cache count as
// the arena's chunks.
type Cache struct {
	pool  *PoolStats     // nil if an arena owns the cache
	limit atomic.Uintptr // of bytes, in a pool's cache
	bytes atomic.Uintptr // of all chunks

	mu         sync.Mutex
	noscan     cachedChunks
	scan       map[reflect.Type]*cachedChunks
	chunks     int
	generation uint32
	ticks      uint32    // in this generation
	began      time.Time // begin of this generation, set by Age
}

// cachedChunks are the chunks of one type, by size class. The newest chunk is last.
type cachedChunks [][]cachedChunk

type cachedChunk struct {
	chunk
	generation uint32 // in which it was added
}

const (
	// cacheLeast is the size of the smallest chunk that is cached, in bytes.
	cacheLeast = 512

	// maxAge is the number of generations after which an unused chunk is evicted. A generation is
	// cacheTick cycles of an arena with its own cache, so that chunks that one cycle in 100 needs stay,
	// or cacheTick * poolTicks cycles of a pool's arenas. Without requests it is generationPeriod.
	maxAge           = 5
	cacheTick        = 32
	poolTicks        = 16
	generationPeriod = 15 * time.Second
)

// home receives the chunks that the allocators of a region do not keep.
type home struct {
	cache       *Cache          // the pool's, or the arena's own, which the first chunk creates
	MaxRetained uintptr         // the most bytes of chunks that the arena and its own cache keep at the end of a cycle
	released    []releasedChunk // at the end of this cycle
	ofParent    bool            // the region is a fork's, and cache belongs to its parent
	oversize    uint64          // chunks made larger than planned, for one value
}

// releasedChunk is a chunk on its way from an allocator to the cache.
type releasedChunk struct {
	allocator *Allocator
	chunk
}

// owned reports whether the cache belongs to an arena.
func (c *Cache) owned() bool { return c.pool == nil }

// Bytes returns the size of all chunks in bytes.
func (c *Cache) Bytes() uintptr {
	if c == nil {
		return 0
	}
	return c.bytes.Load()
}

// list returns the chunks of al's type. If there are none, it returns nil unless create is set. The cache is locked.
func (c *Cache) list(al *Allocator, create bool) *cachedChunks {
	if !al.Typed() {
		return &c.noscan
	}
	t := al.ops.typ()
	x := c.scan[t]
	if x == nil && create {
		if c.scan == nil {
			c.scan = map[reflect.Type]*cachedChunks{}
		}
		x = new(cachedChunks)
		c.scan[t] = x
	}
	return x
}

// take returns a chunk for al of least to most bytes: the smallest chunk that has ideal bytes, or else the largest one.
// It returns a chunk without memory if there is none.
func (c *Cache) take(al *Allocator, least, ideal, most uintptr) (got chunk) {
	if c.bytes.Load() == 0 {
		return got
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.list(al, false)
	if list == nil {
		return got
	}
	first, last := cacheClass(least), min(cacheClass(most), len(*list)-1)
	middle := min(max(cacheClass(ideal), first), last+1)
	for class := middle; class <= last && got.Base == nil; class++ {
		got = list.pop(class, least, most)
	}
	for class := middle - 1; class >= first && got.Base == nil; class-- {
		got = list.pop(class, least, most)
	}
	if got.Base != nil {
		c.chunks--
		c.remove(got.cap)
	}
	return got
}

// reserve counts n bytes if the cache has room for them.
func (c *Cache) reserve(n uintptr) bool {
	if !c.owned() {
		if limit := c.limit.Load(); c.pool.Cached.Add(n) > limit {
			c.pool.Cached.Add(-n)
			return false
		}
	}
	c.bytes.Add(n)
	return true
}

// remove undoes reserve(n).
func (c *Cache) remove(n uintptr) {
	c.bytes.Add(-n)
	if !c.owned() {
		c.pool.Cached.Add(-n)
	}
}

// pop takes the newest chunk of a class that has least to most bytes.
func (x cachedChunks) pop(class int, least, most uintptr) (got chunk) {
	stack := x[class]
	for i := len(stack) - 1; i >= max(0, len(stack)-4); i-- { // chunks of the first and last class may not fit
		if n := stack[i].cap; n < least || n > most {
			continue
		}
		got = stack[i].chunk
		copy(stack[i:], stack[i+1:])
		stack[len(stack)-1] = cachedChunk{}
		x[class] = stack[:len(stack)-1]
		break
	}
	return got
}

// add adds an empty chunk of al. If the limit of a pool's cache does not allow that, the chunk is dropped.
func (c *Cache) add(al *Allocator, x chunk) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reserve(x.cap) {
		c.pool.drop(x.cap, 1)
		return
	}
	list, class := c.list(al, true), cacheClass(x.cap)
	for len(*list) <= class {
		*list = append(*list, nil)
	}
	(*list)[class] = append((*list)[class], cachedChunk{x, c.generation})
	c.chunks++
}

// cacheClass returns the class of sizes of n bytes.
func cacheClass(n uintptr) int {
	return max(sizeClass(max(n, 1))-sizeClass(cacheLeast), 0)
}

// tick counts cacheTick cycles of an arena.
func (c *Cache) tick() {
	if c.Bytes() == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ticks++; c.owned() || c.ticks == poolTicks {
		c.ticks = 0
		c.generation++
		c.evict(noLimit)
	}
}

// count returns the number of chunks.
func (c *Cache) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.chunks
}

// Age evicts old chunks, and then more until most bytes are left. It is called after collections. It ages chunks by
// time, because there may be no requests.
func (c *Cache) Age(now time.Time, most uintptr) {
	if check.Race {
		return // the cache is empty, and the lock would hide races between goroutines
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := now.Sub(c.began) / generationPeriod; n > 0 {
		if !c.began.IsZero() {
			c.generation += uint32(min(n, maxAge))
		}
		c.began = now
	}
	c.evict(most)
}

// evict drops chunks that are too old, and then the oldest ones until most bytes are left. It returns their bytes. The
// cache is locked.
func (c *Cache) evict(most uintptr) (evicted uintptr) {
	was := c.bytes.Load()
	for age := uint32(maxAge); ; age-- {
		c.evictList(&c.noscan, age, most)
		for t, list := range c.scan {
			if c.evictList(list, age, most) == 0 {
				delete(c.scan, t)
			}
		}
		if age == 0 || c.bytes.Load() <= most {
			return was - c.bytes.Load()
		}
	}
}

// evictList drops the chunks of a list that are older than maxAge, and chunks of at least the given age until the cache
// has most bytes. It returns the number of remaining chunks.
func (c *Cache) evictList(list *cachedChunks, age uint32, most uintptr) (left int) {
	for class, stack := range *list {
		n := 0
		for n < len(stack) {
			if old := c.generation - stack[n].generation; old <= maxAge && (old < age || c.bytes.Load() <= most) {
				break
			}
			c.chunks--
			c.remove(stack[n].cap)
			if !c.owned() {
				c.pool.drop(stack[n].cap, 1)
			}
			n++
		}
		if n != 0 {
			(*list)[class] = append([]cachedChunk(nil), stack[n:]...)
		}
		left += len(stack) - n
	}
	return left
}

// shrink evicts chunks until most bytes are left, and returns the evicted bytes. c may be nil.
func (c *Cache) shrink(most uintptr) uintptr {
	if c.Bytes() <= most {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.evict(most)
}

// Init makes c, before its first use, a cache of the pool that s counts. bound is the argument of Bound.
func (c *Cache) Init(s *PoolStats, bound uintptr) {
	c.pool = s
	c.limit.Store(bound)
}

// Bound sets the limit of the bytes in all caches of the pool, for chunks that are added to c. If it is 0, arenas add no
// chunks.
func (c *Cache) Bound(bytes uintptr) {
	c.limit.Store(bytes)
	c.shrink(bytes)
}
