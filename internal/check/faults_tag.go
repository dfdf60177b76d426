//go:build arenacheck

package check

import "runtime/debug"

// catchFaults turns faults of this goroutine into panics, which can be recovered and which ExplainFaults
// explains.
func catchFaults() {
	if faults {
		debug.SetPanicOnFault(true)
	}
}
