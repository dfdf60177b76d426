package guard

import (
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// Cycle says where a cycle began and ended. It is an object of its own, so that
// what keeps it keeps no arena alive.
type Cycle struct {
	Began, Ended Stack
	How          string          // it ended, "" while it goes on
	dead         xunsafe.Pointer // what its dead pointers point to

	// Misuse is called with the first use of the cycle's memory after its end that is
	// found; nil in checked builds, which panic.
	Misuse func(Find)
	found  atomic.Bool

	Route atomic.Pointer[string] // of the request that the cycle is of, nil for none
}

// Sampled reports whether any pool of the program ever guarded cycles in plain builds.
var Sampled atomic.Bool

// Found reports a use of the cycle's memory after its end, if it is the first.
func (e *Cycle) Found(f Find) {
	if e != nil && e.Misuse != nil && e.found.CompareAndSwap(false, true) {
		e.Misuse(f)
	}
}

// Stack is where a function was called.
type Stack struct {
	pcs [16]uintptr
	n   int
}

// Record notes the callers of the caller's caller, and skip more.
func (s *Stack) Record(skip int) { s.n = runtime.Callers(3+skip, s.pcs[:]) }

// PCs returns the stack for runtime.CallersFrames.
func (s *Stack) PCs() []uintptr { return s.pcs[:s.n:s.n] }

// String lists the calls outside of this module's core, as a panic does.
func (s *Stack) String() string {
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

const module = "github.com/ebbpool/arena"

// ours reports whether a call is one of the library's own, tests aside.
func ours(f runtime.Frame) bool {
	own := strings.HasPrefix(f.Function, module+".") || strings.HasPrefix(f.Function, module+"/internal/machine.") ||
		strings.HasPrefix(f.Function, module+"/internal/check.") || strings.HasPrefix(f.Function, module+"/internal/guard.")
	return own && !strings.HasSuffix(f.File, "_test.go") || f.Function == "runtime.goexit"
}

// Called returns the name of this module's function that the program has called: the outermost in the
// calling goroutine's stack above which only functions of the module are.
func Called() string {
	name := "allocation"
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for {
		f, more := frames.Next()
		if !ours(f) || !more {
			return strings.TrimPrefix(name, "Arena.")
		}
		if rest, ok := strings.CutPrefix(f.Function, module+"."); ok {
			name = strings.NewReplacer("(*", "", ")", "", "[...]", "").Replace(rest)
		}
	}
}

// History says where the cycle began and ended, "" for nil.
func (e *Cycle) History() string {
	if e == nil {
		return ""
	}
	text := "\nthe arena's cycle began at:" + e.Began.String()
	if e.How != "" {
		text += "\nand " + e.How + " took memory back at:" + e.Ended.String()
	}
	return text
}
