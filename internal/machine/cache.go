package machine

import (
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ebbpool/arena/internal/check"
)

// A Cache holds empty chunks that belong to no allocator: of all arenas of a pool, or of one
// arena and its forks.
//
// At the end of a cycle an allocator keeps one chunk (retention.go) and leaves the others
// here. An allocator that needs another chunk asks the cache before the heap. A chunk is handed
// out for the type that it was made for, so memory stays type-stable. Chunks that nobody took for
// maxAge generations go to the collector.
//
// Chunks in a pool's cache belong to no arena: they count towards no limit until an arena
// takes them. Chunks in an arena's own cache count as the arena's.
type Cache struct {
	pool  *PoolStats     // nil if an arena owns the cache
	limit atomic.Uintptr // most bytes, in a pool's cache
	bytes atomic.Uintptr // of all chunks

	mu         sync.Mutex
	noscan     cachedChunks
	scan       map[reflect.Type]*cachedChunks
	chunks     int
	generation uint32
	ticks      uint32    // in this generation
	began      time.Time // of this generation, where Age was called
}

// cachedChunks are the chunks of one type, by size class. The chunk that came last is last.
type cachedChunks [][]cachedChunk

type cachedChunk struct {
	chunk
	generation uint32 // in which it came
}

const (
	// cacheLeast is the size of the smallest chunk that is cached, in bytes.
	cacheLeast = 512

	// maxAge is the number of generations that a chunk stays without being taken. A
	// generation is cacheTick cycles of an arena with its own cache, so that what one cycle in 100
	// needs stays, or poolTicks times as many of a pool's arenas together. If
	// there are no requests it is generationPeriod.
	maxAge           = 5
	cacheTick        = 32
	poolTicks        = 16
	generationPeriod = 15 * time.Second
)

// home is where the allocators of a region leave chunks.
type home struct {
	cache       *Cache          // the pool's, or the arena's own; nil before the first chunk of that
	MaxRetained uintptr         // the most bytes of chunks that the end of a cycle leaves to the arena and its own cache
	released    []releasedChunk // what the allocators left in the cycle that is ending
	ofParent    bool            // cache is shared with the arena that the region's arena is a fork of
}

// releasedChunk is a chunk that an allocator does not keep, until the end of its region's cycle.
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

// list returns the chunks of al's type, nil if there are none and create is not set. The cache is locked.
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

// take returns a chunk for al from least to most bytes: the smallest that has ideal bytes, or else the
// largest. It returns a chunk without memory if there is none.
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

// remove takes off n bytes that reserve has counted.
func (c *Cache) remove(n uintptr) {
	c.bytes.Add(-n)
	if !c.owned() {
		c.pool.Cached.Add(-n)
	}
}

// pop takes one of the last chunks of a class if it has from least to most bytes.
func (x cachedChunks) pop(class int, least, most uintptr) (got chunk) {
	stack := x[class]
	for i := len(stack) - 1; i >= max(0, len(stack)-4); i-- { // the first and the last class have others, too
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

// add takes an empty chunk of al. A chunk that a pool's cache has no room for goes to the
// collector.
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

// Age evicts chunks that were not taken for long, and others until most bytes are left. It is
// called after collections, and looks at the time because there may be no requests.
func (c *Cache) Age(now time.Time, most uintptr) {
	if check.Race {
		return // the cache is empty, and the race detector must not see whom this waits for
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

// evict leaves chunks to the collector: those that are too old, and then others, from the oldest
// on, until most bytes are left. It returns how many bytes those were. The cache is locked.
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

// evictList leaves the chunks of a list to the collector that are older than maxAge, and those from
// age on until most bytes are left in the cache. It returns how many chunks stay.
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

// shrink evicts chunks until most bytes are left, and returns how many bytes those were.
func (c *Cache) shrink(most uintptr) uintptr {
	if c.Bytes() <= most {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.evict(most)
}

// Init makes c, before its first use, a cache whose chunks count in s, with the chunks of its other caches.
func (c *Cache) Init(s *PoolStats, bound uintptr) {
	c.pool = s
	c.limit.Store(bound)
}

// Bound sets the most bytes that all caches of the pool may have for c to take another chunk. If it is 0, arenas leave
// nothing there.
func (c *Cache) Bound(bytes uintptr) {
	c.limit.Store(bytes)
	c.shrink(bytes)
}
