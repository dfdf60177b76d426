//go:build unix

package turns

import (
	"syscall"
	"time"
)

// ProcessorTime returns the processor time that all threads of this process have used, the collector's
// included: other work on the machine doesn't count.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
