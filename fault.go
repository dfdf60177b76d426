package arena

import (
	"errors"

	"github.com/ebbpool/arena/internal/check"
)

// A FaultError is what ExplainFaults panics with. Only programs that are built
// with the tag arenacheck ever see one.
type FaultError struct {
	Addr uintptr // the address that was accessed
	text string
	err  error
}

// Error says which epoch the memory belonged to, and where that began and ended.
func (e *FaultError) Error() string { return e.text }

// Unwrap returns the runtime's error.
func (e *FaultError) Unwrap() error { return e.err }

// ExplainFaults, deferred, says of a fault in this goroutine which arena the
// memory belonged to, and where that was emptied: it panics with a *FaultError.
// It does so in programs that are built with the tag arenacheck, where memory
// that an arena took back is made inaccessible if the system can; in others it
// does nothing. It must be deferred itself, not be called by a deferred function.
//
//	defer arena.ExplainFaults()
//
// ArenaPool.Do does it by itself.
func ExplainFaults() {
	if !check.Tag {
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
	if at, text, ok := check.Explain(err); ok {
		return &FaultError{at, text, err}
	}
	return e
}
