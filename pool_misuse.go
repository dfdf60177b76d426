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

// A MisuseReport describes a use of an arena's memory after its Put. Stacks are arguments for
// [runtime.CallersFrames].
type MisuseReport struct {
	Addr uintptr   // the address of the access; 0 for an allocation from an arena that was put back
	Get  []uintptr // the stack of the Get
	Put  []uintptr // the stack of the Put, Reset or Release that ended the cycle
	Use  []uintptr // the stack of the use
	Text string    // a description of the use

	// Route is the route of the request, if package arenahttp took the arena: the pattern of the
	// http.ServeMux, or else the path.
	Route string
}

// String returns the text, the route and the three stacks, in the format of a goroutine trace.
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

// writeStack writes two lines for each frame: the function and its position.
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

// SetMisuseSampling makes one Get in rate, chosen at random, return a guarded arena. The memory of a guarded arena is
// never reused, and becomes inaccessible at Put, Reset or Release. So later uses are found in production builds. The
// first use of each arena is reported by a call of report, or by package log if report is nil.
//
// A rate of 1 guards all arenas. 0, the default, guards none. SetMisuseSampling panics if rate is negative. It may be
// called at any time.
//
// Sampling detects every access to a value without pointers, every use of a pointer, slice, string, map or interface
// that was read from a value with pointers, and every allocation from the arena. It does not detect writes to values
// with pointers, or reads of their numbers, because the collector must be able to read that memory.
//
// A use is a processor fault. If [debug.SetPanicOnFault] is on in the goroutine, the fault is a panic, and the process
// continues if the panic is recovered, for example by net/http. The fault is reported, and the panic value becomes a
// [*FaultError], in ArenaPool.Do, in package arenahttp, and in functions that
//
//	defer arena.ExplainFaults()
//
// Get turns on debug.SetPanicOnFault in its goroutine, whether or not the arena is guarded. The Put of the last
// arena that the goroutine has from such pools turns it off again, if it was off before. The setting stays on if
// one of the arenas was guarded, because the uses that sampling finds come after Put, or if the last Put runs in
// another goroutine. Handlers of package arenahttp do the same.
//
// In other goroutines, such as the goroutines of a library, a fault ends the process without a report; see
// [LogGuarded].
//
// A guarded arena costs a new arena, the stacks of Get and Put, and at Put a system call for each chunk without
// pointers. The guarded arenas of the program have at most 16 MB of memory without pointers together, including memory
// that is not collected yet. While they have more than half of it, no Get is chosen. Memory is made inaccessible on
// Linux and macOS. On other systems, sampling detects only allocations from arenas that were put back. In programs
// built with -race, -asan or the tag arenacheck, SetMisuseSampling does nothing, because every arena is checked.
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

// LogGuarded makes each Put, Reset and Release of a guarded arena write a record to w: the addresses that it makes
// inaccessible, the route, and the stacks of the Get and the Put. If w is nil, the default, no records are written.
//
// The records are for faults in goroutines that do not panic on faults, such as the goroutines of a library. Such a
// fault ends the process before the program can report it. The runtime prints the stack of the use and the address.
// The record that contains the address has the rest:
//
//	f, err := os.OpenFile("crash.log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
//	debug.SetCrashOutput(f, debug.CrashOptions{}) // what the runtime prints
//	arena.LogGuarded(f)
//
// A record is one call of Write with about a kilobyte. Calls are serialized. Errors of w are ignored.
func LogGuarded(w io.Writer) { guard.LogTo(w) }

// picks reports whether the next arena is to be guarded.
func (m *misuseSampling) picks() bool {
	if m.rate == 0 {
		return false
	}
	return (m.rate == 1 || rand.IntN(m.rate) == 0) && guard.Bytes() < machine.MostGuarded/2
}

// restoreFaults undoes the PanicOnFault of the Get. After a guarded arena the setting stays on, because the uses that
// sampling detects come after Put.
func (st *arenaStats) restoreFaults() {
	st.faults.Restore(st.kind == guarded)
	st.faults = guard.FaultUser{}
}

// beginGuarded returns a guarded arena.
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
	a.owner.stats.used.Add(a.region.UsedBytes() + a.usedByForks())
	g.Cycle.How = "Put"
	g.Cycle.Ended.Record(1)
	a.poison(g.Cycle)
	a.protect()
	p.undoConfig(a)
	p.leave(a.owner.stats)
}

// isGuarded reports whether a is guarded.
func (a *Arena) isGuarded() bool { return guard.Sampled.Load() && a.region.Guarded() != nil }

// endGuardedCycle is Reset or Release, as named by how, for a guarded arena or fork. It makes the memory
// inaccessible. The arena continues with new memory.
func (a *Arena) endGuardedCycle(how string) {
	whole := a.region.Guarded().Cycle // continues in a's parent
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

// poison poisons a and all its forks. Idle forks may have had values before a Rewind.
func (a *Arena) poison(e *guard.Cycle) {
	if a.forks != nil {
		for _, f := range a.forks.list {
			f.poison(e)
		}
	}
	a.region.Poison(e)
}

// protect makes the noscan memory of a and its forks inaccessible.
func (a *Arena) protect() {
	if a.forks != nil {
		for _, f := range a.forks.list {
			f.protect()
		}
	}
	a.region.Guarded().Protect()
}

// stackOfUse returns the stack of the fault or of the allocation.
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
