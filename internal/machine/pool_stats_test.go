package machine

import (
	"testing"

	"github.com/ebbpool/arena/internal/check"
)

// of returns a region of an arena in use, of the pool that t counts.
func of(t *PoolStats) (*Region, *ArenaStats) {
	r, st := new(Region), new(ArenaStats)
	r.Init(1000, 1<<20)
	r.Quota(func(why Refusal) { panic(why) }).Share(t, st)
	st.Generation.Store(1)
	return r, st
}

func refusal(f func()) (why *Refusal) {
	defer func() {
		if e := recover(); e != nil {
			r := e.(Refusal)
			why = &r
		}
	}()
	f()
	return nil
}

// A total may be used to the byte, whether memory is allocated or retained; a byte more is refused.
func TestTotalFitsExactly(t *testing.T) {
	var stats PoolStats
	stats.Total.Store(10_000)
	_, other := of(&stats)
	other.held.Store(4000)
	if !other.BeginCount(&stats) || stats.Counts().Out != 4000 {
		t.Fatalf("%+v", stats.Counts())
	}
	_, st := of(&stats)
	st.held.Store(6001)
	if st.BeginCount(&stats) || stats.Counts().Out != 4000 {
		t.Errorf("6001 bytes that were kept fit into 6000: %+v", stats.Counts())
	}
	st.held.Store(0)
	st.EndCount(&stats)
	st.held.Store(6000)
	if !st.BeginCount(&stats) || stats.Counts().Out != 10_000 {
		t.Errorf("6000 bytes that were kept don't fit into 6000: %+v", stats.Counts())
	}
	st.EndCount(&stats)
	if check.On {
		return // redzones also take room
	}
	r, st := of(&stats)
	st.BeginCount(&stats)
	if why := refusal(func() { MakeSlice[byte](r, 6008, 6008) }); why == nil || why.Asked != 6008 || why.Others != 4000 || !why.Pool {
		t.Errorf("6008 bytes fit into 6000: %+v", why)
	}
	if why := refusal(func() { MakeSlice[byte](r, 6000, 6000) }); why != nil || stats.Counts().Out != 10_000 {
		t.Errorf("6000 bytes don't fit into 6000: %+v, %+v", why, stats.Counts())
	}
	st.EndCount(&stats)
	other.EndCount(&stats)
	if stats.Counts().Out != 0 {
		t.Errorf("in the end: %+v", stats.Counts())
	}
}

// An empty chunk that is dropped for a needed one counts until it is gone. If another arena could use its
// bytes earlier, both would exceed the total. To observe that moment, the test makes dropping the chunk fail.
func TestIdleChunkCountsUntilItIsGone(t *testing.T) {
	if check.On || check.Race {
		t.Skip("no chunk is kept, or the panic would leave the race detector blind")
	}
	var stats PoolStats
	r, st := of(&stats)
	MakeSlice[*int](r, 1000, 1000)
	r.Empty()
	idle := r.Quota(nil).Held()
	total := idle + idle/4
	stats.Total.Store(total)
	if len(r.Types.allocators) != 1 || r.Types.allocators[0].cap != idle || !st.BeginCount(&stats) {
		t.Fatalf("%d bytes are idle, %+v", idle, stats.Counts())
	}
	r.Types.allocators[0].ops.quota = &Quota{pool: new(PoolStats)} // without ArenaStats
	func() {
		defer func() {
			if recover() == nil {
				t.Error("nothing was let go of")
			}
		}()
		MakeSlice[byte](r, int(idle/2), int(idle/2))
	}()
	if out := stats.Counts().Out; out != idle {
		t.Errorf("%d bytes count while %d are there", out, idle)
	}

	// Afterwards it no longer counts.
	r, st = of(&stats)
	stats.out.Store(0)
	MakeSlice[*int](r, 1000, 1000)
	r.Empty()
	st.EndCount(&stats)
	st.BeginCount(&stats)
	MakeSlice[byte](r, int(idle/2), int(idle/2))
	if out := stats.Counts().Out; out != r.Quota(nil).Held() || out >= idle {
		t.Errorf("%d bytes count, %d are there", out, r.Quota(nil).Held())
	}
}

// An arena that was put back has no share of the total, whatever a program does with it. What it holds counts
// once when it is in use again.
func TestTotalKnowsNothingOfWhatIsIdle(t *testing.T) {
	if check.On {
		t.Skip("a use of an idle arena panics")
	}
	var stats PoolStats
	stats.Total.Store(1 << 20)
	r, st := of(&stats)
	for range 40 {
		st.Generation.Add(1)
		st.EndCount(&stats)
		MakeSlice[*int](r, 100, 100)
		MakeSlice[byte](r, 3000, 3000)
		if out := stats.Counts().Out; out != 0 {
			t.Fatalf("%d bytes count, and no arena is out", out)
		}
		st.Generation.Add(1)
		held := r.Quota(nil).Held()
		if !st.BeginCount(&stats) || stats.Counts().Out != held {
			t.Fatalf("%d bytes count, %d are there", stats.Counts().Out, held)
		}
		r.Release()
	}
}

// A refusal leaves both counters unchanged. It names the limit that would not allow the bytes even after idle chunks
// are dropped.
func TestReserve(t *testing.T) {
	for _, tt := range []struct {
		limit, total, held, n, idle uintptr
		fits, refused, pool         bool
	}{
		{0, 0, 500, 1000, 0, true, false, false},
		{1500, 0, 500, 1000, 0, true, false, false},
		{1499, 0, 500, 1000, 0, false, true, false},
		{0, 1500, 500, 1000, 0, true, false, false},
		{0, 1499, 500, 1000, 0, false, true, true},
		{2000, 1499, 500, 1000, 0, false, true, true},
		{1000, 0, 500, 1000, 500, false, false, false},
		{999, 0, 500, 1000, 500, false, true, false},
		{1000, 1000, 500, 1000, 500, false, false, false},
		{1000, 999, 500, 1000, 500, false, true, true},
		{600, 600, 500, 100, 300, true, false, false},
		{100, 0, 500, 200, 300, false, true, false},
		{0, 100, 500, 200, 300, false, true, true},
		{1000, 0, 500, 600, 501, false, false, false}, // a fork drops the idle chunks meanwhile
		{0, 1000, 500, 600, 520, false, false, false},
		{500, 0, 500, 600, 501, false, true, false},
	} {
		var stats PoolStats
		st := new(ArenaStats)
		st.held.Store(tt.held)
		if !st.BeginCount(&stats) {
			t.Fatal("no total refuses nothing")
		}
		stats.out.Add(7) // another arena's
		st.Limit.Store(tt.limit)
		if tt.total != 0 {
			stats.Total.Store(tt.total + 7)
		}
		want := tt.held
		if fits := st.reserve(&stats, tt.n); fits != tt.fits {
			t.Errorf("%+v: fits %t", tt, fits)
		} else if fits {
			want += tt.n
		} else {
			r := st.refusal(&stats, tt.n, tt.idle)
			if (r != nil) != tt.refused || r != nil && (r.Pool != tt.pool || r.Asked != tt.n || r.InUse+r.Asked <= r.Limit || tt.pool && r.Others != 7) {
				t.Errorf("%+v: refused %+v", tt, r)
			}
			if r != nil && !r.Pool && r.InUse != tt.held-min(tt.held, tt.idle) {
				t.Errorf("%+v: %d bytes in use", tt, r.InUse)
			}
			if left := (&Quota{arena: st, pool: &stats}).leaves(tt.idle); (left < tt.n) != tt.refused {
				t.Errorf("%+v: %d bytes are left", tt, left)
			}
		}
		if st.Held() != want || st.Charged.Load() != want || stats.out.Load() != want+7 {
			t.Errorf("%+v: %d bytes are held, %d charged, %d out", tt, st.Held(), st.Charged.Load(), stats.out.Load())
		}
		if st.EndCount(&stats); st.Charged.Load() != 0 || stats.out.Load() != 7 {
			t.Errorf("%+v: %d bytes are charged in the end, %d out", tt, st.Charged.Load(), stats.out.Load())
		}
	}
}

// Bytes outside of chunks count like chunks, also in an arena that gets its limit later.
func TestCharge(t *testing.T) {
	var stats PoolStats
	r, st := of(&stats)
	st.BeginCount(&stats)
	stats.Total.Store(10_000)
	r.Charge(4000)
	r.Charge(6000)
	if why := refusal(func() { r.Charge(1) }); why == nil || why.Asked != 1 || !why.Pool {
		t.Errorf("%+v", why)
	}
	if c := stats.Counts(); c.Out != 10_000 || c.Held != 10_000 || st.Held() != 10_000 {
		t.Errorf("%+v, %d bytes", c, st.Held())
	}
	r.Discharge(10_000)
	if c := stats.Counts(); c.Out != 0 || c.Held != 0 || st.Held() != 0 {
		t.Errorf("%+v, %d bytes", c, st.Held())
	}

	var late Region
	late.Init(1000, 1<<20)
	late.Charge(4000)
	q := late.Quota(func(why Refusal) { panic(why) })
	q.SetLimit(5000)
	if why := refusal(func() { late.Charge(1001) }); q.Held() != 4000 || why == nil || why.InUse != 4000 {
		t.Errorf("%d bytes, %+v", q.Held(), why)
	}
	late.Charge(1000)
	late.Discharge(5000)
	if q.Held() != 0 {
		t.Errorf("%d bytes", q.Held())
	}
}

// TestIdleChunkCountsUntilItIsGone for the limit of an arena and its forks.
func TestIdleChunkCountsForItsForksUntilItIsGone(t *testing.T) {
	if check.On || check.Race {
		t.Skip("no chunk is kept, or the panic would leave the race detector blind")
	}
	r := new(Region)
	r.Init(1000, 1<<20)
	m := r.Quota(func(why Refusal) { panic(why) })
	m.IdleForks = func(bool) uintptr { return 0 }
	MakeSlice[*int](r, 1000, 1000)
	r.Empty()
	idle := m.Held()
	m.SetLimit(idle + idle/4)
	r.Types.allocators[0].ops.quota = &Quota{pool: new(PoolStats)} // without ArenaStats
	func() {
		defer func() {
			if recover() == nil {
				t.Error("nothing was let go of")
			}
		}()
		MakeSlice[byte](r, int(idle/2), int(idle/2))
	}()
	if held := m.arena.Held(); held != idle {
		t.Errorf("%d bytes count while %d are there", held, idle)
	}
}
