package arena

import (
	"errors"
	"runtime"
	"runtime/debug"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/guard"
)

// A FaultError is the panic value of ExplainFaults. Only programs built with the tag arenacheck, or that call SetMisuseSampling, see one.
type FaultError struct {
	Addr uintptr // the address that was accessed
	text string
	err  error
}

// Error says which cycle the memory belonged to, and where that began and ended.
func (e *FaultError) Error() string { return e.text }

// Unwrap returns the runtime's error.
func (e *FaultError) Unwrap() error { return e.err }

// ExplainFaults, deferred, reports for a fault in this goroutine which arena the memory belonged to, and where that took its memory back: it
// panics with a *FaultError. It does nothing unless the program is built with the tag arenacheck, which makes memory inaccessible if the system
// can, or the arena was guarded; see [ArenaPool.SetMisuseSampling]. It must be deferred itself, not called by a deferred function.
//
//	defer arena.ExplainFaults()
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

// explain returns a FaultError for a fault in memory that was taken back, and any other e unchanged.
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

// faultOf returns the fault that the text of a failed type assertion runs into if its type was read from memory that was taken back, else err.
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
