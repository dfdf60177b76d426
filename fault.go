package arena

import (
	"errors"
	"runtime"
	"runtime/debug"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/guard"
)

// A FaultError is the panic value of [ExplainFaults]. It occurs only in programs that call
// [ArenaPool.SetMisuseSampling] or are built with the tag arenacheck.
type FaultError struct {
	Addr uintptr // the address that was accessed
	text string
	err  error
}

// Error describes the cycle that the memory belonged to, with the stacks of its begin and end.
func (e *FaultError) Error() string { return e.text }

// Unwrap returns the runtime's error.
func (e *FaultError) Unwrap() error { return e.err }

// ExplainFaults replaces the panic of a memory fault with a [*FaultError], which describes the arena that the memory
// belonged to. It must be deferred directly, not called by a deferred function:
//
//	defer arena.ExplainFaults()
//
// Memory faults if its arena was guarded, see [ArenaPool.SetMisuseSampling], or if the program is built with the tag
// arenacheck. Otherwise ExplainFaults does nothing.
//
// [ArenaPool.Do] and package arenahttp defer it.
func ExplainFaults() {
	if !check.Tag && !guard.Sampled.Load() {
		return
	}
	if e := recover(); e != nil {
		panic(explain(e))
	}
}

// explain returns a FaultError if e is a fault in guarded memory, and otherwise e.
func explain(e any) any {
	err, _ := e.(error)
	if err == nil || errors.As(err, new(*FaultError)) {
		return e
	}
	if assertion, ok := e.(*runtime.TypeAssertionError); ok {
		err = faultOf(assertion, err)
	}
	if f, ok := guard.Explain(err); ok {
		f.Cycle.Found(f)
		return &FaultError{f.Addr, f.Text, err}
	}
	return e
}

// faultOf returns the fault that occurs when the text of a failed type assertion is made, or err. It occurs if the
// type was read from guarded memory.
func faultOf(assertion *runtime.TypeAssertionError, err error) (fault error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if e, ok := recover().(error); ok {
			fault = e
		}
	}()
	_ = assertion.Error()
	return err
}
