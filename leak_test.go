package arena

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena/internal/testkit"
)

//go:noinline
func forgetToPut(p *ArenaPool, n int) {
	for range n {
		New[textPair](p.Get()).a = "x"
	}
}

//go:noinline
func forgetElsewhere(p *ArenaPool, n int) {
	for range n {
		p.Get().AllocString("x")
	}
}

// collectLeaks waits until the pool has noticed n leaks.
func collectLeaks(t *testing.T, p *ArenaPool, n uint64) {
	t.Helper()
	for range 1000 {
		if runtime.GC(); p.Stats().Leaked == n {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%d leaks were noticed, want %d", p.Stats().Leaked, n)
}

// That arenas leak is worth little without where: the stack must name the
// function that forgot, and no other may be accused.
func TestLeaksNameTheirPlace(t *testing.T) {
	p := NewArenaPool(256, 0)
	p.SampleStacks(1)
	forgetToPut(p, 100)
	forgetElsewhere(p, 20)
	for range 50 {
		p.Do(func(a *Arena) { a.AllocBytes(10) })
		p.Put(p.Get())
	}
	out := p.Get()
	collectLeaks(t, p, 120)
	leaks := p.Leaks()
	if len(leaks) != 2 || leaks[0].Count != 100 || leaks[1].Count != 20 {
		t.Fatalf("%d places: %v", len(leaks), leaks)
	}
	for i, name := range []string{"forgetToPut", "forgetElsewhere"} {
		text := leaks[i].String()
		lines := strings.Split(text, "\n")
		if !strings.HasPrefix(text, "leaked arenas: "+itoa(int(leaks[i].Count))+",") || !strings.HasSuffix(lines[1], "."+name) ||
			!strings.Contains(lines[2], "leak_test.go:") || !strings.Contains(text, "TestLeaksNameTheirPlace") {
			t.Errorf("%s is not named first:\n%s", name, text)
		}
	}
	p.Put(out)
	if got := p.Leaks(); len(got) != 2 {
		t.Errorf("an arena that was put is reported: %v", got)
	}
	if got := new(Leak).String(); strings.Count(got, "\n") != 1 {
		t.Errorf("a Leak without a stack has functions: %q", got)
	}
}

// A stack is kept for a life, not for an arena: where the next life is not
// sampled, an old stack would accuse the wrong function.
func TestLeaksAreOfThisLife(t *testing.T) {
	p := NewArenaPool(256, 0)
	p.SampleStacks(1)
	for range 20 {
		p.Put(p.Get())
	}
	p.SampleStacks(0)
	forgetToPut(p, 10)
	collectLeaks(t, p, 10)
	if got := p.Leaks(); len(got) != 0 {
		t.Errorf("reported with sampling off: %v", got)
	}
}

// A sample must be one: of the size that was asked for, from all Gets alike.
func TestSampleRate(t *testing.T) {
	p := NewArenaPool(64, 0)
	p.SampleStacks(10)
	const n = 5000
	sampled, inNew := 0, 0
	for range n {
		a := p.Get()
		if a.owner.account.sample.Load() != nil {
			sampled++
		}
		p.Put(a)
		if p.newArena().owner.account.sample.Load() != nil {
			inNew++
		}
	}
	if sampled < n/10-200 || sampled > n/10+200 || inNew != 0 {
		t.Errorf("%d of %d Gets were sampled at a rate of 10", sampled, n)
	}
	testkit.WantPanic(t, func() { p.SampleStacks(-1) }, "SampleStacks", "-1")
}

// Leaks from ever new places must not become a leak themselves.
func TestLeaksAreBounded(t *testing.T) {
	p := NewArenaPool(64, 0)
	for i := range 3 * maxLeaks {
		s := new(sample)
		s.stack[0] = uintptr(i%(2*maxLeaks) + 1)
		p.leaked(s)
	}
	got := p.Leaks()
	if len(got) != maxLeaks || got[0].Count != 2 || len(got[0].Stack) != 1 || got[maxLeaks-1].Count != 2 {
		t.Errorf("%d places, the first %+v", len(got), got[0])
	}
}
