//go:build linux || darwin

package suite

import (
	"syscall"
	"testing"
)

// limitMemory limits the address space of the process, if the system supports it.
func limitMemory(t *testing.T, bytes uint64) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		t.Fatal(err)
	}
	limit.Cur = bytes
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		t.Log(err)
	}
}
