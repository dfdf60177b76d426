package suite

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
	"weak"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// keepsArenas skips a test of idle arenas in builds that never reuse one.
func keepsArenas(t *testing.T) {
	if check.Race && check.On {
		t.Skip("under the race detector each arena serves one request")
	}
}

// burst runs request with n arenas in use at the same time.
func burst(p *arena.ArenaPool, n int, request func(a *arena.Arena)) {
	out := make([]*arena.Arena, n)
	for i := range out {
		out[i] = p.Get()
		request(out[i])
	}
	for i, a := range out {
		p.Put(a)
		out[i] = nil
	}
}

func request3KB(a *arena.Arena) {
	a.AllocBytes(2000)
	for range 30 {
		arena.New[textPair](a).a = "x"
	}
}

// A burst after a pause finds warm arenas. A sync.Pool alone would have dropped them.
func TestPoolIsWarmAfterAPause(t *testing.T) {
	keepsArenas(t)
	for _, pause := range []int{2, 3, 10} {
		for _, n := range []int{1, 2, 10, 300} {
			for name, p := range map[string]*arena.ArenaPool{"fixed": arena.NewArenaPool(1000, 0), "auto": arena.NewAutoPool(0)} {
				for range 3 {
					burst(p, n, request3KB)
				}
				for round := range 3 {
					testkit.Finalizers(t, pause)
					testkit.Finalizers(t, 1) // waits for the last one's finalizers
					misses := p.Stats().Misses
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					burst(p, n, request3KB)
					runtime.ReadMemStats(&after)
					if got := p.Stats().Misses - misses; got != 0 {
						t.Errorf("%s: %d of %d requests found no arena after %d collections, round %d", name, got, n, pause, round)
					}
					if got := int(after.TotalAlloc-before.TotalAlloc) / n; got > 1200 && !check.On && n > 10 {
						t.Errorf("%s: %d bytes from the heap for each of %d requests after %d collections", name, got, n, pause)
					}
				}
			}
		}
	}
}

// Idle memory uses its bound and does not exceed it. Many small arenas are kept rather than a few that one
// client made large.
func TestKeepIdle(t *testing.T) {
	keepsArenas(t)
	testkit.NeedsReuse(t)
	kept := func(p *arena.ArenaPool) arena.PoolStats {
		testkit.Finalizers(t, 7)
		return p.Stats()
	}
	request := func(n int) func(a *arena.Arena) { return func(a *arena.Arena) { a.AllocBytes(n) } }

	p := arena.NewArenaPool(10_000, 1<<20)
	p.SetMaxIdleBytes(100_000)
	burst(p, 50, request(10_000))
	if s := kept(p); s.RetainedBytes != 100_000 || s.Arenas != 10 {
		t.Errorf("100000 bytes: %+v", s)
	}
	p.SetMaxIdleBytes(99_999)
	if s := kept(p); s.RetainedBytes != 90_000 || s.Arenas != 9 {
		t.Errorf("99999 bytes: %+v", s)
	}
	burst(p, 50, request(10_000))
	p.SetMaxIdleBytes(500_000)
	if s := kept(p); s.Arenas != 50 {
		t.Errorf("500000 bytes: %+v", s)
	}
	p.SetMaxIdleBytes(0)
	if s := kept(p); s.Arenas != 0 || s.RetainedBytes != 0 {
		t.Errorf("0 bytes: %+v", s)
	}
	burst(p, 50, func(a *arena.Arena) {})
	if s := kept(p); s.Arenas != 0 {
		t.Errorf("0 bytes, of arenas that have none: %+v", s)
	}
	p.SetMaxIdleBytes(200_000)
	burst(p, 30, request(10_000))
	var out []*arena.Arena
	for range 3 {
		out = append(out, p.Get())
		for range 40 { // until the pool has settled
			out[len(out)-1].AllocBytes(90_000)
			out[len(out)-1].Reset()
		}
	}
	for i, a := range out {
		p.Put(a)
		out[i] = nil
	}
	if s := kept(p); s.Arenas != 20 || s.RetainedBytes != 200_000 {
		t.Errorf("27 small ones, 3 large ones and room for 20: %+v", s)
	}
	testkit.WantPanic(t, func() { p.SetMaxIdleBytes(-1) }, "SetMaxIdleBytes", "-1")

	// The default is 32 MB.
	p = arena.NewArenaPool(1<<20, 0)
	burst(p, 40, request(1<<20))
	if s := kept(p); s.RetainedBytes != 32<<20 {
		t.Errorf("by default: %+v", s)
	}
}

// collections returns the number of completed collections.
func collections() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}

// SetCollectAfter makes a pool collect the memory it drops. Otherwise the library never calls runtime.GC.
func TestSetCollectAfter(t *testing.T) {
	keepsArenas(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	drop := func(p *arena.ArenaPool, bytes int) {
		a := p.Get()
		a.AllocBytes(bytes)
		a.Release()
		p.Put(a)
	}
	var p arena.ArenaPool
	before := collections()
	for range 10 {
		drop(&p, 8<<20)
	}
	p.SetCollectAfter(1 << 20)
	p.SetCollectAfter(0)
	drop(&p, 8<<20)
	if time.Sleep(50 * time.Millisecond); collections() != before {
		t.Errorf("%d collections by default", collections()-before)
	}
	p.SetCollectAfter(1 << 20)
	drop(&p, 500_000)
	if time.Sleep(50 * time.Millisecond); collections() != before {
		t.Errorf("%d collections after half of what SetCollectAfter said", collections()-before)
	}
	drop(&p, 600_000)
	for tries := 0; collections() == before; tries++ {
		if time.Sleep(10 * time.Millisecond); tries == 500 {
			t.Fatal("no collection after more than SetCollectAfter said")
		}
	}
	testkit.WantPanic(t, func() { p.SetCollectAfter(-1) }, "SetCollectAfter", "-1")
	(*arena.ArenaPool)(nil).SetCollectAfter(1)
}

// The cleanups and finalizers of a pool must not keep it alive, or a program that makes a pool for each job
// would leak them.
func TestPoolThatNobodyHasIsCollected(t *testing.T) {
	var gone []weak.Pointer[arena.ArenaPool]
	for i := range 20 {
		p := arena.NewArenaPool(1<<20, 0)
		burst(p, 3, func(a *arena.Arena) { a.AllocBytes(1 << 20) })
		gone = append(gone, weak.Make(p))
		if i%2 == 0 {
			testkit.Finalizers(t, 3)
			burst(p, 2, func(a *arena.Arena) {})
		}
	}
	for tries := 0; ; tries++ {
		testkit.Finalizers(t, 1)
		left := 0
		for _, w := range gone {
			if w.Value() != nil {
				left++
			}
		}
		if left == 0 {
			break
		}
		if tries == 100 {
			t.Fatalf("%d of %d pools are still there", left, len(gone))
		}
	}
}

// A reused arena that leaks is counted, also if it is reachable from its own memory. The collector never runs
// finalizers of a cycle.
func TestKeptArenasAreLeakedLikeOthers(t *testing.T) {
	type handler struct {
		a    *arena.Arena
		pool *arena.ArenaPool
	}
	p := arena.NewArenaPool(1000, 0)
	leak := func() {
		a := p.Get()
		*arena.New[handler](a) = handler{a, p}
	}
	burst(p, 4, request3KB)
	testkit.Finalizers(t, 4)
	leak()
	leak()
	wantLeaks(t, p, 2)
	if s := p.Stats(); s.Gets != 6 || s.Puts != 4 {
		t.Errorf("%+v", s)
	}
	leak() // a new arena, or one from the sync.Pool
	wantLeaks(t, p, 3)
}

// wantLeaks waits until the pool has noticed n leaks.
func wantLeaks(t *testing.T, p *arena.ArenaPool, n uint64) {
	t.Helper()
	for range 1000 {
		if runtime.GC(); p.Stats().Leaked == n {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%d leaks were noticed, want %d", p.Stats().Leaked, n)
}
