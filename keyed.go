package arena

import (
	"hash/maphash"
	"math"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/guard"
	"github.com/ebbpool/arena/internal/hooks"
	"github.com/ebbpool/arena/internal/machine"
)

// This file has KeyedPool: an ArenaPool for each key, in a hash table that Get reads without a lock. They share the
// limits and counters of another ArenaPool, the base, which hands out no arenas.
//
//	Get    find the key:   take an arena from its pool, as ArenaPool.Get does
//	       else:           enter: lock the base, evict a key if there are too many, add the key
//	Put    put the arena into the pool of its key, or drop it if the key was evicted

// A KeyedPool is an [ArenaPool] that recycles memory only within a key, such as a tenant or a route. Code that keeps
// memory of a request for too long may find later data of the same key there, but never data of another key. Each key
// has its own arenas, chunks and learned sizes. All keys together have one limit, one bound of idle memory and one set
// of statistics.
//
// Keys may come from outside. At most [KeyedPool.SetMaxKeys] of them have memory. If another key needs a place, the
// memory of a key that was not used recently is left to the collector.
//
// Do not use a KeyedPool if most requests have a new key. Each would begin with a new arena; use an ArenaPool with
// [ArenaPool.SetIsolation] instead.
//
// A KeyedPool is safe for concurrent use and must not be copied. The zero KeyedPool is equivalent to NewKeyedPool(0).
// A nil KeyedPool returns nil arenas, which allocate from the heap; its setters only check their arguments.
//
// Compared with an ArenaPool, a Get of a key that has memory needs one more look-up, and no lock.
type KeyedPool[K comparable] struct {
	base  ArenaPool
	once  sync.Once
	seed  maphash.Seed
	table atomic.Pointer[keyTable[K]]
}

// keyTable is a hash table of the keys that have memory. Only code that holds the base's lock changes it. A
// concurrent reader may miss a key, and then searches again with the lock.
type keyTable[K comparable] []atomic.Pointer[keyEntry[K]]

// keyEntry is a key with its pool, in the list of its bucket.
type keyEntry[K comparable] struct {
	next atomic.Pointer[keyEntry[K]]
	key  K
	keyPool
}

// keyPool is the part of a keyEntry that does not depend on the type of keys.
type keyPool struct {
	hash   uint64
	recent atomic.Bool // used again since the clock's hand passed
	pool   ArenaPool
	cache  machine.Cache
}

// keyRing has the pools of all keys, under the base's lock.
type keyRing struct {
	clock     []*keyPool // the keys that have memory, in the order of the hand
	hand      int
	most      int          // keys
	leaving   []*ArenaPool // pools of evicted keys that still have arenas
	evictions uint64
}

// defaultMaxKeys is the number of keys that have memory until SetMaxKeys is called.
const defaultMaxKeys = 1024

// NewKeyedPool returns a pool in which each key has a pool like NewAutoPool(maxRetained).
// maxRetained is in bytes, for each arena; maxRetained <= 0 means 640 KB.
func NewKeyedPool[K comparable](maxRetained int) *KeyedPool[K] {
	p := new(KeyedPool[K])
	if maxRetained > 0 {
		p.base.chunkSize, p.base.maxRetained, p.base.auto = autoChunk, uintptr(maxRetained), true
	}
	p.begin()
	return p
}

// begin completes a KeyedPool before its first use.
func (p *KeyedPool[K]) begin() {
	p.once.Do(func() {
		p.base.keys = &keyRing{most: defaultMaxKeys}
		p.base.begin()
		p.seed = maphash.MakeSeed()
		t := make(keyTable[K], 16)
		p.table.Store(&t)
	})
}

// Get returns an empty arena, which belongs to the caller until Put. It reuses only memory of requests with the same
// key. Get returns nil if p is nil. While pools are disabled, the arena allocates each value from the heap; see
// [SetEnabled].
//
// The key may be in an arena: Get copies a new key, with its strings and the values in its interfaces. Pointers in a
// key compare by address. If the key is an interface, Get panics if its dynamic type is not comparable.
func (p *KeyedPool[K]) Get(key K) *Arena {
	q := p.poolOf(key)
	if q == nil {
		return nil
	}
	// A call of ArenaPool.Get would add a function to the stacks of leak samples.
	if c := q.config.Load(); c != nil || modes.Load() != 0 {
		return q.checkout(c)
	}
	return q.take()
}

// poolOf returns the pool of a key, nil if p is nil.
func (p *KeyedPool[K]) poolOf(key K) *ArenaPool {
	if p == nil {
		return nil
	}
	t := p.table.Load()
	if t == nil {
		p.begin()
		t = p.table.Load()
	}
	hash := maphash.Comparable(p.seed, key)
	e := t.find(hash, key)
	if e == nil {
		e = p.enter(hash, key)
	} else {
		e.use()
	}
	return &e.pool
}

func init() {
	hooks.PoolOf = func(keyed any, key string) any { return keyed.(*KeyedPool[string]).poolOf(key) }
}

// use notes that the key is used again: keys that come once are evicted first.
func (x *keyPool) use() {
	check.RaceBlind()
	if !x.recent.Load() {
		x.recent.Store(true)
	}
	check.RaceSee()
}

// find returns the entry of a key, nil if there is none.
func (t keyTable[K]) find(hash uint64, key K) *keyEntry[K] {
	e := t[hash&uint64(len(t)-1)].Load()
	for e != nil && (e.hash != hash || e.key != key) {
		e = e.next.Load()
	}
	return e
}

// add makes e findable.
func (t keyTable[K]) add(e *keyEntry[K]) {
	bucket := &t[e.hash&uint64(len(t)-1)]
	e.next.Store(bucket.Load())
	bucket.Store(e)
}

// remove returns the entry of x, which it takes out.
func (t keyTable[K]) remove(x *keyPool) {
	at := &t[x.hash&uint64(len(t)-1)]
	for e := at.Load(); e != nil; e = at.Load() {
		if &e.keyPool == x {
			at.Store(e.next.Load()) // readers that are at e still find the rest
			return
		}
		at = &e.next
	}
}

// enter returns the entry of a key that find did not find.
//
//go:noinline
func (p *KeyedPool[K]) enter(hash uint64, key K) *keyEntry[K] {
	e := p.newEntry(hash, key)
	p.base.mu.Lock()
	defer p.base.mu.Unlock()
	t := *p.table.Load()
	if old := t.find(hash, key); old != nil {
		return old
	}
	r := p.base.keys
	p.evict(r.most - 1)
	if len(r.clock) >= len(t) {
		t = p.grow(t)
	}
	r.begin(&p.base, &e.keyPool)
	t.add(e)
	return e
}

// newEntry returns the entry of a new key, which it copies.
func (p *KeyedPool[K]) newEntry(hash uint64, key K) *keyEntry[K] {
	e := &keyEntry[K]{key: key}
	e.hash = hash
	copyKey(reflect.ValueOf(&e.key).Elem())
	return e
}

// copyKey replaces the strings and the values of interfaces in v, a comparable variable, by copies on the heap. Pointers
// compare by address, so their targets may change.
func copyKey(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(strings.Clone(v.String()))
	case reflect.Interface:
		if !v.IsNil() {
			x := reflect.New(v.Elem().Type()).Elem()
			x.Set(v.Elem())
			copyKey(x)
			v.Set(x)
		}
	case reflect.Array:
		for i := range v.Len() {
			copyKey(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			copyKey(reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()) // the field may be unexported
		}
	}
}

// grow doubles the table. The base is locked.
func (p *KeyedPool[K]) grow(t keyTable[K]) keyTable[K] {
	more := make(keyTable[K], 2*len(t))
	for i := range t {
		for e := t[i].Load(); e != nil; {
			next := e.next.Load()
			more.add(e)
			e = next
		}
	}
	p.table.Store(&more)
	return more
}

// evict evicts keys until n are left. The base is locked.
func (p *KeyedPool[K]) evict(n int) {
	r := p.base.keys
	for len(r.clock) > n {
		x := r.victim()
		(*p.table.Load()).remove(x)
		r.evict(x)
	}
}

// Put empties a, as Reset does, and keeps it for a later Get with the same key. If the key was evicted since Get, Put
// leaves the memory to the collector. Values that were allocated from a must not be used after Put. Put(nil) does
// nothing.
//
// Put panics and changes nothing if a was put already, or is not from this pool; see [ArenaPool.Put].
func (p *KeyedPool[K]) Put(a *Arena) {
	if a == nil {
		return
	}
	q := a.owner.pool
	if p == nil || q == nil || q.base != &p.base {
		a.panicForeign("KeyedPool")
	}
	q.Put(a)
}

// Do calls f with an arena of key and puts it back when f returns or panics. f must not put the arena back itself,
// and must not keep values that were allocated from it.
func (p *KeyedPool[K]) Do(key K, f func(*Arena)) {
	a := p.Get(key)
	defer p.Put(a)
	if check.On || guard.Sampled.Load() {
		defer ExplainFaults()
	}
	f(a)
}

// settings returns the base. If p is nil, it returns a new one, so that setters check their arguments.
func (p *KeyedPool[K]) settings() *ArenaPool {
	if p == nil {
		p = new(KeyedPool[K])
	}
	p.begin()
	return &p.base
}

// SetMaxKeys sets the maximum number of keys that have memory, 1,024 by default. If there are more, the memory of a key
// that was not used recently is left to the collector. SetMaxKeys panics if n < 1.
//
// In addition to its arenas, a key takes about 1.2 KB, and 128 bytes for each processor that Go uses.
func (p *KeyedPool[K]) SetMaxKeys(n int) {
	if n < 1 {
		panic("arena: KeyedPool.SetMaxKeys: " + itoa(n) + " keys, want from 1 to " + itoa(math.MaxInt))
	}
	base := p.settings()
	base.mu.Lock()
	defer base.mu.Unlock()
	if base.keys.most = n; p != nil {
		p.evict(n)
	}
}

// SetLimit is [ArenaPool.SetLimit]. The total is for the arenas of all keys together.
func (p *KeyedPool[K]) SetLimit(perArena, total int) { p.settings().SetLimit(perArena, total) }

// SetLimitsFromEnvironment is [ArenaPool.SetLimitsFromEnvironment]. The total is for the arenas of all keys together.
func (p *KeyedPool[K]) SetLimitsFromEnvironment(share float64) error {
	err := p.settings().SetLimitsFromEnvironment(share)
	if p == nil && share > 0 && share <= 1 {
		return nil // as for a nil ArenaPool
	}
	return err
}

// SetMaxIdleBytes is [ArenaPool.SetMaxIdleBytes]. The bound is for the idle memory of all keys together.
func (p *KeyedPool[K]) SetMaxIdleBytes(bytes int) { p.settings().SetMaxIdleBytes(bytes) }

// SetCollectAfter is [ArenaPool.SetCollectAfter]. It counts the bytes that all keys drop.
func (p *KeyedPool[K]) SetCollectAfter(bytes int) { p.settings().SetCollectAfter(bytes) }

// SetIsolation is [ArenaPool.SetIsolation]: it also isolates the requests of one key from each other.
func (p *KeyedPool[K]) SetIsolation(on bool) { p.settings().SetIsolation(on) }

// SetLeakSampling is [ArenaPool.SetLeakSampling].
func (p *KeyedPool[K]) SetLeakSampling(rate int) { p.settings().SetLeakSampling(rate) }

// SetMisuseSampling is [ArenaPool.SetMisuseSampling].
func (p *KeyedPool[K]) SetMisuseSampling(rate int, report func(*MisuseReport)) {
	p.settings().SetMisuseSampling(rate, report)
}

// Leaks is [ArenaPool.Leaks], for all keys.
func (p *KeyedPool[K]) Leaks() []Leak {
	if p == nil {
		return nil
	}
	return p.settings().Leaks()
}

// Stats returns the statistics of all keys together. It visits every arena of every key. The statistics of a nil pool
// are zero.
func (p *KeyedPool[K]) Stats() PoolStats {
	if p == nil {
		return PoolStats{}
	}
	return p.settings().Stats()
}

// begin makes x's pool one of base's, which is locked.
func (r *keyRing) begin(base *ArenaPool, x *keyPool) {
	q := &x.pool
	q.base, q.self = base, weak.Make(q)
	q.chunkSize, q.maxRetained, q.auto = base.chunkSize, base.maxRetained, base.auto
	q.stats, q.isolated, q.cache = base.stats, base.isolated, &x.cache
	q.retained.limit = base.retained.limit
	q.retained.watched = true // by the base
	x.cache.Init(base.stats, base.retained.limit)
	q.config.Store(base.config.Load())
	q.made.Store(true)
	r.clock = append(r.clock, x)
	if !base.retained.watched {
		base.awaitCollection()
	}
}

// victim removes a key from the clock: the next one that was not used since the hand last passed it.
func (r *keyRing) victim() *keyPool {
	for {
		if r.hand >= len(r.clock) {
			r.hand = 0
		}
		x, last := r.clock[r.hand], len(r.clock)-1
		if x.recent.Swap(false) {
			r.hand++
			continue
		}
		r.clock[r.hand] = r.clock[last]
		r.clock[last] = nil
		r.clock = r.clock[:last]
		return x
	}
}

// evict leaves the memory of x to the collector: idle arenas now, others at Put.
func (r *keyRing) evict(x *keyPool) {
	r.evictions++
	r.list(&x.pool)
	x.pool.evict()
}

// evict leaves the idle memory of p to the collector, and makes later calls of Put do the same.
func (p *ArenaPool) evict() {
	p.evicted.Store(true)
	check.RaceBlind()
	p.dropRetained()
	p.cache.Bound(0)
	check.RaceSee()
	for {
		x, _ := p.arenas.Get().(*idleArena)
		if x == nil {
			return // the next two collections drop the arenas of other processors
		}
		st := x.arena.owner.stats
		x.arena = nil
		p.stats.Evicted(st.Held())
		p.leave(st)
	}
}

//go:norace
func (p *ArenaPool) dropRetained() {
	p.mu.Lock()
	p.discard(0, len(p.retained.arenas))
	p.mu.Unlock()
}

// keep notes that q, the pool of an evicted key, has handed out an arena.
func (r *keyRing) keep(base, q *ArenaPool) {
	base.mu.Lock()
	defer base.mu.Unlock()
	r.list(q)
}

// list adds q, the pool of an evicted key, to leaving.
func (r *keyRing) list(q *ArenaPool) {
	if !q.listed {
		q.listed = true
		r.leaving = append(r.leaving, q)
	}
}

// all calls yield for the pool of each key, and of each evicted key that has arenas. The base is locked.
func (r *keyRing) all(yield func(*ArenaPool) bool) {
	if r == nil {
		return
	}
	for _, x := range r.clock {
		if !yield(&x.pool) {
			return
		}
	}
	for _, q := range r.leaving {
		if !yield(q) {
			return
		}
	}
}

// setMaxIdle is ArenaPool.setMaxIdle for all keys.
func (r *keyRing) setMaxIdle(bytes uintptr) {
	for _, x := range r.clock {
		x.pool.mu.Lock()
		x.pool.setMaxIdle(bytes)
		x.pool.mu.Unlock()
	}
}

// addStats adds the statistics of all keys.
func (r *keyRing) addStats(s *PoolStats) {
	for q := range r.all {
		q.mu.Lock()
		s.addCounts(&q.gone)
		q.addArenas(s)
		q.mu.Unlock()
	}
	s.Keys, s.EvictedKeys = len(r.clock), r.evictions
}

// review is ArenaPool.review for all keys of base, which is locked. It adds the counts of evicted keys without arenas
// to base.
//
//go:norace
func (r *keyRing) review(base *ArenaPool, now time.Time) (more bool) {
	for _, x := range r.clock {
		x.pool.mu.Lock()
		x.pool.reviewArenas(now)
		x.pool.mu.Unlock()
	}
	n := 0
	for i, q := range r.leaving {
		r.leaving[i] = nil
		q.mu.Lock()
		if q.listed = q.allStats.len != 0; q.listed {
			r.leaving[n] = q
			n++
		} else {
			base.gone.addCounts(&q.gone)
			q.gone = PoolStats{}
		}
		q.mu.Unlock()
	}
	r.leaving = r.leaving[:n]
	return len(r.clock)+len(r.leaving) != 0
}

// addCounts adds the counts of other arenas, which of has.
//
//go:norace
func (s *PoolStats) addCounts(of *PoolStats) {
	s.Gets += of.Gets
	s.Puts += of.Puts
	s.Misses += of.Misses
	s.Leaked += of.Leaked
	s.Guarded += of.Guarded
	s.Forks += of.Forks
	for i, n := range of.UsedAtPut.Counts {
		s.UsedAtPut.Counts[i] += n
	}
	s.UsedAtPut.Bytes += of.UsedAtPut.Bytes
	s.Unused += of.Unused
}
