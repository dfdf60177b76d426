// Package testkit has what the tests of several packages share. It knows nothing
// of package arena, whose own tests use it, too.
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

// Main runs a package's tests, as its TestMain.
func Main(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}

// NeedsReuse skips a test of how memory is used again, of how large chunks are,
// or of what happens when memory is used too late, where the checks for misuse
// make that different. Such builds run once more with EBBPOOL_CHECKED=off.
func NeedsReuse(t testing.TB) {
	t.Helper()
	if check.On {
		t.Skip("the checks for misuse are on")
	}
}

// Emulated says that something slower than the processor runs this.
func Emulated() bool { return runtime.GOARCH == "wasm" || os.Getenv("EBBPOOL_EMULATOR") != "" }

// Rounds returns whole; with -short, short; and a quarter of that where the processor is
// emulated, which takes ten times as long.
func Rounds(whole, short int) int {
	switch {
	case !testing.Short():
		return whole
	case Emulated():
		return short / 4
	}
	return short
}

// GoTool is the go command, for a test that builds programs.
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

// Self is the command of this test program with other arguments. Where the
// processor is emulated, so is the child's: scripts/emulated.sh says by what.
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

// WantPanic runs f, which must panic with a text of this package that holds
// every part.
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

// Dirty writes to all of b, up to its capacity.
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

// Round8 is n rounded up to a multiple of 8.
func Round8(n int) int { return (n + 7) &^ 7 }

// HeapText makes a string that only its holder keeps alive.
func HeapText(seed uint64) string { return "heap text " + strconv.FormatUint(seed, 10) }

// Collect runs collections with garbage in between, so that memory that was
// freed by mistake has new contents afterwards.
func Collect(rounds int) {
	for range rounds {
		runtime.GC()
		Churn(200)
	}
}

// CollectUntil collects until done, 100 times at most, and reports whether it is: what is found to
// be dead is told to cleanups some time later.
func CollectUntil(done func() bool) bool {
	for range 100 {
		if runtime.GC(); done() {
			return true
		}
	}
	return false
}

// Churn makes garbage of many sizes, so that memory which was freed by mistake
// is used by someone else.
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

// Finalizers collects n times, and waits each time until the finalizers have run
// of what the collections before found.
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
