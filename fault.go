package arena

import (
	"errors"
	"runtime"
	"runtime/debug"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/guard"
)

// A FaultError is the panic value of ExplainFaults. Only programs that are built
// with the tag arenacheck, or that call SetMisuseSampling, ever see one.
type FaultError struct {
	Addr uintptr // the address that was accessed
	text string
	err  error
}

// Error says which cycle the memory belonged to, and where that began and ended.
func (e *FaultError) Error() string { return e.text }

// Unwrap returns the runtime's error.
func (e *FaultError) Unwrap() error { return e.err }

// ExplainFaults, deferred, says of a fault in this goroutine which arena the
// memory belonged to, and where that was emptied: it panics with a *FaultError.
// It does so in programs that are built with the tag arenacheck, where memory
// that an arena took back is made inaccessible if the system can, and for guarded
// arenas, see ArenaPool.SetMisuseSampling; else it does nothing. It must be deferred
// itself, not be called by a deferred function.
//
//	defer arena.ExplainFaults()
//
// ArenaPool.Do and package arenahttp do it by themselves.
func ExplainFaults() {
	if !check.Tag && !guard.Sampled.Load() {
		return
	}
	if e := recover(); e != nil {
		panic(explain(e))
	}
}

// explain makes a FaultError of a fault in memory that was taken back, and
// leaves everything else alone.
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

// faultOf returns the fault that the text of a failed type assertion is, where the type
// that it names was read from memory that was taken back; else it returns err.
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
