package arena

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync/atomic"

	"github.com/ebbpool/arena/internal/cgroup"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/guard"
	"github.com/ebbpool/arena/internal/machine"
)

// This file has the settings of a pool and of the program: modes, isolation and limits, and their effect on an
// arena that Get hands out. How Get and Put treat an arena depends on the pool's config and on the arena's kind:
//
//	Get       no config, no mode of the program:  take
//	          else:                               checkout: begin the kind, apply the config
//	Put       end the kind, which undoes the config

// config is the configuration that Get applies. It is immutable; setters replace it.
type config struct {
	perArena uintptr // limit of each arena; 0: none
	total    bool    // all arenas that are in use have a limit together
	rate     int     // one Get in rate keeps its stack; 0: none
	misuse   misuseSampling
	isolates bool

	environment fromEnvironment // the source of the limits
}

// noConfig is the configuration of a pool that has none.
var noConfig config

// configure replaces the pool's config. If nothing is left to apply, Get finds a nil pointer.
func (p *ArenaPool) configure(change func(*config)) {
	p.begin()
	p.mu.Lock()
	defer p.mu.Unlock()
	c := noConfig
	if old := p.config.Load(); old != nil {
		c = *old
	}
	change(&c)
	next := &c
	if c.isZero() {
		next = nil
	}
	p.config.Store(next)
	for q := range p.keys.all {
		q.config.Store(next)
	}
}

// isZero reports whether Get has nothing to apply. misuse has a function, which does not compare.
func (c *config) isZero() bool {
	return c.perArena == 0 && !c.total && c.rate == 0 && c.misuse.rate == 0 && !c.isolates && c.environment == fromEnvironment{}
}

// kind says how the memory of an arena is used from Get to Put. Each kind has a begin, which
// Get calls, and an end, which Put calls.
type kind uint8

const (
	plain    kind = iota // kept warm, and used again: take, endPlain
	isolated             // used again once the collector has shown that nothing refers to it
	guarded              // made unusable at Put: pool_misuse.go
	onHeap               // each value is on the Go heap
)

// kindOf returns the kind of the next arena.
func (p *ArenaPool) kindOf(c *config) kind {
	switch mode := modes.Load(); {
	case mode&(off|unknownLayout) != 0:
		return onHeap
	case c.misuse.picks():
		return guarded
	case check.On: // which hands no memory out twice anyway
		return plain
	case c.isolates || mode&isolate != 0:
		return isolated
	}
	return plain
}

// checkout is Get for a pool that has a config, and while the program has a mode.
//
//go:noinline
func (p *ArenaPool) checkout(c *config) (a *Arena) {
	if c == nil {
		c = &noConfig
	}
	switch p.kindOf(c) {
	case plain:
		a = p.take()
	case isolated:
		a = p.beginIsolated()
	case guarded:
		a = p.beginGuarded(&c.misuse)
	case onHeap:
		a = p.beginHeap()
	}
	st := a.owner.stats
	st.config = c
	if c.misuse.rate != 0 && st.kind != onHeap {
		st.faults = guard.PanicOnFault() // for every arena: the goroutine may use memory of an earlier one
	}
	if c.perArena != 0 || c.total {
		q := a.quota()
		q.SetLimit(c.perArena)
		if st.Held() > a.region.MaxRetained {
			q.DropIdle() // retained before there was this limit
		}
		if c.total && !st.BeginCount(p.stats) {
			q.DropIdle()
		}
	}
	if c.rate == 1 || c.rate > 1 && rand.IntN(c.rate) == 0 {
		st.sample.Store(takeSample(st, c.rate))
	}
	return a
}

// undoConfig takes back at Put what checkout applied, and a limit of the arena's own.
func (p *ArenaPool) undoConfig(a *Arena) {
	st := a.owner.stats
	if st.Limit.Load() != 0 {
		a.quota().SetLimit(0)
	}
	if st.config == nil {
		return
	}
	st.config = nil
	st.restoreFaults()
	st.EndCount(p.stats)
	if s := st.sample.Swap(nil); s != nil {
		s.end()
	}
}

// endPlain is Put for a plain arena.
func (p *ArenaPool) endPlain(a *Arena) {
	p.empty(a)
	p.undoConfig(a)
	p.keep(a)
}

// empty ends the cycle of a, which Put has, and counts its bytes.
func (p *ArenaPool) empty(a *Arena) {
	var used uintptr
	if a.forks == nil {
		used = a.region.Empty()
	} else {
		used = a.emptyForked("Put")
	}
	if st := a.owner.stats; st.used.Add(used) {
		p.takeUsed(st)
	}
}

// keep makes a, which Put has emptied, available to Get.
func (p *ArenaPool) keep(a *Arena) {
	if p.evicted.Load() {
		p.leave(a.owner.stats)
		return
	}
	x := a.owner.idle
	a.owner.idle = nil
	if check.On {
		// An arena that is never used again finds every stale use.
		if a = a.successor(); a == nil {
			return
		}
	}
	x.arena = a
	check.RaceLeave(x)
	p.arenas.Put(x)
}

// leave notes that the pool drops the arena of st.
//
//go:norace
func (p *ArenaPool) leave(st *arenaStats) {
	p.lock()
	st.leaving = true
	p.retained.leaving++
	p.unlock()
}

// modes are settings of all pools of the program.
var modes atomic.Uint32

const (
	off           = 1 << iota // SetEnabled(false)
	isolate                   // SetIsolation(true)
	unknownLayout             // the runtime's layout is not the one that the library knows
)

func init() {
	switch value := os.Getenv("EBBPOOL"); value {
	case "":
	case "off":
		modes.Store(off)
	case "isolated":
		modes.Store(isolate)
	default:
		os.Stderr.WriteString("arena: unknown value of EBBPOOL: " + strconv.Quote(value) + " (known: off, isolated)\n")
	}
	setMode(unknownLayout, !machine.LayoutOK)
}

func setMode(mode uint32, on bool) {
	if on {
		modes.Or(mode)
	} else {
		modes.And(^mode)
	}
}

// SetEnabled disables all pools of the program, or enables them again, at any time. While
// they are disabled, the arenas that Get returns take each value from the Go heap, where
// the collector frees it when nothing refers to it. Limits, statistics and leak counts go on
// working; they count the bytes of all values since the last Reset or Put, also of values that
// the collector has freed. This makes it possible to check whether arenas cause a production
// problem without rebuilding.
//
// Arenas that are in use stay what they are until their Put, and idle ones wait. Arenas of
// NewArena belong to no pool and are not affected.
//
// A program whose environment has EBBPOOL=off starts with all pools disabled.
func SetEnabled(on bool) { setMode(off, !on) }

// SetIsolation has all pools of the program isolate requests, like
// [ArenaPool.SetIsolation], or follow their own settings again. It may be called at any time,
// for example while looking for code that keeps memory of another request. It takes effect for
// each arena at its next Get.
//
// A program whose environment has EBBPOOL=isolated starts so.
func SetIsolation(on bool) { setMode(isolate, on) }

// mode returns PoolStats.Mode.
func (p *ArenaPool) mode() string {
	c, mode := p.config.Load(), modes.Load()
	switch {
	case mode&(off|unknownLayout) != 0:
		return "heap"
	case c != nil && c.isolates || mode&isolate != 0:
		return "isolated"
	}
	return "plain"
}

// beginHeap returns a new arena in heap mode. It is used for one request: a Map or Buffer that
// outlives that by Escape goes on with it.
func (p *ArenaPool) beginHeap() *Arena {
	a := p.newArena()
	a.region.BeginHeap()
	st := a.owner.stats
	st.kind = onHeap
	st.Take()
	if check.On {
		a.region.Watch.Begin()
	}
	return a
}

// endHeap is Put for an arena in heap mode.
func (p *ArenaPool) endHeap(a *Arena) {
	p.empty(a)
	p.undoConfig(a)
	p.leave(a.owner.stats)
}

// SetIsolation has the pool hand out memory again only when the collector has shown that
// nothing refers to it. For a request whose arena was taken after that, every promise of
// the heap holds: what is kept of it too long, a pointer, a string, a slice, a map, a
// fork or the arena itself, leads to what it led to before, or to zeros, for ever, and
// to nothing of another request; what is written there nobody else sees; and an arena
// that is used after its Put allocates for itself. Reset and Release, too, end what they
// end without giving it to anybody; Rewind has the same request use its memory again.
//
// What it can't do: a goroutine that is in a function of the arena at the very moment in
// which another one calls Put is a data race, as ever, and may get memory that the next
// request gets. PoolStats counts it where it is seen, with arenas that are used later.
//
// It costs what new memory costs, though an arena takes it in pieces that last for many
// requests: about as many bytes as the request uses, and one allocation of the heap in
// three to seven requests. An idle arena holds as much as some 40 to 80 requests use, within its
// maxRetained; where that is less, requests allocate more often. Forks are made anew for
// each request, an Allocator calls New, and codecs use each builtin map once.
//
// SetIsolation may be called at any time; it holds for an arena from its next Get on.
// SetIsolation(false), too, gives what the pool's arenas have then to the collector.
func (p *ArenaPool) SetIsolation(on bool) {
	if p != nil {
		p.begin()
		p.configure(func(c *config) { c.isolates = on })
	}
}

// beginIsolated returns an isolated arena.
func (p *ArenaPool) beginIsolated() *Arena {
	a := p.take()
	if st := a.owner.stats; st.kind != isolated {
		st.kind = isolated
		a.forgetForks()
		a.region.Isolate(p.isolated)
	}
	return a
}

// endIsolated is Put for an isolated arena. Another one goes on in its place, unless the pool
// isolates no more.
func (p *ArenaPool) endIsolated(a *Arena) {
	p.empty(a)
	p.undoConfig(a)
	c := p.config.Load()
	if c != nil && c.isolates || modes.Load()&isolate != 0 {
		a = p.replace(a)
	} else {
		a.owner.stats.kind = plain
		a.region.Isolate(nil)
	}
	p.keep(a)
}

// arenaBatch has arenas of which each is for one request: one that is used after its Put
// leads to nothing that others have. They are made together, since each has to be new.
type arenaBatch struct {
	used int
	of   [42]Arena // 8 KB, of which a size class of the heap wastes next to nothing
}

// replace returns the arena that goes on in place of a, which was put back. What is used of
// a from here on goes on alone.
func (p *ArenaPool) replace(a *Arena) *Arena {
	st := a.owner.stats
	h := a.owner.batch
	switch {
	case h == nil:
		// The account is closed when what all its arenas lie in by turns is collected.
		st.moves.Store(true)
		runtime.AddCleanup(a.owner.idle, ended, end{p.self, st, true})
		h = new(arenaBatch)
	case h.used > 1 && h.of[h.used-2].region.WasEntered():
		a.region.Entered()
	}
	if h.used == len(h.of) {
		h = new(arenaBatch)
	}
	b := &h.of[h.used]
	h.used++
	a.region.Detach(&b.region)
	b.owner, a.owner = a.owner, owner{pool: p, stats: &spent}
	b.owner.batch = h
	if b.printer, a.printer = a.printer, nil; b.printer != nil {
		b.printer.arena = b
	}
	return b
}

// SetLimit bounds the memory of the pool's arenas: perArena is the limit, in
// bytes, of each arena that Get hands out, total that of all arenas that are
// out together. 0 is none, for either; negative numbers panic. An allocation
// that would go beyond one of them panics with a *LimitError, in the goroutine
// that asked for it, and touches no other.
//
// total counts the chunks of arenas that are in use, or were leaked and not
// collected yet, and of their forks, also of forks that have ended. Idle arenas don't
// count; Get gives the chunks of one to the collector if they don't fit into the total
// any more. Get itself never fails. A total costs each Get and Put one atomic addition to memory that all cores
// share; beyond that, limits are only looked at when an arena needs a chunk.
//
// Set limits before the first Get. A limit that is set later holds for an arena from its next
// Get on; a total that replaces another one holds at once. A perArena above total is allowed
// and means little.
func (p *ArenaPool) SetLimit(perArena, total int) {
	arenas, all := checkLimit(p.name()+".SetLimit", perArena), checkLimit(p.name()+".SetLimit", total)
	if p != nil {
		p.configure(func(c *config) { p.limit(c, arenas, all, fromEnvironment{}) })
	}
}

// limit sets the limits in c and in the pool's statistics.
func (p *ArenaPool) limit(c *config, perArena, total uintptr, e fromEnvironment) {
	c.perArena, c.total, c.environment = perArena, total != 0, e
	p.stats.Total.Store(total)
}

// leastTotal is the least total in bytes that SetLimitsFromEnvironment sets: with less
// not even a small request is served.
const leastTotal = 1 << 20

// mostTotal is a limit that no process reaches, exact as a float64.
const mostTotal = 1 << (bits.UintSize - 2)

// fromEnvironment says how a pool's total follows from what the process may have.
type fromEnvironment struct {
	share float64 // of that; 0: the limits are not from the environment
	bytes int64   // the control groups' limit
}

// SetLimitsFromEnvironment sets the pool's limits from the memory that the process may
// have: the total is share of that, at least 1 MB, and one arena with its forks may
// have a quarter of the total. 0.5 suits a server whose memory is mostly its requests'.
//
// What the process may have is the lowest of the Go runtime's memory limit (GOMEMLIMIT,
// debug.SetMemoryLimit) and, on Linux, the limits of its control groups, versions 1 and
// 2. If the memory limit changes, the pool's limits follow after the next collection. The limits of
// control groups are read once, here. A later SetLimit replaces all of this.
//
// It returns an error and changes nothing if share is not above 0 and at most 1, or if
// nothing limits the process's memory. On a nil pool it only checks share.
func (p *ArenaPool) SetLimitsFromEnvironment(share float64) error {
	if !(share > 0 && share <= 1) {
		return fmt.Errorf("arena: %s.SetLimitsFromEnvironment: share %v not in (0, 1]", p.name(), share)
	}
	if p == nil {
		return nil
	}
	e := fromEnvironment{share: share, bytes: math.MaxInt64}
	if n, _ := cgroup.MemoryLimit(os.DirFS("/")); n != 0 {
		e.bytes = n
	}
	total := e.total()
	if total == 0 {
		return errors.New("arena: " + p.name() + ".SetLimitsFromEnvironment: no memory limit")
	}
	p.configure(func(c *config) { p.limit(c, total/4, total, e) })
	return nil
}

// total is the pool's total at this moment, 0 where nothing limits the process.
func (e fromEnvironment) total() uintptr {
	bytes := min(e.bytes, debug.SetMemoryLimit(-1))
	if bytes == math.MaxInt64 {
		return 0
	}
	return uintptr(min(max(e.share*float64(bytes), leastTotal), mostTotal))
}

// followEnvironment sets the limits anew, for the runtime's memory limit may have
// changed.
func (p *ArenaPool) followEnvironment() {
	if c := p.config.Load(); c == nil || c.environment.share == 0 {
		return
	}
	p.configure(func(c *config) {
		if total := c.environment.total(); c.environment.share != 0 {
			p.limit(c, total/4, total, c.environment)
		}
	})
}
