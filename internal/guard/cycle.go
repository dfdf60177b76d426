package guard

import (
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// Cycle describes the begin and end of a cycle. It is a separate object, so that it keeps no arena alive.
type Cycle struct {
	Began, Ended Stack
	How          string          // name of the function that ended the cycle, "" before its end
	dead         xunsafe.Pointer // value of its dead pointers

	// Misuse is called with the first detected use of the cycle's memory after its end. It is nil in
	// checked builds, which panic.
	Misuse func(Find)
	found  atomic.Bool

	Route atomic.Pointer[string] // of the request, nil for none
}

// Sampled is set when a pool of the program first guards cycles in a plain build.
var Sampled atomic.Bool

// Found calls Misuse for the first use of the cycle's memory after its end. e may be nil.
func (e *Cycle) Found(f Find) {
	if e != nil && e.Misuse != nil && e.found.CompareAndSwap(false, true) {
		e.Misuse(f)
	}
}

// Stack is a call stack.
type Stack struct {
	pcs [16]uintptr
	n   int
}

// Record records the stack of the caller's caller, without its skip innermost frames.
func (s *Stack) Record(skip int) { s.n = runtime.Callers(3+skip, s.pcs[:]) }

// PCs returns the argument for runtime.CallersFrames.
func (s *Stack) PCs() []uintptr { return s.pcs[:s.n:s.n] }

// String returns the calls outside of this module's core, in the format of a goroutine trace.
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

// ours reports whether f is a function of the module's core, and not of a test.
func ours(f runtime.Frame) bool {
	own := strings.HasPrefix(f.Function, module+".") || strings.HasPrefix(f.Function, module+"/internal/machine.") ||
		strings.HasPrefix(f.Function, module+"/internal/check.") || strings.HasPrefix(f.Function, module+"/internal/guard.")
	return own && !strings.HasSuffix(f.File, "_test.go") || f.Function == "runtime.goexit"
}

// Called returns the name of the function of this module that the program called: the outermost frame of the innermost
// frames that are all in the module.
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

// History returns a text with the stacks of the cycle's begin and end. It returns "" if e is nil.
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
