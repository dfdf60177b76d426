package bench

import (
	"math"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

// These tests compare the best of many interleaved rounds with a bound far from the figures of
// docs/numbers.md, to find regressions by an order of magnitude: a fast path that is never taken, a clear
// that became linear, an allocation in steady state. They run in make test-long only.

func wantFaster(t *testing.T, factor float64, heap, ours func()) {
	t.Helper()
	wantFasterMade(t, factor, func() (func(), func()) { return heap, ours })
}

// wantFasterMade is wantFaster with new sides for each of three attempts, because one arena in
// some hundreds takes 1.5 times as long, depending on its addresses.
func wantFasterMade(t *testing.T, factor float64, sides func() (heap, ours func())) {
	t.Helper()
	if check.On || testkit.Emulated() || testing.Short() || check.Race || check.ASan || !machine.LayoutOK || testing.CoverMode() != "" || math.MaxInt == math.MaxInt32 {
		t.Skip("speed is promised for the plain 64-bit build")
	}
	fast := func(h, o time.Duration) bool { return float64(h) >= factor*float64(o) }
	var h, o time.Duration
	for range 3 {
		heap, ours := sides()
		if h, o = testkit.Best(200, heap, ours, fast); fast(h, o) {
			return
		}
	}
	t.Errorf("%v instead of %v: %.1f times faster, and should be %.1f times at least", o, h, float64(h)/float64(o), factor)
}

func TestNewIsFast(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	wantFaster(t, 3, func() {
		for range 1000 {
			sinkFlat = new(flat64)
		}
	}, func() {
		a.Reset()
		for range 1000 {
			sinkFlat = arena.New[flat64](a)
		}
	})
	wantFaster(t, 2.5, func() {
		for range 1000 {
			sinkPtr = new(ptr64)
		}
	}, func() {
		a.Reset()
		for range 1000 {
			sinkPtr = arena.New[ptr64](a)
		}
	})
}

// The time of Reset and of a reservation must not depend on the size: 100 times the bytes may not take 20
// times as long.
func TestConstantTime(t *testing.T) {
	small, large := arena.NewArena(1<<20, 0), arena.NewArena(100<<20, 0)
	wantFaster(t, 1.0/20, func() {
		for range 100 {
			small.Reset()
			arena.MakeSliceUninit[byte](small, 1<<19, 1<<19)
		}
	}, func() {
		for range 100 {
			large.Reset()
			arena.MakeSliceUninit[byte](large, 50<<20, 50<<20)
		}
	})
}
