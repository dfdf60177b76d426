package arena

import (
	"cmp"
	"iter"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/guard"
	"github.com/ebbpool/arena/internal/hooks"
	"github.com/ebbpool/arena/internal/live"
	"github.com/ebbpool/arena/internal/machine"
)

// This file has the statistics of a pool and of each of its arenas, and leaks.

// PoolStats are the statistics of a pool.
type PoolStats struct {
	Gets      uint64 // calls of Get
	Puts      uint64 // arenas put back; Gets - Puts - Leaked - Abandoned arenas are in use
	Misses    uint64 // Gets that made a new arena because none was idle
	Leaked    uint64 // arenas that were collected without a Put
	Guarded   uint64 // Gets that returned a guarded arena, see SetMisuseSampling; not included in Misses
	Abandoned uint64 // arenas left to the collector because a goroutine may still use them after the request; see package arenahttp
	Arenas    int    // arenas that exist, in use, idle or about to be collected
	Mode      string // kind of arenas that Get returns: "plain", "isolated" or "heap"; see SetIsolation and SetEnabled
	ChunkSize int    // chunk size of a new arena in bytes; in a KeyedPool, of the first arena of a key

	Keys        int    // keys of a KeyedPool that have memory
	EvictedKeys uint64 // keys that were evicted because there were more than SetMaxKeys allows

	// Sizes of chunks in bytes, used or not. The chunks of an arena include the chunks of its forks, also
	// of forks that have ended. The records that NewArena describes are not included.
	InUseBytes    int // of arenas in use, and of abandoned arenas until they are collected; bounded by the total of SetLimit
	RetainedBytes int // of idle arenas, and SpareBytes; bounded by SetMaxIdleBytes across collections
	SpareBytes    int // of chunks that belong to no arena, for large requests
	HighWater     int // peak of all arenas together in the last two to four minutes, or longer if Stats was not called for two minutes
	LargestArena  int // peak of one arena since the pool was made; a limit of three times that leaves capacity for growing slices

	// Settings in bytes. A limit of 0 means no limit.
	LimitPerArena, LimitTotal int // see SetLimit and SetLimitsFromEnvironment
	MaxIdleBytes              int // see SetMaxIdleBytes
	MaxRetained               int // of each idle arena; see NewArenaPool

	// UsedAtPut is a histogram of the bytes that arenas and their forks had allocated at Put. Use it to
	// choose a chunk size and a limit. Chunks have more bytes.
	UsedAtPut UsedBytes

	// Requests that did not use the pool. If these are most requests, handlers may ask the wrong context
	// for their arena; see docs/adapters.md.
	Unused  uint64 // arenas put back without an allocation since Get or the last Reset
	NoArena uint64 // requests of packages arenahttp and arenafasthttp that never asked for their arena; not included in Gets

	// Counts of all arenas and their forks since the pool was made.
	Forks          uint64 // calls of Fork
	Oversize       uint64 // chunks made for one large value
	Dropped        uint64 // chunks left to the collector: at Put if they exceed maxRetained or the need, or by other methods
	DroppedBytes   uint64 // bytes of dropped chunks
	Refused        uint64 // allocations that panicked with a *LimitError
	RefusedByTotal uint64 // the part of Refused that exceeded the total limit

	// UsedLate counts uses of isolated arenas after their Put, and by another goroutine during Put, as far
	// as they were detected; see SetIsolation.
	UsedLate uint64
}

// UsedBytes is a histogram of the bytes that arenas had allocated at Put.
type UsedBytes struct {
	// Counts[i] is the number of arenas with at most 256<<i bytes, but more than 128<<i bytes. The last
	// count is the number of arenas with more than 64 MB.
	Counts [machine.UsedClasses]uint64
	Bytes  uint64 // sum
}

// Buckets returns the cumulative histogram: for each upper bound in bytes, from 256 to 64 MB in powers of two, the
// number of arenas that had at most so many bytes.
func (u UsedBytes) Buckets() iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		n := uint64(0)
		for i, count := range u.Counts[:len(u.Counts)-1] {
			if n += count; !yield(256<<i, n) {
				return
			}
		}
	}
}

// Count returns the number of arenas that were counted.
func (u UsedBytes) Count() (n uint64) {
	for _, count := range u.Counts {
		n += count
	}
	return n
}

func init() {
	hooks.NoArena = func(pool any) {
		if p := pool.(*ArenaPool).settings(); p != nil {
			p.noArena.Add(1)
		}
	}
}

// addUsed adds the counts of an arena.
func (s *PoolStats) addUsed(u *machine.Used) {
	u.AddTo(&s.UsedAtPut.Counts, &s.UsedAtPut.Bytes, &s.Unused)
}

// highWater has the begin of the current period of a pool's high-water mark, and the mark of the period before.
type highWater struct {
	began  time.Time
	before uintptr
}

// lately returns the high-water mark of this period and the last one. The pool is locked.
func (h *highWater) lately(s *machine.PoolStats, now time.Time) uintptr {
	if now.Sub(h.began) >= lately {
		h.before, h.began = s.TakeHighWater(), now
	}
	return max(h.before, s.Counts().HighWater)
}

// Stats returns the statistics of the pool. It visits every arena of the pool. The statistics of a nil pool are zero.
func (p *ArenaPool) Stats() PoolStats {
	if p == nil {
		return PoolStats{}
	}
	p.begin()
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.gone
	if p.keys == nil {
		p.addArenas(&s)
	} else {
		p.keys.addStats(&s)
	}
	counts := p.stats.Counts()
	s.HighWater, s.LargestArena = int(p.highWater.lately(p.stats, time.Now())), int(counts.Largest)
	s.LimitTotal, s.MaxIdleBytes, s.MaxRetained = int(counts.Total), int(p.retained.limit), int(p.maxRetained)
	if c := p.config.Load(); c != nil {
		s.LimitPerArena = int(c.perArena)
	}
	s.Oversize, s.Dropped = counts.Oversize, counts.Dropped
	s.Refused, s.RefusedByTotal = counts.Refused, counts.ByTotal
	s.Abandoned, s.DroppedBytes = counts.Abandoned, counts.DroppedBytes
	s.UsedLate = p.isolated.Late()
	s.NoArena = p.noArena.Load()
	s.SpareBytes = int(p.stats.Cached.Load())
	s.RetainedBytes += s.SpareBytes
	s.Mode = p.mode()
	s.ChunkSize = int(p.chunkSize)
	if hint := p.sizeHint.Size(); hint != 0 {
		s.ChunkSize = int(min(hint, p.maxRetained))
	}
	return s
}

// addArenas adds the statistics of p's arenas. p is locked.
func (p *ArenaPool) addArenas(s *PoolStats) {
	for st := range p.allStats.all {
		turns := st.Generation.Load()
		s.Gets += (turns + 1) / 2
		s.Puts += turns / 2
		s.Forks += st.Forks.Load()
		s.addUsed(&st.used)
		if held := int(st.Held()); turns%2 == 1 {
			s.InUseBytes += held
		} else {
			s.RetainedBytes += held
		}
	}
	s.Arenas += p.allStats.len
}

// arenaStats has the statistics of an arena and its forks. It is a separate object, because it outlives the arena,
// and fills cache lines, so that counters of two cores never share one.
type arenaStats struct {
	machine.ArenaStats // its Gets and Puts, and the bytes of its chunks
	// sample is the stack of the last Get if the arena is in use and the Get was sampled.
	sample atomic.Pointer[sample]

	config *config         // applied by Get; nil for none
	faults guard.FaultUser // of the Get

	used machine.Used // at Put

	_ [statsPad]byte

	prev, next *arenaStats // in the pool's list

	// seen has the lower 32 bits of Generation after the last collection.
	seen    uint32
	leaving bool        // the pool dropped the arena
	kind    kind        // of the arena
	moves   atomic.Bool // the arena is isolated: another arena gets these statistics at each Put
}

// statsList is a list of arenaStats, guarded by its pool's lock. The race detector does not see its accesses; see
// check.RaceBlind.
type statsList struct {
	first *arenaStats
	len   int
}

//go:norace
func (l *statsList) add(st *arenaStats) {
	if st.next = l.first; st.next != nil {
		st.next.prev = st
	}
	l.first = st
	l.len++
}

//go:norace
func (l *statsList) remove(st *arenaStats) {
	if st.prev == nil {
		l.first = st.next
	} else {
		st.prev.next = st.next
	}
	if st.next != nil {
		st.next.prev = st.prev
	}
	st.prev, st.next = nil, nil
	l.len--
}

//go:norace
func (l *statsList) all(yield func(*arenaStats) bool) {
	for st := l.first; st != nil && yield(st); st = st.next {
	}
}

// enlist adds the statistics of a new arena.
//
//go:norace
func (p *ArenaPool) enlist(st *arenaStats) {
	p.lock()
	p.allStats.add(st)
	p.gone.Misses++
	// All existing arenas are in use or in the sync.Pool's lists of other Ps. One more is in demand.
	p.retained.demand.now = max(p.retained.demand.now, p.allStats.len-p.leaving())
	if !p.retained.watched {
		p.awaitCollection()
	}
	p.unlock()
}

// lock locks the pool for bookkeeping. The race detector does not see it, because it would hide races between
// goroutines that use the pool. Callers have go:norace.
//
//go:norace
func (p *ArenaPool) lock() {
	check.RaceBlind()
	p.mu.Lock()
}

//go:norace
func (p *ArenaPool) unlock() {
	p.mu.Unlock()
	check.RaceSee()
}

// A Leak is a call of Get whose arenas were collected without a Put.
type Leak struct {
	Count uint64    // sampled arenas
	Stack []uintptr // the stack of the Get, an argument for runtime.CallersFrames
}

// String returns the count and the stack, in the format of a goroutine trace.
func (l Leak) String() string {
	var b strings.Builder
	b.WriteString("leaked arenas: " + strconv.FormatUint(l.Count, 10) + ", from a Get called by\n")
	writeStack(&b, l.Stack)
	return b.String()
}

// maxLeaks is the most stacks that leaks are counted by. It bounds memory, for example if a recursive function leaks.
const maxLeaks = 1000

// SetLeakSampling makes one Get in rate, chosen at random, record its stack for [ArenaPool.Leaks] and for the profile
// of package arenapprof. A rate of 1 records all stacks. 0, the default, records none. SetLeakSampling panics if rate
// is negative.
//
// SetLeakSampling may be called at any time. It does not affect arenas in use. A Get that records its stack
// allocates. Other Gets do not allocate.
func (p *ArenaPool) SetLeakSampling(rate int) {
	if rate < 0 {
		panic("arena: " + p.name() + ".SetLeakSampling: negative rate " + itoa(rate))
	}
	if p != nil {
		p.configure(func(c *config) { c.rate = rate })
	}
}

// Leaks returns the stacks of sampled Gets whose arenas were collected without a Put, in descending order of Count.
// At a rate of n, a Count of 1 represents about n leaks. The exact number of leaks is PoolStats.Leaked. A leak is
// detected shortly after the arena is collected.
//
// Stacks have at most 32 frames. Leaks with more than 1,000 different stacks are counted only in PoolStats.
func (p *ArenaPool) Leaks() []Leak {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	found := make([]Leak, 0, len(p.leaks))
	for s, n := range p.leaks {
		found = append(found, Leak{Count: n, Stack: slices.Clone(s.pcs())})
	}
	slices.SortFunc(found, func(a, b Leak) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), slices.Compare(a.Stack, b.Stack))
	})
	return found
}

// leaked counts a leak of s. The base pool of a KeyedPool has the leaks of all keys.
func (p *ArenaPool) leaked(s *sample) {
	if p.base != nil {
		p = p.base
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.leaks[s.stack]; !known && len(p.leaks) >= maxLeaks {
		return
	}
	if p.leaks == nil {
		p.leaks = map[stack]uint64{}
	}
	p.leaks[s.stack]++
}

// stackDepth is the most frames of a sample.
const stackDepth = 32

type stack [stackDepth]uintptr

func (s *stack) pcs() []uintptr {
	depth := stackDepth
	for depth > 0 && s[depth-1] == 0 {
		depth--
	}
	return s[:depth]
}

// sample is the stack of one Get.
type sample struct {
	stack   stack
	rate    int
	stats   *arenaStats
	profile live.Profile // that has the sample; nil for none
}

// takeSample records the stack of the caller of Get, for the arena of st.
func takeSample(st *arenaStats, rate int) *sample {
	const own = 3 // takeSample, checkout and Get
	s := &sample{rate: rate, stats: st}
	runtime.Callers(own+1, s.stack[:])
	if profile := live.Current.Load(); profile != nil {
		s.profile = *profile
		s.profile.Add(s)
	}
	return s
}

// end removes the sample from its profile.
func (s *sample) end() {
	if s.profile != nil {
		s.profile.Remove(s)
	}
}

// Package arenapprof calls these methods.

func (s *sample) Stack() []uintptr { return s.stack.pcs() }
func (s *sample) Rate() int        { return s.rate }
func (s *sample) Bytes() int       { return int(s.stats.Held()) }
