//go:build arenacheck

package arena

import (
	"errors"
	"runtime/debug"
)

// catchFaults has a fault of this goroutine be a panic, which ExplainFaults
// can say more of, and which can be recovered from.
func catchFaults() {
	if faults {
		debug.SetPanicOnFault(true)
	}
}

// explain makes a FaultError of a fault in a protected chunk, and leaves
// everything else alone.
func explain(e any) any {
	err, _ := e.(error)
	var fault interface{ Addr() uintptr }
	if err == nil || !errors.As(err, &fault) || errors.As(err, new(*FaultError)) {
		return e
	}
	at := fault.Addr()
	runs.Lock()
	defer runs.Unlock()
	for r := range runs.all {
		for _, b := range r.buried {
			if at-b.start < b.size {
				return &FaultError{at, "arena: use of memory that an arena has taken back" + b.life.history(), err}
			}
		}
	}
	if dead := tombstone(); dead != nil && at-offsetIn(nil, dead) < tombstoneSize {
		return &FaultError{at, "arena: use of a pointer that was read from memory after an arena took it back", err}
	}
	return e
}
