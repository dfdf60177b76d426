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

// This file has the settings of a pool and of the program: modes, isolation and limits. Get and Put depend on the
// pool's config and on the arena's kind:
//
//	Get       without config and mode:  take
//	          otherwise:                checkout: begin the kind, apply the config
//	Put       end the kind, which undoes the config

// config is the configuration that Get applies. It is immutable; setters replace it.
type config struct {
	perArena uintptr // limit of each arena; 0: none
	total    bool    // the arenas in use have a total limit
	rate     int     // of leak sampling; 0: none
	misuse   misuseSampling
	isolates bool

	environment fromEnvironment // the source of the limits
}

// noConfig is the configuration of a pool without settings.
var noConfig config

// configure replaces the pool's config with a copy that change has modified. A zero config is stored as nil.
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

// isZero reports whether Get has nothing to apply. It compares fields because misuse has a func.
func (c *config) isZero() bool {
	return c.perArena == 0 && !c.total && c.rate == 0 && c.misuse.rate == 0 && !c.isolates && c.environment == fromEnvironment{}
}

// kind says how the memory of an arena is used from Get to Put. Each kind has a begin, which
// Get calls, and an end, which Put calls.
type kind uint8

const (
	plain    kind = iota // reused by the next cycle
	isolated             // reused when the collector has found no references
	guarded              // made inaccessible at Put: pool_misuse.go
	onHeap               // each value is on the Go heap
)

// kindOf returns the kind of the next arena.
func (p *ArenaPool) kindOf(c *config) kind {
	switch mode := modes.Load(); {
	case mode&(off|unknownLayout) != 0:
		return onHeap
	case c.misuse.picks():
		return guarded
	case check.On: // checked builds never reuse memory
		return plain
	case c.isolates || mode&isolate != 0:
		return isolated
	}
	return plain
}

// checkout is the slow path of Get, for a pool with a config or a program with a mode.
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
		st.faults = guard.PanicOnFault() // also for plain arenas: the goroutine may use memory of an earlier, guarded one
	}
	if c.perArena != 0 || c.total {
		q := a.quota()
		q.SetLimit(c.perArena)
		if st.Held() > a.region.MaxRetained {
			q.DropIdle() // retained before the limit was set
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

// undoConfig undoes the effects of checkout and of Arena.SetLimit at Put.
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

// empty ends the cycle of a and counts the bytes that it used.
func (p *ArenaPool) empty(a *Arena) {
	var used uintptr
	if a.forks == nil {
		used = a.region.Empty()
	} else {
		used = a.emptyForked("Put")
	}
	a.owner.stats.used.Add(used)
}

// keep makes a, which is empty, available to Get.
func (p *ArenaPool) keep(a *Arena) {
	if p.evicted.Load() {
		p.stats.Evicted(a.owner.stats.Held())
		p.leave(a.owner.stats)
		return
	}
	x := a.owner.idle
	a.owner.idle = nil
	if check.On {
		// An arena that is never reused detects every stale use.
		if a = a.successor(); a == nil {
			return
		}
	}
	x.arena = a
	check.RaceLeave(x)
	p.arenas.Put(x)
}

// leave records that the pool drops the arena of st.
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
	unknownLayout             // the runtime's layout is unknown to the library
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

// SetEnabled disables all pools of the program, or enables them again. It may be called at any time. While pools
// are disabled, arenas from Get allocate each value from the Go heap, where the collector frees it. This makes it
// possible to check whether arenas cause a production problem without rebuilding.
//
// Limits, statistics and leak counts continue to work. They count the bytes of all values since the last Reset or
// Put, including values that the collector has freed.
//
// SetEnabled affects an arena at its next Get. It does not affect arenas from NewArena, which belong to no pool.
//
// A program whose environment has EBBPOOL=off starts with all pools disabled.
func SetEnabled(on bool) { setMode(off, !on) }

// SetIsolation isolates all pools of the program, like [ArenaPool.SetIsolation], or returns them to their own settings. It
// may be called at any time, for example to find code that keeps memory of another request. It affects each arena at its
// next Get.
//
// A program whose environment has EBBPOOL=isolated starts with all pools isolated.
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

// beginHeap returns a new arena in heap mode. It is not reused, because a Map or Buffer that Escape copied may keep
// using it.
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

// SetIsolation enables or disables isolation: an isolated pool reuses memory only after the collector has found no
// reference to it. So a reference that is kept after Put, to a value, a fork or the arena itself, never leads to data of
// another request. It leads to its old value, or to zeros, and writes through it reach no other request. An arena that is
// used after its Put allocates from memory of its own. Reset and Release do not reuse memory either. Rewind lets the same
// request reuse its memory.
//
// Isolation does not protect against data races: a goroutine that is inside a function of the arena during its Put may
// share memory with the next request. PoolStats.UsedLate counts such calls, and uses of an arena after its Put, as far as
// they are noticed.
//
// A request needs new memory for about as many bytes as it uses, but only one heap allocation in three to eight requests,
// because chunks last for many requests. An idle arena holds the memory of 40 to 80 requests, within its maxRetained. If
// that is too little for 40 requests, the pool allocates more often. Forks are made anew for each request, an Allocator
// calls New, and codecs use each builtin map once.
//
// SetIsolation may be called at any time, and affects an arena at its next Get. A change leaves the memory that the pool's
// arenas have then to the collector.
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

// endIsolated is Put for an isolated arena. A new arena takes its place, unless isolation was turned off.
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

// arenaBatch holds new arenas. Each serves one request, so an arena that is used after its Put shares no memory with
// later requests.
type arenaBatch struct {
	used int
	of   [42]Arena // close to a size class of the heap, 8 KB
}

// replace returns the arena that takes the place of a, which was put back. Later uses of a allocate memory of their
// own.
func (p *ArenaPool) replace(a *Arena) *Arena {
	st := a.owner.stats
	h := a.owner.batch
	switch {
	case h == nil:
		// The statistics are closed when the idleArena is collected, which all these arenas share in turn.
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

// SetLimit sets the limits of the pool's arenas in bytes. perArena is the limit of each arena that Get returns, and
// total is the limit of all arenas in use together. 0 means no limit. SetLimit panics if a limit is negative.
//
// An allocation that exceeds a limit panics with a [*LimitError]. It does not affect other arenas. Get never fails.
//
// A limit counts chunks, and the builtin maps that codecs make. total counts arenas in use, leaked arenas until they
// are collected, and their forks, including forks that have ended. Idle arenas do not count. If the chunks of an idle
// arena do not fit the total, Get drops them.
//
// Set limits before the first Get. A later change affects an arena at its next Get, except that a new total replaces an
// old one at once. Limits are checked when an arena needs a chunk or a map. A total also costs each Get and Put one
// atomic addition to shared memory.
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

// leastTotal is the smallest total in bytes that SetLimitsFromEnvironment sets. Less would refuse even small requests.
const leastTotal = 1 << 20

// mostTotal is a limit that no process reaches. It is exact as a float64.
const mostTotal = 1 << (bits.UintSize - 2)

// fromEnvironment has the arguments of a total that depends on the memory limit of the process.
type fromEnvironment struct {
	share float64 // of the memory limit; 0: the limits are not from the environment
	bytes int64   // the limit of the control groups
}

// SetLimitsFromEnvironment sets the pool's limits from the memory limit of the process. The total limit is
// share times the memory limit, but at least 1 MB. The limit of each arena is a quarter of the total. A share of
// 0.5 suits a server that uses most of its memory for requests.
//
// The memory limit is the smaller of the Go runtime's memory limit (GOMEMLIMIT, [debug.SetMemoryLimit]) and, on
// Linux, the limits of the control groups, versions 1 and 2. The pool's limits follow changes of the runtime's limit
// after the next collection. The limits of the control groups are read once. A later SetLimit replaces both limits.
//
// SetLimitsFromEnvironment returns an error and changes nothing if share is not in (0, 1], or if the process has no
// memory limit. In the latter case, set GOMEMLIMIT or call SetLimit. On a nil pool it only checks share.
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

// total returns the pool's total limit for the current memory limit, 0 if there is none.
func (e fromEnvironment) total() uintptr {
	bytes := min(e.bytes, debug.SetMemoryLimit(-1))
	if bytes == math.MaxInt64 {
		return 0
	}
	return uintptr(min(max(e.share*float64(bytes), leastTotal), mostTotal))
}

// followEnvironment updates the limits after a change of the runtime's memory limit.
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
