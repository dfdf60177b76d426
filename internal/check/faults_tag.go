//go:build arenacheck

package check

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

// Explain says what a fault in memory that was taken back means, and at which
// address it was; ok is false for every other error.
func Explain(err error) (at uintptr, text string, ok bool) {
	var fault interface{ Addr() uintptr }
	if !errors.As(err, &fault) {
		return 0, "", false
	}
	at = fault.Addr()
	runs.Lock()
	defer runs.Unlock()
	for r := range runs.all {
		for _, b := range r.protected {
			if at-b.start < b.size {
				return at, "arena: use of memory that an arena has taken back" + b.epoch.history(), true
			}
		}
	}
	text, ok = ExplainPointer(at)
	return at, text, ok
}
