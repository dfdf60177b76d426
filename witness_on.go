//go:build arenacheck || race || asan

package arena

import (
	"runtime"
	"strings"
	"sync/atomic"
)

// witness is what the checks remember of an arena or a slab.
type witness struct {
	life *life  // what goes on, or did last
	last *life  // the last one that ended
	busy uint32 // 1 while a call is going on

	cleanup runtime.Cleanup // of an arena from a pool
}

// life says where a life began and ended. It is an object of its own, so that
// what keeps it keeps no arena alive.
type life struct {
	began, ended trace
	how          string // it ended
}

// trace is where a function was called.
type trace struct {
	pcs [16]uintptr
	n   int
}

// here is the caller of this package's caller. The race detector's builds leave
// it out unless the tag asks for it: its reports have stacks of their own.
func (s *trace) here() {
	if !raceEnabled || invariants {
		s.n = runtime.Callers(3, s.pcs[:])
	}
}

// String lists the calls outside of this package, as a panic does.
func (s *trace) String() string {
	var b strings.Builder
	frames := runtime.CallersFrames(s.pcs[:s.n])
	for {
		f, more := frames.Next()
		if f.Function != "" && !ours(f) {
			b.WriteString("\n\t" + f.Function + "\n\t\t" + f.File + ":" + itoa(f.Line))
		}
		if !more {
			return b.String()
		}
	}
}

// ours says whether a call is one of this package's own, tests aside.
func ours(f runtime.Frame) bool {
	return strings.HasPrefix(f.Function, "github.com/ebbpool/arena.") && !strings.HasSuffix(f.File, "_test.go") ||
		f.Function == "runtime.goexit"
}

// begin starts a life.
//
//go:norace
func (w *witness) begin() {
	w.life = new(life)
	w.life.began.here()
}

// ended notes that a life ended, and how; the next one begins.
//
//go:norace
func (w *witness) ended(how string) {
	w.life.how = how
	w.life.ended.here()
	w.last = w.life
}

// history says where the life began that is going on, or was the last, and
// where memory was last taken back.
func (w *witness) history() string {
	if raceEnabled {
		return "" // what has to be read may be what another goroutine writes
	}
	if w.last != nil {
		return w.last.history()
	}
	return w.life.history()
}

func (l *life) history() string {
	if l == nil {
		return "" // it was made while the checks were off
	}
	text := "\nthe arena's life began at:" + l.began.String()
	if l.how != "" {
		text += "\nand " + l.how + " took memory back at:" + l.ended.String()
	}
	return text
}

// watched says that enter is called. For the race detector it is in all builds:
// it stands there for what the detector does not see.
var watched = checked || raceEnabled

// enter is the beginning of every function that changes an arena, leave its
// end. It calls and does nothing else, so that the race detector, in whose sight
// it is, has the function in its reports.
func (a *Arena) enter(does string) {
	a.watch.enter(does)
	a.mustBeOut(does)
}

// mustBeOut panics if the arena was put back. Put changes that while it counts
// as being in the arena.
//
//go:norace
func (a *Arena) mustBeOut(does string) {
	if acct := a.owner.account; checked && acct != nil && acct.turns.Load()%2 == 0 {
		a.watch.leave()
		panic("arena: " + does + ": the arena was put back in its pool, and is not yours any more; Get another one" + a.watch.history())
	}
}

func (w *witness) enter(does string) {
	raceUse(w)
	if checked {
		w.occupy(does)
	}
}

//go:norace
func (w *witness) occupy(does string) {
	catchFaults()
	// Under the race detector this would be an order between the goroutines,
	// and hide from it what it finds by itself.
	if !raceEnabled && !atomic.CompareAndSwapUint32(&w.busy, 0, 1) {
		panic("arena: " + does + ": another goroutine is using the arena at this moment; an arena belongs to one goroutine at a time" + w.history())
	}
	if w.life != nil && w.life.how != "" {
		w.life = &life{began: w.life.began}
	}
}

// leave is not atomic: only who has entered calls it, and a goroutine that the
// arena is handed to sees it.
func (w *witness) leave() {
	if !raceEnabled {
		w.busy = 0
	}
}
