package arena

import (
	"io"
	"log"
	"math/rand/v2"
	"runtime"
	"strings"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/guard"
	"github.com/ebbpool/arena/internal/machine"
)

// MisuseReport describes a use of an arena's memory after its Put that
// SetMisuseSampling found. Stacks are for runtime.CallersFrames.
type MisuseReport struct {
	Addr uintptr   // what was accessed, or a pointer led to; 0 for an allocation from an arena that was put back
	Get  []uintptr // the stack of the Get
	Put  []uintptr // the stack of the Put, or of the Reset or Release before it that ended the use's cycle
	Use  []uintptr // the stack of the use
	Text string    // what was found

	// Route is that of the request that the arena was taken for, where package arenahttp did
	// so: the pattern that its http.ServeMux had for it, else its path.
	Route string
}

// String returns the text, the route and the three stacks, as a goroutine's trace has them.
func (r *MisuseReport) String() string {
	var b strings.Builder
	b.WriteString(r.Text)
	if r.Route != "" {
		b.WriteString("\nthe arena was taken for " + r.Route)
	}
	for _, s := range []struct {
		what  string
		stack []uintptr
	}{{"used at", r.Use}, {"the arena was taken at", r.Get}, {"and took its memory back at", r.Put}} {
		b.WriteString("\n" + s.what + ":\n")
		writeStack(&b, s.stack)
	}
	return b.String()
}

// writeStack writes a line for each function and one for its position.
func writeStack(b *strings.Builder, stack []uintptr) {
	frames := runtime.CallersFrames(stack)
	for {
		f, more := frames.Next()
		if f.PC != 0 {
			b.WriteString(f.Function + "\n\t" + f.File + ":" + itoa(f.Line) + "\n")
		}
		if !more {
			return
		}
	}
}

// misuseSampling is the argument of SetMisuseSampling.
type misuseSampling struct {
	rate   int // one Get in rate is guarded; 0: none
	report func(*MisuseReport)
}

// SetMisuseSampling makes one Get in rate, picked at random, return a guarded arena: one
// whose memory is handed out once, and is made unusable at Put, in a program as it is
// built for production. What uses it later is found at that moment, and reported once for
// each such arena, by a call of report, or by package log where report is nil. 1 guards
// all, 0 none, which is how a pool begins; a negative rate panics. SetMisuseSampling may be
// called at any time. Reset and Release of a guarded arena, and of its forks, end what they
// end in the same way.
//
// Found is each access to a value without pointers, a text or a slice of them, each use of
// a pointer, slice, string, map or interface that was read from a value with pointers,
// and an allocation from the arena itself. Not found is a number that is read from, or
// anything that is written to, a value that has pointers, too: the collector must be able to
// read that memory.
//
// A use is a fault of the processor. If debug.SetPanicOnFault is on in the goroutine, the fault is a panic,
// and the process goes on if something recovers it, as net/http does. The report is made, and the panic
// value becomes a *FaultError, in ArenaPool.Do, in package arenahttp, and in functions that
//
//	defer arena.ExplainFaults()
//
// Get turns on debug.SetPanicOnFault in its goroutine, whether or not the arena is guarded. The Put of the last
// arena that the goroutine has from such pools turns it off again, if it was off before. The setting stays on if
// one of the arenas was guarded, because the uses that sampling finds come after Put, or if the last Put runs in
// another goroutine. Handlers of package arenahttp do the same.
//
// In other goroutines, such as a library's, a fault ends the process without a report; see [LogGuarded].
//
// A guarded arena is new, and costs what a new arena costs, beside a system call for each
// chunk without pointers at Put, and the stacks of Get and Put. All guarded arenas of the program together have at most 16 MB of memory
// without pointers, until the collector has found that nothing leads there; while they have
// half of it, no Get is picked. Memory is made unusable on Linux and macOS; elsewhere only allocations
// from arenas that were put back are found. Programs that are built with -race, -asan or the tag
// arenacheck guard every arena, and SetMisuseSampling does nothing there.
func (p *ArenaPool) SetMisuseSampling(rate int, report func(*MisuseReport)) {
	if rate < 0 {
		panic("arena: " + p.name() + ".SetMisuseSampling: negative rate " + itoa(rate))
	}
	if p == nil || check.On {
		return
	}
	if rate > 0 {
		guard.Sampled.Store(true)
	}
	p.configure(func(c *config) { c.misuse = misuseSampling{rate, report} })
}

// LogGuarded has each Put, Reset and Release of a guarded arena write a record to w before it makes memory
// inaccessible: the addresses, the route, and the stacks of the Get and of the Put. If w is nil, no records
// are written, which is the default.
//
// The records are for faults in goroutines that do not panic on faults, such as a library's. Such a fault
// ends the process before any code of the program can report it. The runtime prints the stack of the use and
// the address, and the record with that address has the rest:
//
//	f, err := os.OpenFile("crash.log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
//	debug.SetCrashOutput(f, debug.CrashOptions{}) // what the runtime prints
//	arena.LogGuarded(f)
//
// A record is one call of Write with about a kilobyte, also from several goroutines one after the other.
// LogGuarded ignores errors of w.
func LogGuarded(w io.Writer) { guard.LogTo(w) }

// picks reports whether the next arena is to be guarded.
func (m *misuseSampling) picks() bool {
	if m.rate == 0 {
		return false
	}
	return (m.rate == 1 || rand.IntN(m.rate) == 0) && guard.Bytes() < machine.MostGuarded/2
}

// restoreFaults ends the PanicOnFault of the Get. After a guarded arena the setting stays on, because the uses that
// sampling looks for come after Put.
func (st *arenaStats) restoreFaults() {
	st.faults.Restore(st.kind == guarded)
	st.faults = guard.FaultUser{}
}

// beginGuarded returns a guarded arena, which is used for one request.
func (p *ArenaPool) beginGuarded(m *misuseSampling) *Arena {
	g := &machine.Guarded{Cycle: new(guard.Cycle)}
	g.Cycle.Began.Record(2) // beginGuarded, checkout
	g.Cycle.Misuse = func(f guard.Find) {
		r := &MisuseReport{Addr: f.Addr, Get: f.Cycle.Began.PCs(), Put: f.Cycle.Ended.PCs(), Use: stackOfUse(), Text: firstLine(f.Text)}
		if route := g.Cycle.Route.Load(); route != nil {
			r.Route = *route
		}
		if m.report == nil {
			log.Print(r)
			return
		}
		m.report(r)
	}
	a := p.newArena()
	a.region.Guard(g)
	a.owner.stats.kind = guarded
	a.owner.stats.Take()
	p.countGuarded()
	return a
}

//go:norace
func (p *ArenaPool) countGuarded() {
	p.lock()
	p.gone.Misses-- // newArena counted one
	p.gone.Guarded++
	p.unlock()
}

// endGuarded is Put for a guarded arena.
func (p *ArenaPool) endGuarded(a *Arena) {
	g := a.region.Guarded()
	a.owner.stats.used.Add(a.region.UsedBytes() + a.usedByForks()) // the first of this account
	g.Cycle.How = "Put"
	g.Cycle.Ended.Record(1)
	a.poison(g.Cycle)
	a.protect()
	p.undoConfig(a)
	p.leave(a.owner.stats)
}

// isGuarded reports whether a is guarded.
func (a *Arena) isGuarded() bool { return guard.Sampled.Load() && a.region.Guarded() != nil }

// endGuardedCycle takes the place of the work of Reset and Release, which how names, for a
// guarded arena or fork: what it has is made unusable, and it goes on with new memory.
func (a *Arena) endGuardedCycle(how string) {
	whole := a.region.Guarded().Cycle // which goes on for a's parent
	e := &guard.Cycle{Began: whole.Began, How: how, Misuse: whole.Misuse}
	e.Ended.Record(1)
	a.poison(e)
	a.protect()
	if a.forks != nil {
		a.forks.out = 0
		a.quota().ForksInUse = 0
		a.dropForks(0)
	}
	a.region.Guard(&machine.Guarded{Cycle: whole})
}

// poison poisons a and its forks, the idle ones, too: they had values before a Rewind.
func (a *Arena) poison(e *guard.Cycle) {
	if a.forks != nil {
		for _, f := range a.forks.list {
			f.poison(e)
		}
	}
	a.region.Poison(e)
}

// protect protects what poison has left.
func (a *Arena) protect() {
	if a.forks != nil {
		for _, f := range a.forks.list {
			f.protect()
		}
	}
	a.region.Guarded().Protect()
}

// stackOfUse returns the stack of the function that a fault ended, or that allocated.
func stackOfUse() []uintptr {
	var pcs [64]uintptr
	stack := pcs[:runtime.Callers(3, pcs[:])]
	for i, pc := range stack {
		if f := runtime.FuncForPC(pc - 1); f != nil && f.Name() == "runtime.sigpanic" {
			return stack[i+1:]
		}
	}
	return stack
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
