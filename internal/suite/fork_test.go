package suite

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

// What forks are for: goroutines that fill memory of one request, lead to each
// other's, and are waited for. Under the race detector nothing may be reported.
func TestForksOfManyGoroutines(t *testing.T) {
	p := arena.NewArenaPool(1<<10, 1<<20)
	lives := 60
	if testing.Short() {
		lives = 15
	}
	var requests sync.WaitGroup
	for r := range uint64(3) {
		requests.Go(func() {
			for life := range lives {
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
					if life%10 == 0 {
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

// Where forks end, and what is left of the others.
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
	if kept.a != "kept" || more.a != "since the mark" || old.UsedBytes() != 2*int(machine.SizeOf[textPair]()) {
		t.Errorf("an older fork: %v, %v, %d bytes used", kept, more, old.UsedBytes())
	}
	for _, gone := range []*arena.Arena{young, grandchild} {
		if gone.UsedBytes() != 0 {
			t.Errorf("%d bytes of a younger fork are used", gone.UsedBytes())
		}
	}
	again := a.Fork()
	if again == old || again.UsedBytes() != 0 {
		t.Error("a fork of two")
	}
	again.AllocBytes(8)
	a.Rewind(m) // of before again's birth
	if again.UsedBytes() != 0 || old.UsedBytes() == 0 {
		t.Errorf("%d and %d bytes", again.UsedBytes(), old.UsedBytes())
	}
	late := a.Mark()
	a.Fork().AllocBytes(8)
	third := a.Fork()
	a.Rewind(m)
	fourth := a.Fork() // as many as at late, but younger
	fourth.AllocBytes(8)
	a.Rewind(late)
	if fourth.UsedBytes() != 0 || third.UsedBytes() != 0 {
		t.Error("a fork outlived a Rewind to what was before it")
	}
	fifth := a.Fork()
	fifth.AllocBytes(8)
	a.Reset()
	if old.UsedBytes() != 0 || fifth.UsedBytes() != 0 {
		t.Error("a fork outlived Reset")
	}
	sixth := a.Fork()
	sixth.AllocBytes(8)
	sixth.Reset() // its own
	if sixth.UsedBytes() != 0 {
		t.Error("a fork's own Reset")
	}
	sixth.AllocBytes(8)
	a.Release()
	if sixth.UsedBytes() != 0 || sixth.Stats().Chunks != 0 {
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
	testkit.WantPanic(t, func() { new(arena.Arena).Fork() }, "Fork", "NewArena")
	testkit.WantPanic(t, func() { p.Put(f) }, "Put", "fork")
	testkit.WantPanic(t, func() { f.Limit(100) }, "Limit", "fork")
	f.AllocBytes(8)
	p.Put(a)
	if !check.On {
		f.AllocBytes(8) // a logic error, and no more
		return
	}
	testkit.WantPanic(t, func() { arena.New[int](f) }, "New", "fork", "by Put")
	testkit.WantPanic(t, func() { f.AllocString("x") }, "fork", "by Put")
	testkit.WantPanic(t, func() { f.Fork() }, "Fork", "fork", "by Put")
	testkit.WantPanic(t, func() { f.Reset() }, "Reset", "fork", "by Put")
}

// A request that forks takes nothing from the heap once the arena is warm, forks of
// forks included.
func TestForkSteadyState(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race || check.ASan {
		t.Skip("instrumentation allocates")
	}
	p := arena.NewArenaPool(4096, 1<<20)
	limited := arena.NewArenaPool(4096, 1<<20)
	limited.Limit(1<<20, 4<<20)
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
		if n := testing.AllocsPerRun(200, request); n >= 1 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// The limit holds for what an arena and its forks have together, to the byte, in
// whatever goroutine; and so does the pool's total. A refusal is the one's who asks.
func TestForkLimit(t *testing.T) {
	for _, total := range []bool{false, true} {
		const limit = 100_000
		p := arena.NewArenaPool(1000, 1<<20)
		if total {
			p.Limit(0, limit)
		} else {
			p.Limit(limit, 0)
		}
		for life := range 20 {
			a := p.Get()
			var wg sync.WaitGroup
			all := []*arena.Arena{a}
			for range 3 {
				all = append(all, a.Fork())
			}
			all = append(all, all[1].Fork())
			refusals := make([]*arena.LimitError, len(all))
			for i, f := range all {
				r := rand.New(rand.NewPCG(uint64(i), uint64(life)))
				wg.Go(func() {
					for refusals[i] == nil {
						refusals[i] = refused(t, func() {
							if r.IntN(2) == 0 {
								f.AllocBytes(1 + r.IntN(3000))
							} else {
								arena.New[[20]*int](f)
							}
						})
					}
				})
			}
			wg.Wait()
			held := 0
			for i, f := range all {
				held += f.Stats().RetainedBytes
				if e := refusals[i]; e.Limit != limit || e.Pool != total || e.InUse > limit || e.InUse+e.Asked <= limit {
					t.Errorf("%+v", e)
				}
			}
			if held > limit || held < limit/2 || p.Stats().InUseBytes != held {
				t.Fatalf("total %t, life %d: %d bytes with a limit of %d, %d counted", total, life, held, limit, p.Stats().InUseBytes)
			}
			p.Put(a)
			if s := p.Stats(); s.InUseBytes != 0 || s.RetainedBytes > limit*int(s.Misses) { // under the race detector a sync.Pool loses some
				t.Fatalf("after Put: %+v", s)
			}
		}
		// What idle forks have kept does not stand in the way.
		a := p.Get()
		if over := refused(t, func() { a.AllocBytes(limit - 200) }); over != nil && !total {
			t.Errorf("nearly all of the limit: %v", over)
		}
		p.Put(a)
	}
}

// What an arena's forks have is the request's own: to wait until others put theirs back
// would not help one that is refused because of it, and the error says so.
func TestForkRefusalIsNotTemporary(t *testing.T) {
	p := arena.NewArenaPool(1000, 1<<20)
	p.Limit(0, 100_000)
	a, other := p.Get(), p.Get()
	f := a.Fork()
	f.Fork().AllocBytes(40_000)
	a.AllocBytes(30_000)
	other.AllocBytes(10_000)
	if over := refused(t, func() { f.AllocBytes(35_000) }); over == nil || over.Temporary() || !over.Pool || over.Others < 10_000 || over.Others > 15_000 {
		t.Errorf("%+v", over)
	}
	if over := refused(t, func() { f.AllocBytes(25_000) }); over == nil || !over.Temporary() {
		t.Errorf("which fits when the other one is put back: %+v", over)
	}
	p.Put(a)
	p.Put(other)
}

// A limit that comes when there are forks already counts what these have.
func TestLimitAfterFork(t *testing.T) {
	a := arena.NewArena(1000, 0)
	f := a.Fork()
	f.AllocBytes(60_000)
	a.Limit(100_000)
	if over := refused(t, func() { a.AllocBytes(50_000) }); over == nil || over.InUse < 60_000 {
		t.Errorf("%+v", over)
	}
	if over := refused(t, func() { a.AllocBytes(30_000) }); over != nil {
		t.Error(over)
	}
	if over := refused(t, func() { f.AllocBytes(20_000) }); over == nil {
		t.Error("not refused")
	}
	a.Limit(0)
	f.AllocBytes(200_000)
	a.Reset()
}

// What forks keep counts towards maxRetained, and forks that no life has used
// lately are gone.
func TestForksKeepWithinBounds(t *testing.T) {
	testkit.NeedsReuse(t)
	p := arena.NewArenaPool(1000, 20_000)
	many := func(n, bytes int) {
		a := p.Get()
		for range n {
			f := a.Fork()
			for range bytes / 100 {
				f.AllocBytes(100)
				arena.New[textPair](f).a = "x"
			}
		}
		p.Put(a)
		if s := p.Stats(); s.InUseBytes != 0 || s.RetainedBytes > 20_000*s.Arenas {
			t.Fatalf("%d forks of %d bytes: %+v", n, bytes, s)
		}
	}
	for n := range 20 {
		many(n, 100*n)
	}
	many(100, 100)
	for range 4 * machine.Window {
		many(1, 100)
	}
	if s := p.Stats(); s.RetainedBytes > 4000*s.Arenas {
		t.Errorf("a hundred forks are remembered: %+v", s)
	}
}

// An arena that is lost with its forks leaves the pool's account.
func TestForksOfLeakedArenas(t *testing.T) {
	p := arena.NewArenaPool(1000, 0)
	p.Limit(0, 1<<20)
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

// A fork that is reachable keeps its arena alive: else that would count as leaked,
// and what the fork takes would be counted for nobody.
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

// In builds with checks another goroutine that is in a fork at the moment of the
// arena's end, or later, is told.
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
