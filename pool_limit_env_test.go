package arena

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena/internal/cgroup"
)

// withMemoryLimit sets the Go runtime's memory limit for one test.
func withMemoryLimit(t *testing.T, bytes int64) {
	before := debug.SetMemoryLimit(bytes)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
}

// granted returns the LimitError of an allocation of the given size, or nil.
func granted(p *ArenaPool, bytes int) (over *LimitError) {
	a := p.Get()
	defer p.Put(a)
	defer func() { errors.As(asError(recover()), &over) }()
	a.AllocBytes(bytes)
	return nil
}

func asError(v any) error { err, _ := v.(error); return err }

// The limits are the documented shares of the memory limit, and follow it. Otherwise a container would be
// killed, or refuse requests for which there is memory.
func TestLimitsFromEnvironment(t *testing.T) {
	if n, file := cgroup.MemoryLimit(os.DirFS("/")); n != 0 && n < 1<<30 {
		t.Skipf("%s has less than this test needs", file)
	}
	p := NewAutoPool(0)
	withMemoryLimit(t, 512<<20)
	if err := p.SetLimitsFromEnvironment(0.25); err != nil {
		t.Fatal(err)
	}
	if over := granted(p, 31<<20); over != nil { // a quarter of 128 MB
		t.Error(over)
	}
	if over := granted(p, 33<<20); over == nil || over.Limit != 32<<20 || over.Pool {
		t.Errorf("%+v", over)
	}
	if total := p.stats.Counts().Total; total != 128<<20 {
		t.Errorf("a total of %d", total)
	}

	debug.SetMemoryLimit(256 << 20)
	follows := func() bool {
		runtime.GC()
		time.Sleep(time.Millisecond)
		return p.stats.Counts().Total == 64<<20
	}
	for start := time.Now(); !follows(); {
		if time.Since(start) > 30*time.Second {
			t.Fatalf("a total of %d", p.stats.Counts().Total)
		}
	}
	if over := granted(p, 17<<20); over == nil || over.Limit != 16<<20 {
		t.Errorf("%+v", over)
	}

	withMemoryLimit(t, 1) // the minimum
	p.followEnvironment()
	if total := p.stats.Counts().Total; total != leastTotal {
		t.Errorf("a total of %d", total)
	}

	p.SetLimit(0, 5<<20)
	p.followEnvironment()
	if total := p.stats.Counts().Total; total != 5<<20 {
		t.Errorf("SetLimit was replaced by %d", total)
	}
}

// Bad input is an error, and changes nothing.
func TestLimitsFromEnvironmentErrors(t *testing.T) {
	p := NewAutoPool(0)
	p.SetLimit(1<<20, 2<<20)
	withMemoryLimit(t, 512<<20)
	for _, share := range []float64{0, -1, 1.01, math.NaN(), math.Inf(1)} {
		if err := p.SetLimitsFromEnvironment(share); err == nil || !strings.Contains(err.Error(), fmt.Sprint("share ", share)) {
			t.Errorf("%v: %v", share, err)
		}
	}
	debug.SetMemoryLimit(math.MaxInt64)
	if n, _ := cgroup.MemoryLimit(os.DirFS("/")); n == 0 {
		if err := p.SetLimitsFromEnvironment(0.5); err == nil || !strings.Contains(err.Error(), "no memory limit") {
			t.Error(err)
		}
	}
	if c := p.config.Load(); c.perArena != 1<<20 || p.stats.Counts().Total != 2<<20 || c.environment.share != 0 {
		t.Errorf("%+v", c)
	}
}

// The largest memory limit, as a float, exceeds an int.
func TestTotalFromEnvironment(t *testing.T) {
	withMemoryLimit(t, math.MaxInt64-1)
	if total := (fromEnvironment{share: 1, bytes: math.MaxInt64}).total(); total != mostTotal {
		t.Errorf("%d", total)
	}
	if total := (fromEnvironment{share: 0.5, bytes: 8 << 20}).total(); total != 4<<20 {
		t.Errorf("%d", total)
	}
}
