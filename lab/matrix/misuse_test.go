package matrix

import (
	"errors"
	"testing"

	"github.com/ebbpool/arena/lab/workloads"
)

// What a child of the use-after-free program left is told apart: a sanitizer's
// report, a fault, a panic, and what it saw.
func TestClassify(t *testing.T) {
	failed := errors.New("exit status 2")
	const race = `==================
WARNING: DATA RACE
Write at 0x00c000126000 by main goroutine:
  example.com/x.pointers.func1()
      /somewhere/misuse.go:99 +0x124

Previous read at 0x00c000126000 by goroutine 7:
  runtime.racereadrange()
      /usr/local/go/src/runtime/race.go:20 +0x1
  example.com/x.look()
      /somewhere/other.go:101 +0x3e
==================
Found 1 data race(s)
`
	const asan = `=================================================================
==7==ERROR: AddressSanitizer: use-after-poison on address 0x4000087fffc0 at pc 0x0000 bp 0x00 sp 0x00
READ of size 8 at 0x4000087fffc0 thread T0
    #0 0x40be in __asan_read /usr/local/go/src/runtime/asan.go:20
    #1 0x59a0 in example.com/x.look /somewhere/misuse.go:101

SUMMARY: AddressSanitizer: use-after-poison
`
	for _, x := range []struct {
		child ended
		want  workloads.Seen
	}{
		{ended{stdout: []byte(`{"Outcome":"still its own value","Detail":"1 of 2"}`)}, workloads.Seen{Outcome: "still its own value", Detail: "1 of 2"}},
		{ended{stdout: []byte(`{"Outcome":"reads zero"}`), stderr: race, err: failed},
			workloads.Seen{Outcome: "race reported", Detail: "write at misuse.go:99, read at other.go:101; what it did: reads zero"}},
		{ended{stderr: race, err: failed}, workloads.Seen{Outcome: "race reported", Detail: "write at misuse.go:99, read at other.go:101"}},
		{ended{stderr: asan, err: failed}, workloads.Seen{Outcome: "asan reported: use-after-poison", Detail: "read of size 8 at misuse.go:101"}},
		{ended{stderr: "accessed data from freed user arena 0x7f00\nfatal error: fault\n[signal SIGSEGV: segmentation violation]\n", err: failed},
			workloads.Seen{Outcome: "fault", Detail: "accessed data from freed user arena 0x…"}},
		{ended{stderr: "unexpected fault address 0xbad\nfatal error: fault\n[signal SIGBUS: bus error]\n", err: failed},
			workloads.Seen{Outcome: "fault", Detail: "unexpected fault address 0x…"}},
		{ended{stderr: "panic: arena: used after Put\n\ngoroutine 1 [running]:\n", err: failed}, workloads.Seen{Outcome: "panic", Detail: "arena: used after Put"}},
		{ended{stderr: "signal: killed", err: errors.New("signal: killed"), late: true}, workloads.Seen{Outcome: TimedOut, Detail: "no result after 3m0s"}},
		{ended{stderr: "fatal error: found bad pointer\n", err: failed}, workloads.Seen{Outcome: Crashed, Detail: "fatal error: found bad pointer (exit status 2)"}},
		{ended{}, workloads.Seen{Outcome: Crashed, Detail: "ended without a result"}},
	} {
		if got := x.child.classify(); got != x.want {
			t.Errorf("%q: got %q, want %q", x.child.stderr, got, x.want)
		}
	}
}
