//go:build unix

package turns

import (
	"syscall"
	"time"
)

// ProcessorTime returns the processor time used by all threads of this process, including the collector's.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
