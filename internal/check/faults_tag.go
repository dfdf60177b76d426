//go:build arenacheck

package check

import "runtime/debug"

// catchFaults has a fault of this goroutine be a panic, which ExplainFaults
// can say more of, and which can be recovered from.
func catchFaults() {
	if faults {
		debug.SetPanicOnFault(true)
	}
}
