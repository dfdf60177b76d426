//go:build arenacheck || race || asan

package check

import (
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
)

// Tracker records the use of an arena or a slab.
type Tracker struct {
	epoch *epoch // what goes on, or did last
	last  *epoch // the last one that ended
	busy  uint32 // 1 while a call is going on

	cleanup runtime.Cleanup // of an arena from a pool

	releases uint64 // each ends the use of all handles
}

// epoch says where an epoch began and ended. It is an object of its own, so that
// what keeps it keeps no arena alive.
type epoch struct {
	began, ended trace
	how          string  // it ended
	dead         Pointer // with arenacheck: what its dead pointers point to
}

// trace is where a function was called.
type trace struct {
	pcs [16]uintptr
	n   int
}

// here is the caller of the function that called Begin or Ended. The race
// detector's builds leave it out unless the tag asks for it: its reports have
// stacks of their own.
func (s *trace) here() {
	if !Race || Tag {
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
			b.WriteString("\n\t" + f.Function + "\n\t\t" + f.File + ":" + strconv.Itoa(f.Line))
		}
		if !more {
			return b.String()
		}
	}
}

// ours reports whether a call is one of the library's own, tests aside.
func ours(f runtime.Frame) bool {
	const module = "github.com/ebbpool/arena"
	own := strings.HasPrefix(f.Function, module+".") || strings.HasPrefix(f.Function, module+"/internal/machine.") ||
		strings.HasPrefix(f.Function, module+"/internal/check.")
	return own && !strings.HasSuffix(f.File, "_test.go") || f.Function == "runtime.goexit"
}

// Guard notes the cleanup that tells an arena's pool of its end, Unguard stops
// it.
func (t *Tracker) Guard(c runtime.Cleanup) { t.cleanup = c }
func (t *Tracker) Unguard()                { t.cleanup.Stop() }

// Begin starts an epoch.
//
//go:norace
func (t *Tracker) Begin() {
	t.epoch = new(epoch)
	t.epoch.began.here()
}

// Ended notes that an epoch ended, and how; the next one begins.
//
//go:norace
func (t *Tracker) Ended(how string) {
	t.epoch.how = how
	t.epoch.ended.here()
	t.last = t.epoch
}

// History says where the epoch began that is going on, or was the last, and
// where memory was last taken back.
func (t *Tracker) History() string {
	if Race {
		return "" // what has to be read may be what another goroutine writes
	}
	if t.last != nil {
		return t.last.history()
	}
	return t.epoch.history()
}

func (l *epoch) history() string {
	if l == nil {
		return "" // it was made while the checks were off
	}
	text := "\nthe arena's epoch began at:" + l.began.String()
	if l.how != "" {
		text += "\nand " + l.how + " took memory back at:" + l.ended.String()
	}
	return text
}

// Watched says that enter is called. For the race detector it is in all builds:
// it stands there for what the detector does not see.
var Watched = On || Race

// Enter is the beginning of every function that changes what t watches, Leave
// its end. It is in the race detector's sight, so that its reports have the
// function that called it.
func (t *Tracker) Enter(does string) {
	RaceUse(t)
	if On {
		t.Occupy(does)
	}
}

// Occupy is Enter without the race detector.
//
//go:norace
func (t *Tracker) Occupy(does string) {
	catchFaults()
	// Under the race detector this would be an order between the goroutines,
	// and hide from it what it finds by itself.
	if !Race && !atomic.CompareAndSwapUint32(&t.busy, 0, 1) {
		panic("arena: " + does + ": another goroutine is using the arena at this moment; an arena belongs to one goroutine at a time" + t.History())
	}
	if t.epoch != nil && t.epoch.how != "" {
		t.epoch = &epoch{began: t.epoch.began}
	}
}

// Leave is not atomic: only who has entered calls it, and a goroutine that the
// arena is handed to sees it.
func (t *Tracker) Leave() {
	if !Race {
		t.busy = 0
	}
}
