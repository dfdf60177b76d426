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

// This file has the counts of a pool: its statistics, the counts of each of its arenas, and leaks.

// PoolStats describes a pool at one moment.
type PoolStats struct {
	Gets      uint64 // calls of Get
	Puts      uint64 // arenas put back; Gets - Puts - Leaked - Abandoned are out
	Misses    uint64 // Gets that found no arena and made one
	Leaked    uint64 // arenas that were collected without a Put
	Guarded   uint64 // Gets that returned a guarded arena, see SetMisuseSampling; no Misses
	Abandoned uint64 // arenas of requests that had ended while another goroutine might go on with them: left to the collector, see package arenahttp
	Arenas    int    // arenas that exist, out, idle or not yet noticed to be collected
	Mode      string // what Get returns now: arenas of kind "plain", "isolated" or "heap"; see SetIsolation and SetEnabled
	ChunkSize int    // bytes that a new arena starts with for values without pointers; in a KeyedPool, the first one of a key

	Keys        int    // of a KeyedPool: keys that have memory of their own
	EvictedKeys uint64 // keys whose memory went to the collector, because there were more than SetMaxKeys allows

	// Bytes of chunks, used or not, with those of the arenas' forks: those of forks that
	// have ended, too, which wait for the next ones. Records don't count, see NewArena.
	InUseBytes    int // of the arenas that are out, and of those abandoned until they are collected; what the total of a limit bounds
	RetainedBytes int // of those that lie idle, and SpareBytes; what SetMaxIdleBytes bounds over collections
	SpareBytes    int // of chunks that no arena has: the pool keeps them for the next large requests
	HighWater     int // the most that all of them had together, out and idle, in the last two to four minutes; in a longer time, if Stats was not called for two
	LargestArena  int // the most that one had with its forks, since the pool was made. A limit of three times that refuses no such cycle; below it, slices that grow by Append are refused first

	// Bounds in bytes; 0 is none for a limit, and nothing for what is kept.
	LimitPerArena, LimitTotal int // as SetLimit or SetLimitsFromEnvironment has set them
	MaxIdleBytes              int // as SetMaxIdleBytes has set it
	MaxRetained               int // of each idle arena, as NewArenaPool has it

	// UsedAtPut has the bytes that arenas and their forks had handed out when they were put
	// back: what a chunk size and a limit should suit. Chunks have more.
	UsedAtPut UsedBytes

	// Requests that the pool does not serve. If most are, handlers ask the wrong context for their
	// arena, or none; see docs/adapters.md for routers.
	Unused  uint64 // arenas that were put back without an allocation since Get, or their last Reset
	NoArena uint64 // requests of packages arenahttp and arenafasthttp that never asked for their arena, so they are no Gets

	// Numbers of all arenas and their forks, since the pool was made.
	Forks          uint64 // forks handed out
	Oversize       uint64 // chunks made larger than planned, or beside the current one, for one large value
	Dropped        uint64 // chunks that arenas let go of: at Put what doesn't fit maxRetained or the next cycle, and by other methods
	DroppedBytes   uint64 // of these chunks
	Refused        uint64 // allocations that panicked with a *LimitError
	RefusedByTotal uint64 // of those, by the total of all arenas; the others by the limit of one

	// UsedLate counts arenas that were used after their Put, or by another goroutine
	// during it, of those with SetIsolation, as far as that was seen.
	UsedLate uint64
}

// UsedBytes is a histogram of the bytes that arenas had handed out at Put.
type UsedBytes struct {
	// Counts[i] counts arenas with at most 256<<i bytes, and more than Counts[i-1] counts;
	// the last one counts all with more than 64 MB.
	Counts [machine.UsedClasses]uint64
	Bytes  uint64 // of all of them together
}

// Buckets returns the histogram as metrics have it: upper bounds in bytes, 256, 512 and so
// on to 64 MB, each with the number of arenas that had at most so many.
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

// addUsed adds the counts of an account.
func (s *PoolStats) addUsed(u *machine.Used) {
	u.AddTo(&s.UsedAtPut.Counts, &s.UsedAtPut.Bytes, &s.Unused)
}

// highWater is when a pool's high-water mark last began anew, and what it was before.
type highWater struct {
	began  time.Time
	before uintptr
}

// lately returns the high-water mark of this period and the last, of which now is the
// latest. The pool is locked.
func (h *highWater) lately(s *machine.PoolStats, now time.Time) uintptr {
	if now.Sub(h.began) >= lately {
		h.before, h.began = s.TakeHighWater(), now
	}
	return max(h.before, s.Counts().HighWater)
}

// Stats returns the pool's statistics. It is safe at any time and costs a
// look at every arena of the pool; nothing is counted for it on the way of
// Get and Put but three numbers of each arena's own. A nil pool's are zero.
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

// account is a pool's record of one of its arenas and its forks. It is an object of its
// own, so that it outlives the arena, and fills a cache line, so that counters of two
// cores never share one.
type arenaStats struct {
	machine.ArenaStats // its Gets and Puts, and the bytes of its chunks
	// sample is the stack of the Get of the arena that is out, if it was taken.
	sample atomic.Pointer[sample]

	config *config         // that the Get applied; nil for none
	faults guard.FaultUser // of the Get

	used machine.Used // at Put

	_ [statsPad]byte

	prev, next *arenaStats // in the pool's list

	// seen is the value of Generation after the last collection, the lower half.
	seen    uint32
	leaving bool        // the pool dropped the arena, which was idle
	kind    kind        // of the arena
	moves   atomic.Bool // the arena is isolated, so that another one has the account after each Put
}

// takeUsed takes what st has counted of cycles, for it has no room for more.
//
//go:norace
func (p *ArenaPool) takeUsed(st *arenaStats) {
	p.lock()
	p.gone.addUsed(&st.used)
	st.used.Clear()
	p.unlock()
}

// statsList is a list of accounts, under its pool's lock. What it holds on to
// is the pool's, so the race detector learns nothing from it, see check.RaceBlind.
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

// enlist notes the account of a new arena.
//
//go:norace
func (p *ArenaPool) enlist(st *arenaStats) {
	p.lock()
	p.allStats.add(st)
	p.gone.Misses++
	// All others are out, or where this Get could not reach them: with this one
	// it would have been served.
	p.retained.demand.now = max(p.retained.demand.now, p.allStats.len-p.leaving())
	if !p.retained.watched {
		p.awaitCollection()
	}
	p.unlock()
}

// lock locks the pool for bookkeeping that is no order between the goroutines which use the pool: the race
// detector does not see it. Callers have go:norace.
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

// Leak is a place in the program whose Gets lacked a Put: arenas from there
// were found by the collector.
type Leak struct {
	Count uint64    // such arenas, of those whose stacks were kept
	Stack []uintptr // the stack of the Get, for runtime.CallersFrames
}

// String returns the count and the stack, a line for each function and its
// position, as a goroutine's trace has them.
func (l Leak) String() string {
	var b strings.Builder
	b.WriteString("leaked arenas: " + strconv.FormatUint(l.Count, 10) + ", from a Get called by\n")
	writeStack(&b, l.Stack)
	return b.String()
}

// maxLeaks is from how many places leaks are told apart, so that recursion
// without end does not fill the memory.
const maxLeaks = 1000

// SetLeakSampling makes one Get in rate, picked at random, keep its stack, for
// Leaks and for the profile of live arenas, see package arenapprof. 1 keeps
// all, 0 none, which is how a pool begins; a negative rate panics.
//
// A Get that keeps its stack walks it and allocates, and more for the profile;
// the others pick a random number and allocate nothing. SetLeakSampling may be
// called at any time; arenas that are out keep what they have.
func (p *ArenaPool) SetLeakSampling(rate int) {
	if rate < 0 {
		panic("arena: " + p.name() + ".SetLeakSampling: negative rate " + itoa(rate))
	}
	if p != nil {
		p.configure(func(c *config) { c.rate = rate })
	}
}

// Leaks returns where arenas came from that were collected without a Put, as
// far as SetLeakSampling kept stacks, most of them first. With a rate of n a
// Count of 1 stands for about n leaks; PoolStats.Leaked has their exact number.
// Arenas are found to be leaked only after a collection, a moment later.
//
// Stacks have their 32 innermost functions. What comes from more than 1,000
// places is counted in PoolStats alone.
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

// leaked counts a leak from where s was taken. A KeyedPool has those of all keys.
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

// stackDepth is how many of the innermost callers a sample has.
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
	profile live.Profile // where it was entered, nil for nowhere
}

// takeSample returns the stack of the caller of Get, for the arena of st.
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

// end notes that the arena is out no more.
func (s *sample) end() {
	if s.profile != nil {
		s.profile.Remove(s)
	}
}

// Package arenapprof calls these methods.

func (s *sample) Stack() []uintptr { return s.stack.pcs() }
func (s *sample) Rate() int        { return s.rate }
func (s *sample) Bytes() int       { return int(s.stats.Held()) }
