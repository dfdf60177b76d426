// Package testkit contains helpers for the tests of several packages. It does not import package arena, whose
// own tests use it.
package testkit

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena/internal/check"
)

// Main implements TestMain.
func Main(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}

// NeedsReuse skips a test that depends on memory reuse, chunk sizes, or the effects of late use, in builds
// whose checks change these. Such builds run again with EBBPOOL_CHECKED=off.
func NeedsReuse(t testing.TB) {
	t.Helper()
	if check.On {
		t.Skip("the checks for misuse are on")
	}
}

// Emulated reports whether the processor is emulated, and so slow.
func Emulated() bool { return runtime.GOARCH == "wasm" || os.Getenv("EBBPOOL_EMULATOR") != "" }

// Rounds returns whole, or short with -short, or a quarter of it on an emulated processor.
func Rounds(whole, short int) int {
	switch {
	case !testing.Short():
		return whole
	case Emulated():
		return short / 4
	}
	return short
}

// GoTool returns the path of the go command. It skips the test if there is none.
func GoTool(t testing.TB) string {
	t.Helper()
	if runtime.GOARCH == "wasm" {
		t.Skip("WebAssembly starts no processes")
	}
	path, err := exec.LookPath("go")
	if err != nil {
		t.Skip("SKIPPED: no go command")
	}
	return path
}

// Self returns a command that runs this test program with other arguments, in an emulator if this process
// runs in one; see scripts/emulated.sh.
func Self(ctx context.Context, t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if runtime.GOARCH == "wasm" {
		t.Skip("WebAssembly starts no processes")
	}
	args = append([]string{os.Args[0]}, args...)
	if emulator := os.Getenv("EBBPOOL_EMULATOR"); emulator != "" {
		args = append([]string{emulator}, args...)
	}
	return exec.CommandContext(ctx, args[0], args[1:]...)
}

// WantPanic checks that f panics with a message of this module that contains every part.
func WantPanic(t *testing.T, f func(), parts ...string) {
	t.Helper()
	defer func() {
		t.Helper()
		switch msg := recover().(type) {
		case nil:
			t.Errorf("no panic, want one with %q", parts)
		case string:
			if !strings.HasPrefix(msg, "arena: ") && !strings.HasPrefix(msg, "fixedpool: ") && !strings.HasPrefix(msg, "arenareflect: ") {
				t.Errorf("panic %q does not begin with its package", msg)
			}
			for _, part := range parts {
				if !strings.Contains(msg, part) {
					t.Errorf("panic %q lacks %q", msg, part)
				}
			}
		default:
			t.Errorf("panic with a %T: %v", msg, msg)
		}
	}()
	f()
}

// Dirty overwrites b up to its capacity.
func Dirty(b []byte) {
	for i := range b[:cap(b)] {
		b[:cap(b)][i] = 0xa5
	}
}

// AllZero reports whether b is zero up to its capacity.
func AllZero(b []byte) bool {
	for _, x := range b[:cap(b)] {
		if x != 0 {
			return false
		}
	}
	return true
}

// Round8 returns n rounded up to a multiple of 8.
func Round8(n int) int { return (n + 7) &^ 7 }

// HeapText returns a new string on the heap.
func HeapText(seed uint64) string { return "heap text " + strconv.FormatUint(seed, 10) }

// Collect runs collections with allocations in between, so that wrongly freed memory has new contents.
func Collect(rounds int) {
	for range rounds {
		runtime.GC()
		Churn(200)
	}
}

// CollectUntil runs up to 100 collections until done returns true, and reports whether it did. Cleanups run
// some time after a collection.
func CollectUntil(done func() bool) bool {
	for range 100 {
		if runtime.GC(); done() {
			return true
		}
	}
	return false
}

// Churn makes garbage of many sizes, so that wrongly freed memory is reused.
func Churn(n int) {
	for i := range n {
		churnSink = append(churnSink[:i%16], HeapText(uint64(i)), make([]byte, 8+i%512), new([4]*int), &struct {
			n int32
			s string
			b [5]byte
		}{})
	}
	churnSink = nil
}

var churnSink []any

// Finalizers runs n collections and waits after each until its finalizers have run.
func Finalizers(t testing.TB, n int) {
	t.Helper()
	for range n {
		done := make(chan bool)
		func() {
			x := new(*int)
			runtime.SetFinalizer(x, func(**int) { close(done) })
		}()
		for tries := 0; ; tries++ {
			runtime.GC()
			select {
			case <-done:
			case <-time.After(time.Second):
				if tries == 30 {
					t.Fatal("no finalizer runs")
				}
				continue
			}
			break
		}
	}
}
