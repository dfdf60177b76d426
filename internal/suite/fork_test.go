package suite

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Forks serve goroutines that fill memory of one request, refer to each other's values, and are waited for.
// The race detector must report nothing.
func TestForksOfManyGoroutines(t *testing.T) {
	p := arena.NewArenaPool(1<<10, 1<<20)
	cycles := 60
	if testing.Short() {
		cycles = 15
	}
	var requests sync.WaitGroup
	for r := range uint64(3) {
		requests.Go(func() {
			for cycle := range cycles {
				p.Do(func(a *arena.Arena) {
					shared := arena.New[textPair](a)
					shared.a = testkit.HeapText(r)
					var results [4][]*textPair
					var wg sync.WaitGroup
					for i := range results {
						f := a.Fork()
						wg.Go(func() { results[i] = forkedWork(f, shared, uint64(i), 2) })
					}
					for range 50 {
						arena.New[textPair](a).a = "x"
						a.AllocBytes(20)
					}
					wg.Wait()
					if cycle%10 == 0 {
						runtime.GC()
					}
					for i, result := range results {
						for n, x := range result {
							if x.a != testkit.HeapText(r) || x.b != testkit.HeapText(uint64(i+n)) {
								t.Errorf("result %d, %d is %v", i, n, *x)
							}
						}
					}
				})
			}
		})
	}
	requests.Wait()
	if s := p.Stats(); s.InUseBytes != 0 || s.Gets != s.Puts {
		t.Errorf("in the end: %+v", s)
	}
}

func forkedWork(a *arena.Arena, shared *textPair, i uint64, depth int) (all []*textPair) {
	if depth > 0 {
		f := a.Fork()
		var wg sync.WaitGroup
		wg.Go(func() { forkedWork(f, shared, i, depth-1) })
		defer wg.Wait()
	}
	for n := range uint64(100) {
		x := arena.New[textPair](a)
		if *x != (textPair{}) {
			panic("not zero")
		}
		*x = textPair{shared.a, testkit.HeapText(i + n)}
		all = arena.Append(a, all, x)
		a.AllocString(x.b)
	}
	return all
}

// The ends of forks, and their effect on other forks.
func TestForksEnd(t *testing.T) {
	a := arena.NewArena(1<<10, 0)
	old := a.Fork()
	kept := arena.New[textPair](old)
	kept.a = "kept"
	m := a.Mark()
	more := arena.New[textPair](old)
	more.a = "since the mark"
	young := a.Fork()
	grandchild := young.Fork()
	young.AllocBytes(100)
	grandchild.AllocBytes(100)
	a.Rewind(m)
	if kept.a != "kept" || more.a != "since the mark" || old.Stats().UsedBytes != 2*int(xunsafe.SizeOf[textPair]()) {
		t.Errorf("an older fork: %v, %v, %d bytes used", kept, more, old.Stats().UsedBytes)
	}
	for _, gone := range []*arena.Arena{young, grandchild} {
		if gone.Stats().UsedBytes != 0 {
			t.Errorf("%d bytes of a younger fork are used", gone.Stats().UsedBytes)
		}
	}
	again := a.Fork()
	if again == old || again.Stats().UsedBytes != 0 {
		t.Error("a fork of two")
	}
	again.AllocBytes(8)
	a.Rewind(m) // before the fork of again
	if again.Stats().UsedBytes != 0 || old.Stats().UsedBytes == 0 {
		t.Errorf("%d and %d bytes", again.Stats().UsedBytes, old.Stats().UsedBytes)
	}
	late := a.Mark()
	a.Fork().AllocBytes(8)
	third := a.Fork()
	a.Rewind(m)
	fourth := a.Fork() // as many forks as at mark late, but a newer one
	fourth.AllocBytes(8)
	a.Rewind(late)
	if fourth.Stats().UsedBytes != 0 || third.Stats().UsedBytes != 0 {
		t.Error("a fork outlived a Rewind to what was before it")
	}
	fifth := a.Fork()
	fifth.AllocBytes(8)
	a.Reset()
	if old.Stats().UsedBytes != 0 || fifth.Stats().UsedBytes != 0 {
		t.Error("a fork outlived Reset")
	}
	sixth := a.Fork()
	sixth.AllocBytes(8)
	sixth.Reset() // a fork's own reset
	if sixth.Stats().UsedBytes != 0 {
		t.Error("a fork's own Reset")
	}
	sixth.AllocBytes(8)
	a.Release()
	if sixth.Stats().UsedBytes != 0 || sixth.Stats().Chunks != 0 {
		t.Errorf("a fork outlived Release: %+v", sixth.Stats())
	}
	var none *arena.Arena
	if none.Fork() != nil {
		t.Error("the fork of a nil arena is not nil")
	}
}

func TestForkMisuse(t *testing.T) {
	p := arena.NewArenaPool(1<<10, 0)
	a := p.Get()
	f := a.Fork()
	testkit.WantPanic(t, func() { p.Put(f) }, "Put", "fork")
	testkit.WantPanic(t, func() { f.SetLimit(100) }, "Limit", "fork")
	f.AllocBytes(8)
	p.Put(a)
	if !check.On {
		f.AllocBytes(8) // a bug in the program, but harmless
		return
	}
	testkit.WantPanic(t, func() { arena.New[int](f) }, "New", "fork", "by Put")
	testkit.WantPanic(t, func() { f.AllocString("x") }, "fork", "by Put")
	testkit.WantPanic(t, func() { f.Fork() }, "Fork", "fork", "by Put")
	testkit.WantPanic(t, func() { f.Reset() }, "Reset", "fork", "by Put")
}

// A request with forks, and forks of forks, allocates nothing from the heap once the arena is warm.
func TestForkSteadyState(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race || check.ASan {
		t.Skip("instrumentation allocates")
	}
	p := arena.NewArenaPool(4096, 1<<20)
	limited := arena.NewArenaPool(4096, 1<<20)
	limited.SetLimit(1<<20, 4<<20)
	for name, p := range map[string]*arena.ArenaPool{"plain": p, "limited": limited} {
		request := func() {
			a := p.Get()
			arena.New[textPair](a)
			for i := range 4 {
				f := a.Fork()
				arena.New[textPair](f).a = "x"
				f.AllocBytes(100)
				if i == 2 {
					arena.New[textPair](f.Fork()).a = "x"
				}
			}
			p.Put(a)
		}
		for range 3 * machine.Window {
			request()
		}
		// Count all cycles of several windows at once: AllocsPerRun would round down the allocations of a
		// single cycle.
		n := testing.AllocsPerRun(1, func() {
			for range 4 * machine.Window {
				request()
			}
		})
		if n > 8 {
			t.Errorf("%s: %v allocations in %d cycles", name, n, 4*machine.Window)
		}
	}
}

// An arena that leaks with its forks is removed from the pool's statistics.
func TestForksOfLeakedArenas(t *testing.T) {
	p := arena.NewArenaPool(1000, 0)
	p.SetLimit(0, 1<<20)
	func() {
		for range 5 {
			f := p.Get().Fork()
			f.AllocBytes(15_000)
			f.Fork().AllocBytes(15_000)
		}
	}()
	wantLeaks(t, p, 5)
	if s := p.Stats(); s.InUseBytes != 0 || s.RetainedBytes != 0 || s.Arenas != 0 {
		t.Errorf("%+v", s)
	}
	a := p.Get()
	if over := refused(t, func() { a.AllocBytes(1<<20 - 100) }); over != nil {
		t.Errorf("what was leaked is not free again: %v", over)
	}
	p.Put(a)
}

// A reachable fork keeps its arena alive. Otherwise the arena would count as leaked, and the fork's memory
// would not count.
func TestForkKeepsItsArena(t *testing.T) {
	p := arena.NewArenaPool(1000, 0)
	f := p.Get().Fork()
	testkit.Finalizers(t, 3)
	if s := p.Stats(); s.Leaked != 0 {
		t.Errorf("%+v", s)
	}
	f.AllocBytes(5000)
	if s := p.Stats(); s.InUseBytes < 5000 {
		t.Errorf("%+v", s)
	}
	runtime.KeepAlive(f)
}

// Checked builds report the use of a fork by another goroutine during or after the end of its arena.
func TestForkOutlivesItsArena(t *testing.T) {
	if !check.Tag || !check.On || check.Race || check.ASan {
		t.Skip("for the tag arenacheck")
	}
	a := arena.NewArena(1<<10, 0)
	f := a.Fork()
	s := f.AllocBytes(100)
	a.Reset()
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "taken back") || !strings.Contains(text, "Reset took memory back") {
			t.Errorf("%s", text)
		}
	}()
	defer arena.ExplainFaults()
	s[5] = 1
	t.Error("memory of a fork that has ended can be used")
}
