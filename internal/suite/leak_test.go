package suite

import (
	"strconv"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

//go:noinline
func forgetToPut(p *arena.ArenaPool, n int) {
	for range n {
		arena.New[textPair](p.Get()).a = "x"
	}
}

//go:noinline
func forgetElsewhere(p *arena.ArenaPool, n int) {
	for range n {
		p.Get().AllocString("x")
	}
}

// The stack of a leak names the function that called Get, and no other, in each mode.
func TestLeaksNameTheirPlace(t *testing.T) {
	for _, mode := range []string{"plain", "isolated", "heap"} {
		t.Run(mode, func(t *testing.T) {
			p := arena.NewArenaPool(256, 0)
			p.SetLeakSampling(1)
			p.SetIsolation(mode == "isolated")
			arena.SetEnabled(mode != "heap")
			defer arena.SetEnabled(true)
			forgetToPut(p, 100)
			forgetElsewhere(p, 20)
			for range 50 {
				p.Do(func(a *arena.Arena) { a.AllocBytes(10) })
				p.Put(p.Get())
			}
			out := p.Get()
			wantLeaks(t, p, 120)
			leaks := p.Leaks()
			if len(leaks) != 2 || leaks[0].Count != 100 || leaks[1].Count != 20 {
				t.Fatalf("%d places: %v", len(leaks), leaks)
			}
			for i, name := range []string{"forgetToPut", "forgetElsewhere"} {
				text := leaks[i].String()
				lines := strings.Split(text, "\n")
				if !strings.HasPrefix(text, "leaked arenas: "+strconv.FormatUint(leaks[i].Count, 10)+",") || !strings.HasSuffix(lines[1], "."+name) ||
					!strings.Contains(lines[2], "leak_test.go:") || !strings.Contains(text, "TestLeaksNameTheirPlace") {
					t.Errorf("%s is not named first:\n%s", name, text)
				}
			}
			p.Put(out)
			if got := p.Leaks(); len(got) != 2 {
				t.Errorf("an arena that was put is reported: %v", got)
			}
		})
	}
	if got := new(arena.Leak).String(); strings.Count(got, "\n") != 1 {
		t.Errorf("a Leak without a stack has functions: %q", got)
	}
}

// A stack belongs to one cycle. If the next cycle is not sampled, the old stack must not be reported.
func TestLeaksAreOfThisCycle(t *testing.T) {
	p := arena.NewArenaPool(256, 0)
	p.SetLeakSampling(1)
	for range 20 {
		p.Put(p.Get())
	}
	p.SetLeakSampling(0)
	forgetToPut(p, 10)
	wantLeaks(t, p, 10)
	if got := p.Leaks(); len(got) != 0 {
		t.Errorf("reported with sampling off: %v", got)
	}
}

// Samples have the requested rate, and every Get is equally likely to be sampled.
func TestSampleRate(t *testing.T) {
	p := arena.NewArenaPool(64, 0)
	p.SetLeakSampling(10)
	const n = 5000
	forgetToPut(p, n)
	wantLeaks(t, p, n)
	leaks := p.Leaks()
	if len(leaks) != 1 || leaks[0].Count < n/10-200 || leaks[0].Count > n/10+200 {
		t.Errorf("of %d Gets at a rate of 10 were sampled: %v", n, leaks)
	}
	testkit.WantPanic(t, func() { p.SetLeakSampling(-1) }, "SetLeakSampling", "-1")
}

// forgetFrom leaks an arena with a different stack for each of 2048 places.
//
//go:noinline
func forgetFrom(p *arena.ArenaPool, place, depth int) {
	switch {
	case depth == 0:
		p.Get().AllocString("x")
	case place%2 == 0:
		forgetFrom(p, place/2, depth-1)
	default:
		forgetFrom(p, place/2, depth-1)
	}
}

// The record of leaks is bounded, also if they come from ever new places.
func TestLeaksAreBounded(t *testing.T) {
	const maxLeaks, depth = 1000, 11
	p := arena.NewArenaPool(64, 0)
	p.SetLeakSampling(1)
	leaked := 0
	for _, places := range [][2]int{{0, maxLeaks}, {maxLeaks, 2 * maxLeaks}, {0, 2 * maxLeaks}} {
		for place := places[0]; place < places[1]; place++ {
			forgetFrom(p, place, depth) // from one line, because the stack contains the line
			leaked++
		}
		wantLeaks(t, p, uint64(leaked))
	}
	got := p.Leaks()
	if len(got) != maxLeaks || got[0].Count != 2 || got[maxLeaks-1].Count != 2 || len(got[0].Stack) <= depth {
		t.Errorf("%d places, the first %+v", len(got), got[0])
	}
}
