//go:build linux || darwin

package suite

import (
	"syscall"
	"testing"
)

// limitMemory has the system refuse the process more address space than so many
// bytes, where it can be asked to.
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
