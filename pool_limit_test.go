package arena

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// refused returns the LimitError of f, or nil.
func refused(t *testing.T, f func()) (over *LimitError) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			if err, _ := v.(error); !errors.As(err, &over) {
				panic(v)
			}
		}
	}()
	f()
	return nil
}

// heldNow returns the size of the chunks.
func heldNow(a *Arena) int { return int(a.region.Stats().Held) }

// checkQuota compares the quota's counter with the chunks.
func checkQuota(t *testing.T, a *Arena) {
	t.Helper()
	m := a.quota()
	if got := heldNow(a); int(m.Held()) != got || a.owner.stats.Held() != m.Held() {
		t.Fatalf("the quota counts %d bytes of %d, the account %d", m.Held(), got, a.owner.stats.Held())
	}
	if m.Limit() != 0 && m.Held() > m.Limit() {
		t.Fatalf("%d bytes with a limit of %d", m.Held(), m.Limit())
	}
}

// Many goroutines share the total: it holds at all times, each refusal affects one goroutine, and in the end
// nothing is counted.
func TestPoolTotalConcurrent(t *testing.T) {
	for name, p := range map[string]*ArenaPool{"fixed": NewArenaPool(512, 8192), "auto": NewAutoPool(0)} {
		const total = 100_000
		p.SetLimit(30_000, total)
		p.SetLeakSampling(3)
		var wg sync.WaitGroup
		var mu sync.Mutex
		var arenas, pools, fine int
		for w := range uint64(8) {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(w, 2))
				for range 300 {
					over := refused(t, func() {
						p.Do(func(a *Arena) {
							keep := a.AllocBytes(8)
							keep[0] = byte(w)
							for range r.IntN(40) {
								a.AllocBytes(r.IntN(2000))
								New[textPair](a).a = "x"
								runtime.Gosched()
								if out := p.stats.Counts().Out; out > total {
									t.Errorf("%s: %d bytes out", name, out)
								}
							}
							if keep[0] != byte(w) {
								t.Errorf("%s: memory of two", name)
							}
						})
					})
					mu.Lock()
					switch {
					case over == nil:
						fine++
					case over.Pool:
						pools++
					default:
						arenas++
					}
					mu.Unlock()
					if r.IntN(50) == 0 {
						p.Stats()
						p.Leaks()
					}
				}
			})
		}
		wg.Wait()
		s := p.Stats()
		if p.stats.Counts().Out != 0 || s.InUseBytes != 0 || s.Refused != uint64(arenas+pools) || fine == 0 || arenas == 0 {
			t.Errorf("%s: %d bytes out in the end, %+v; %d fine, %d and %d refused", name, p.stats.Counts().Out, s, fine, arenas, pools)
		}
		if got := int(p.stats.Counts().Held); got != s.RetainedBytes {
			t.Errorf("%s: %d bytes counted, %d in the accounts", name, got, s.RetainedBytes)
		}
	}
}

// The total is refused to the caller that asks, and available again when another arena is put back.
func TestPoolTotal(t *testing.T) {
	p := NewArenaPool(1000, 1<<20)
	p.SetLimit(0, 100_000)
	a, b := p.Get(), p.Get()
	a.AllocBytes(60_000)
	b.AllocBytes(8)
	over := refused(t, func() { b.AllocBytes(50_000) })
	if over == nil || !over.Pool || over.Limit != 100_000 || over.InUse < 60_000 || !strings.Contains(over.Error(), "pool") {
		t.Fatalf("%+v", over)
	}
	if s := p.Stats(); s.Refused != 1 || s.InUseBytes < 60_000 || s.RetainedBytes != 0 || s.Oversize != 2-1 {
		t.Errorf("%+v", s)
	}
	p.Put(a)
	if over := refused(t, func() { b.AllocBytes(50_000) }); over != nil {
		t.Errorf("after a Put: %v", over)
	}
	// The memory of idle arenas does not count, but would if they were in use.
	var more []*Arena
	for range 20 {
		more = append(more, p.Get())
		if out := p.stats.Counts().Out; out > 100_000 {
			t.Fatalf("%d bytes out after Get", out)
		}
	}
	for _, x := range more {
		p.Put(x)
	}
	p.Put(b)
	if out := p.stats.Counts().Out; out != 0 {
		t.Errorf("%d bytes out, and no arena is", out)
	}
	// Memory that an arena in use drops is available to others immediately.
	a = p.Get()
	a.Release() // drops the retained memory
	m := a.Mark()
	a.AllocBytes(8)
	a.AllocBytes(50_000)
	a.Rewind(m)
	checkQuota(t, a)
	if out := p.stats.Counts().Out; int(out) != heldNow(a) {
		t.Errorf("after Rewind: %d bytes out, the arena has %d", out, heldNow(a))
	}
	a.Release()
	if out := p.stats.Counts().Out; out != 0 {
		t.Errorf("after Release: %d bytes out", out)
	}
	p.Put(a)
	// A new total applies to an arena from its next Get, and the old one until the Put of an arena in use.
	p.SetLimit(0, 0)
	a, b = p.Get(), p.Get()
	a.AllocBytes(200_000)
	p.SetLimit(0, 150_000)
	a.AllocBytes(500_000)
	if left := a.quota().Left(); left != math.MaxUint || p.stats.Counts().Out != 0 {
		t.Errorf("%d bytes out, %d left, for an arena of before the total", p.stats.Counts().Out, left)
	}
	p.Put(a)
	a = p.Get()
	a.AllocBytes(100_000)
	p.SetLimit(0, 0)
	a.AllocBytes(100_000)
	if out := p.stats.Counts().Out; int(out) != heldNow(a) {
		t.Errorf("%d bytes out, the arena has %d", out, heldNow(a))
	}
	p.SetLimit(0, 150_000)
	if refused(t, func() { a.AllocBytes(5_000_000) }) == nil || a.quota().Left() != 0 {
		t.Errorf("%d bytes left of a total that one arena exceeds", a.quota().Left())
	}
	p.Put(a)
	p.Put(b)
	if out := p.stats.Counts().Out; out != 0 {
		t.Errorf("%d bytes out, and no arena is", out)
	}
}

// A request's own limit does not apply to the next request.
func TestPoolLimitIsForOneCycle(t *testing.T) {
	for _, perArena := range []int{0, 10_000} {
		p := NewArenaPool(1000, 1<<20)
		p.SetLimit(perArena, 0)
		a := p.Get()
		a.SetLimit(100)
		if refused(t, func() { a.AllocBytes(200) }) == nil {
			t.Error("not refused")
		}
		a.SetLimit(20_000)
		a.AllocBytes(15_000)
		m := a.quota()
		p.Put(a)
		if m.Limit() != 0 || !check.On && a.region.MaxRetained != 1<<20 { // a checked build has replaced the arena
			t.Errorf("an idle arena has a limit: %+v", m)
		}
		b := p.Get()
		if got := int(b.quota().Limit()); got != perArena {
			t.Errorf("limit %d, want %d", got, perArena)
		}
		if over := refused(t, func() { b.AllocBytes(15_000) }); (over == nil) != (perArena == 0) {
			t.Errorf("perArena %d: %v", perArena, over)
		}
		p.Put(b)
		if p.SetLimit(0, 0); p.config.Load() != nil {
			t.Error("Get looks after nothing, and does not know")
		}
	}
}

// An idle arena may retain more than a later limit allows. Get must drop the excess, or the limit would be
// used up from the start.
func TestPoolLimitCutsWhatIsKept(t *testing.T) {
	p := NewArenaPool(30_000, 1<<20)
	a := p.Get()
	a.AllocBytes(20_000)
	p.Put(a)
	p.SetLimit(10_000, 0)
	b := p.Get()
	if got := heldNow(b); got > 5_000 {
		t.Errorf("an arena with a limit of 10000 bytes begins with %d", got)
	}
	if over := refused(t, func() { b.AllocBytes(9_000) }); over != nil {
		t.Error(over)
	}
	checkQuota(t, b)
	p.Put(b)
	runtime.KeepAlive(a)
}

// A leaked arena's share of the total is returned, or a pool with leaks would eventually refuse everything.
func TestPoolTotalOfLeakedArenas(t *testing.T) {
	p := NewArenaPool(1000, 0)
	p.SetLimit(0, 100_000)
	for range 5 {
		p.Get().AllocBytes(15_000)
	}
	for range 500 {
		if runtime.GC(); p.stats.Counts().Out == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	s := p.Stats()
	if p.stats.Counts().Out != 0 || p.stats.Counts().Held != 0 || s.Leaked != 5 || s.InUseBytes != 0 || s.HighWater < 75_000 {
		t.Errorf("%d bytes out, %d counted, %+v", p.stats.Counts().Out, p.stats.Counts().Held, s)
	}
}

// Both limits may be exceeded at once. A refusal by the pool's total must not drop the arena's idle chunk.
func TestRefusalByTheTotalKeepsWhatIsIdle(t *testing.T) {
	testkit.NeedsReuse(t)
	p := NewArenaPool(4096, 1<<20)
	x := p.Get()
	p.SetLimit(100_000, 120_000)
	p.Put(x)
	x, y := p.Get(), p.Get()
	m := x.Mark()
	x.AllocBytes(30_000)
	x.Rewind(m)
	y.AllocBytes(80_000)
	before, stats := x.Stats(), p.Stats()
	over := refused(t, func() { x.AllocBytes(75_000) })
	if over == nil || !over.Pool || !over.Retry || over.Others < 80_000 {
		t.Fatalf("%+v", over)
	}
	stats.RefusedByTotal++
	if stats.Refused++; x.Stats() != before || p.Stats() != stats {
		t.Errorf("%+v, and before %+v; %+v, and before %+v", x.Stats(), before, p.Stats(), stats)
	}
	// If the total suffices, the idle chunk is dropped, and the total is exact at all times.
	p.Put(y)
	x.AllocBytes(75_000)
	if got := p.stats.Counts().Out; x.Stats().Chunks != 1 || int(got) != x.Stats().RetainedBytes || p.Stats().Dropped != stats.Dropped+2 {
		t.Errorf("%d bytes count, %+v, %+v", got, x.Stats(), p.Stats())
	}
	p.Put(x)
	if got := p.stats.Counts().Out; got != 0 {
		t.Errorf("%d bytes count, and no arena is out", got)
	}
}

// Get drops memory of an idle arena that a limit, or the rest of the total, does not allow. Otherwise the
// arena would begin with more than it may have.
func TestGetLetsGoOfWhatDoesNotFit(t *testing.T) {
	testkit.NeedsReuse(t)
	for _, c := range []struct{ perArena, total, others, want int }{
		{0, 0, 0, 8000},
		{16_000, 0, 0, 8000},
		{15_000, 0, 0, 0},
		{0, 10_000, 2000, 8000},
		{0, 10_000, 2008, 0},
		{16_000, 10_000, 9000, 0},
	} {
		p := NewArenaPool(8000, 80_000)
		other, a := p.Get(), p.Get()
		a.AllocBytes(8000)
		p.Put(a)
		p.SetLimit(0, c.total)
		p.Put(other)
		other, a = p.Get(), p.Get()
		if a.Stats().RetainedBytes == 0 {
			a, other = other, a
		}
		p.Put(a)
		p.SetLimit(c.perArena, c.total)
		other.SetLimit(c.others)
		other.AllocBytes(c.others)
		b := p.Get()
		if b != a && !check.Race {
			t.Fatal("another arena")
		}
		if got := b.Stats().RetainedBytes; got != c.want && b == a {
			t.Errorf("%+v: Get returns an arena with %d bytes", c, got)
		}
		if out := int(p.stats.Counts().Out); c.total != 0 && b == a && out != c.want+c.others {
			t.Errorf("%+v: %d bytes count", c, out)
		}
		p.Put(b)
		p.Put(other)
		if out := p.stats.Counts().Out; out != 0 {
			t.Errorf("%+v: %d bytes count in the end", c, out)
		}
	}
}

// The high-water mark is the highest of the last minutes, because an older one would claim a need that the pool no longer
// has. A peak between two calls of lately must be seen by the second.
func TestHighWaterOfLately(t *testing.T) {
	var h highWater
	p, now := NewArenaPool(1000, 1000), time.Now()
	if check.On {
		t.Skip("each cycle begins with a new chunk of the size that earlier cycles needed")
	}
	look := func(after time.Duration, want uintptr) {
		t.Helper()
		now = now.Add(after)
		if got := h.lately(p.stats, now); got < want || got > want+100 {
			t.Errorf("the high-water mark is %d, want %d", got, want)
		}
	}
	take := func(bytes int) { p.Do(func(a *Arena) { a.AllocBytes(bytes) }) }
	look(0, 0)
	take(50_000)
	look(time.Second, 50_000)
	take(9000)
	look(lately, 50_000)
	take(9000)
	look(lately-1, 50_000)
	look(1, 9000)
	take(20_000)
	look(10*lately, 20_000)
	look(lately, p.stats.Counts().Held)
}

// The histogram of used memory includes forks, in every mode of a pool. Without forks it would suggest
// smaller chunks.
func TestUsedAtPutInEachMode(t *testing.T) {
	for name, mode := range map[string]func(*ArenaPool){
		"plain":    func(*ArenaPool) {},
		"isolated": func(p *ArenaPool) { p.SetIsolation(true) },
		"guarded":  func(p *ArenaPool) { p.SetMisuseSampling(1, nil) },
		"heap":     func(*ArenaPool) { SetEnabled(false) },
	} {
		p := NewAutoPool(0)
		mode(p)
		defer SetEnabled(true)
		for range 2 {
			p.Do(func(a *Arena) {
				a.AllocBytes(1000)
				f := a.Fork()
				f.AllocBytes(500)
				f.Fork().AllocBytes(100)
			})
		}
		p.Do(func(a *Arena) { a.Fork() })
		p.Do(func(a *Arena) { a.AllocBytes(1); a.Reset() })
		if s := p.Stats(); s.Unused != 2 || s.UsedAtPut.Counts[0] != 2 || s.NoArena != 0 {
			t.Errorf("%s: %d arenas unused, %d in the smallest class, want 2", name, s.Unused, s.UsedAtPut.Counts[0])
		}
		u := p.Stats().UsedAtPut
		u.Counts[0] = 0
		if u.Count() != 2 || u.Counts[3] != 2 || u.Bytes < 3200 || u.Bytes > 3248 {
			t.Errorf("%s: %+v of two times 1600 bytes", name, u)
		}
		for bound, n := range u.Buckets() {
			if (n == 2) != (bound >= 2048) {
				t.Errorf("%s: %d arenas of at most %d bytes", name, n, bound)
			}
		}
	}
}
