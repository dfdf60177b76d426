//go:build unix

package jsonbench

import (
	"syscall"
	"time"
)

// processorTime returns the processor time of all threads of this process, including the collector's.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
