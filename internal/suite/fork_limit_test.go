package suite

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

// The limit applies to an arena together with its forks, to the byte, in every goroutine. So does the pool's
// total. The caller that asked is refused.
func TestForkLimit(t *testing.T) {
	for _, total := range []bool{false, true} {
		const limit = 100_000
		p := arena.NewArenaPool(1000, 1<<20)
		if total {
			p.SetLimit(0, limit)
		} else {
			p.SetLimit(limit, 0)
		}
		for cycle := range 20 {
			a := p.Get()
			var wg sync.WaitGroup
			all := []*arena.Arena{a}
			for range 3 {
				all = append(all, a.Fork())
			}
			all = append(all, all[1].Fork())
			refusals := make([]*arena.LimitError, len(all))
			for i, f := range all {
				r := rand.New(rand.NewPCG(uint64(i), uint64(cycle)))
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
				t.Fatalf("total %t, cycle %d: %d bytes with a limit of %d, %d counted", total, cycle, held, limit, p.Stats().InUseBytes)
			}
			before := p.Stats()
			p.Put(a)
			s := p.Stats()
			if s.InUseBytes != 0 || s.RetainedBytes-s.SpareBytes > limit*int(s.Misses) { // under the race detector a sync.Pool drops some values
				t.Fatalf("after Put: %+v", s)
			}
			// The limit does not bound memory outside of arenas, because a request may leave chunks of sizes
			// that the next one does not use. Each byte is idle or was dropped.
			idle, dropped := s.RetainedBytes-before.RetainedBytes, int(s.DroppedBytes-before.DroppedBytes)
			if idle+dropped != held || s.RetainedBytes > s.MaxIdleBytes {
				t.Fatalf("of %d bytes %d are idle and %d dropped: %+v", held, idle, dropped, s)
			}
		}
		// Idle memory of forks does not cause a refusal.
		a := p.Get()
		if over := refused(t, func() { a.AllocBytes(limit - 200) }); over != nil && !total {
			t.Errorf("nearly all of the limit: %v", over)
		}
		p.Put(a)
	}
}

// A refusal because of the request's own forks is not temporary: waiting for other requests would not help.
func TestForkRefusalIsNotTemporary(t *testing.T) {
	p := arena.NewArenaPool(1000, 1<<20)
	p.SetLimit(0, 100_000)
	a, other := p.Get(), p.Get()
	f := a.Fork()
	f.Fork().AllocBytes(40_000)
	f.AllocBytes(5_000)
	a.AllocBytes(30_000)
	other.AllocBytes(10_000)
	if over := refused(t, func() { f.AllocBytes(35_000) }); over == nil || over.Retry || !over.Pool || over.Others < 10_000 || over.Others > 15_000 {
		t.Errorf("%+v", over)
	}
	if over := refused(t, func() { f.AllocBytes(18_000) }); over == nil || !over.Retry {
		t.Errorf("which fits when the other one is put back: %+v", over)
	}
	p.Put(a)
	p.Put(other)
}

// A limit set after forks exist counts their memory.
func TestLimitAfterFork(t *testing.T) {
	a := arena.NewArena(1000, 0)
	f := a.Fork()
	f.AllocBytes(60_000)
	a.SetLimit(100_000)
	if over := refused(t, func() { a.AllocBytes(50_000) }); over == nil || over.InUse < 60_000 {
		t.Errorf("%+v", over)
	}
	if over := refused(t, func() { a.AllocBytes(30_000) }); over != nil {
		t.Error(over)
	}
	if over := refused(t, func() { f.AllocBytes(20_000) }); over == nil {
		t.Error("not refused")
	}
	a.SetLimit(0)
	f.AllocBytes(200_000)
	a.Reset()
}

// The memory retained by forks counts towards maxRetained, and forks that no recent request has used are
// dropped.
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
		if s := p.Stats(); s.InUseBytes != 0 || s.RetainedBytes > 20_000*(s.Arenas+1) { // the pool holds the chunks of one large request
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
	// If the collector dropped the pool's arena in between, there are two arenas, one of them idle with its
	// memory.
	if s := p.Stats(); s.RetainedBytes-s.SpareBytes > 4000+20_000*(s.Arenas-1) {
		t.Errorf("a hundred forks are remembered: %+v", s)
	}
}

// The memory of ended forks counts until their arena needs it. A refusal caused by it must not be permanent,
// and no other arena may get the memory.
func TestForkRefusalWithIdleForks(t *testing.T) {
	testkit.NeedsReuse(t)
	p := arena.NewArenaPool(1000, 1<<20)
	p.SetLimit(0, 100_000)
	a, other := p.Get(), p.Get()
	m := a.Mark()
	f := a.Fork()
	f.AllocBytes(1)
	for range 400 {
		f.AllocBytes(100)
	}
	a.Rewind(m)
	kept := f.Stats().RetainedBytes
	if over := refused(t, func() { other.AllocBytes(100_000 - kept + 8) }); over == nil || !over.Retry || over.Others != kept {
		t.Errorf("beside %d bytes of a fork that has ended: %+v", kept, over)
	}
	other.AllocBytes(100_000 - kept)
	before := p.Stats()
	over := refused(t, func() { a.AllocBytes(kept + 8) })
	if over == nil || !over.Retry || over.Others < 100_000-kept || over.InUse != over.Others {
		t.Errorf("which fits when the other one is put back: %+v", over)
	}
	before.RefusedByTotal++
	if before.Refused++; p.Stats() != before {
		t.Errorf("a refusal changed something: %+v, before %+v", p.Stats(), before)
	}
	if over := refused(t, func() { a.AllocBytes(kept) }); over != nil || p.Stats().InUseBytes != 100_000 {
		t.Errorf("what its fork kept is an arena's own: %v, %+v", over, p.Stats())
	}
	a.Reset()
	p.Put(other)
	if over := refused(t, func() { a.AllocBytes(70_000) }); over != nil {
		t.Errorf("it did not: %v", over)
	}
	p.Put(a)
}

// Only its own goroutine can release a fork's idle memory. So Reset and Rewind release idle memory beyond
// half of the limit, or another fork could not allocate.
func TestForkGivesIdleMemoryToOthers(t *testing.T) {
	const limit = 100_000
	fill := func(a *arena.Arena, n int) {
		for range n / 100 {
			a.AllocBytes(96)
		}
	}
	for name, test := range map[string]func(a, f, g *arena.Arena){
		"Reset": func(a, f, g *arena.Arena) {
			fill(f, 40_000)
			f.Reset()
		},
		"Rewind": func(a, f, g *arena.Arena) {
			m := f.Mark()
			fill(f, 40_000)
			f.Rewind(m)
		},
		"Reset of a fork that has forks": func(a, f, g *arena.Arena) {
			h := f.Fork()
			fill(h, 40_000)
			f.Reset()
		},
		"Rewind where a fork began": func(a, f, g *arena.Arena) {
			m := a.Mark()
			h := a.Fork()
			fill(h, 40_000)
			a.Rewind(m)
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := arena.NewArena(1000, 1<<20)
			a.SetLimit(limit)
			f, g := a.Fork(), a.Fork()
			fill(a, 20_000)
			test(a, f, g)
			if over := refused(t, func() { g.AllocBytes(limit / 2) }); over != nil {
				t.Error(over)
			}
			a.Reset()
		})
	}
}

// A fork keeps up to half of the limit for its next use.
func TestForkKeepsHalfOfTheLimit(t *testing.T) {
	testkit.NeedsReuse(t)
	const limit = 100_000
	a := arena.NewArena(1000, 1<<20)
	a.SetLimit(limit)
	f := a.Fork()
	for range 900 {
		f.AllocBytes(88)
	}
	f.Reset()
	if held := f.Stats().RetainedBytes; held == 0 || held > limit/2 {
		t.Errorf("%d bytes are kept", held)
	}
}

// After any history of an arena and its forks, half of the limit is available to one of them when nothing is
// in use.
func TestForkIdleMemoryIsAtMostHalf(t *testing.T) {
	const limit = 64_000
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 12))
		a := arena.NewArena(1000, 1<<20)
		a.SetLimit(limit)
		for range 20 {
			forks := []*arena.Arena{a.Fork(), a.Fork(), a.Fork()}
			forks = append(forks, forks[0].Fork())
			for range 200 {
				f := forks[rnd.IntN(4)]
				over := refused(t, func() {
					if rnd.IntN(2) == 0 {
						arena.New[textPair](f)
					} else {
						f.AllocBytes(rnd.IntN(3000))
					}
				})
				if over != nil || rnd.IntN(100) == 0 {
					f.Reset()
					if f == forks[0] {
						forks[3] = f.Fork()
					}
				}
			}
			for _, i := range rnd.Perm(3) {
				forks[i].Reset()
			}
			forks[3] = a
			if over := refused(t, func() { forks[rnd.IntN(4)].AllocBytes(limit/2 - 8) }); over != nil {
				t.Fatalf("seed %d: %v", seed, over)
			}
			a.Reset()
		}
	}
}

// Memory that forks keep across a Reset, Rewind or Release of their arena counts like other memory of an
// arena in use.
func TestForksThatEndedCount(t *testing.T) {
	const total = 1 << 20
	p := arena.NewArenaPool(1000, 1<<20)
	p.SetLimit(0, total)
	var out []*arena.Arena
	forks := map[*arena.Arena]bool{}
	held := func() (n int) {
		for _, a := range out {
			n += a.Stats().RetainedBytes
		}
		for f := range forks {
			n += f.Stats().RetainedBytes
		}
		return n
	}
	refusals := 0
	for i := range 20 {
		a := p.Get()
		out = append(out, a)
		m := a.Mark()
		for cycle := range 3 {
			for range 10 {
				f := a.Fork()
				forks[f] = true
				over := refused(t, func() {
					for range 200 {
						f.AllocBytes(90)
					}
				})
				if over != nil {
					refusals++
				}
			}
			if cycle == i%3 {
				a.Rewind(m)
			} else {
				a.Reset()
				m = a.Mark()
			}
			if n := held(); n > total || n != p.Stats().InUseBytes {
				t.Fatalf("%d arenas are out, with %d bytes of %d, and %d counted", len(out), n, total, p.Stats().InUseBytes)
			}
		}
	}
	if !check.On && refusals == 0 {
		t.Errorf("%d arenas with ten forks each, and %d bytes: none was refused", len(out), held())
	}
	for _, a := range out {
		p.Put(a)
	}
	if over := refused(t, func() { p.Do(func(a *arena.Arena) { a.Release(); a.AllocBytes(total - 100) }) }); over != nil {
		t.Errorf("all were put back: %v", over)
	}
}

// A stale fork that its arena has dropped takes nothing from the pool's total, because nothing would return
// it.
func TestStaleForkTakesNothingOfTheTotal(t *testing.T) {
	if check.On {
		t.Skip("it is reported")
	}
	const total = 100_000
	p := arena.NewArenaPool(1000, 1<<20)
	p.SetLimit(0, total)
	for range 20 {
		a := p.Get()
		f := a.Fork()
		g := f.Fork()
		a.Release()
		f.AllocBytes(50_000)
		g.AllocBytes(50_000)
		arena.New[textPair](f.Fork())
		f.Reset()
		if s := p.Stats(); s.InUseBytes != 0 {
			t.Fatalf("%+v", s)
		}
		p.Put(a)
	}
	p.Do(func(a *arena.Arena) {
		if over := refused(t, func() { a.AllocBytes(total) }); over != nil {
			t.Error(over)
		}
	})
}
