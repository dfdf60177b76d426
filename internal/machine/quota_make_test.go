package machine

import (
	"errors"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// errMake is the panic of a failing make.
var errMake = errors.New("makeslice: len out of range")

// noMemory is a memoryOps whose make fails.
type noMemory struct{ memoryOps }

func (noMemory) make(uintptr) xunsafe.Pointer { panic(errMake) }

// littleMemory makes 8 bytes and records the requested size.
type littleMemory struct {
	memoryOps
	asked *uintptr
}

func (m littleMemory) make(bytes uintptr) xunsafe.Pointer {
	*m.asked = bytes
	return MakeNoscan(8)
}

// failing runs f while all allocators of r fail to make chunks, and reports whether one tried.
func failing(r *Region, f func()) (tried bool) {
	for _, al := range append([]*Allocator{&r.Noscan}, r.Types.allocators...) {
		ops := al.ops
		defer func() { al.ops = ops }()
		failing := *ops
		failing.memoryOps = noMemory{failing.memoryOps}
		al.ops = &failing
	}
	defer func() {
		if e := recover(); e == errMake {
			tried = true
		} else if e != nil {
			panic(e)
		}
	}()
	f()
	return false
}

// quota returns a region with a limit, and the statistics of a pool with a total; 0 means none.
func quota(limit, total uintptr) (*Region, *PoolStats, *ArenaStats) {
	r, t, st := new(Region), new(PoolStats), new(ArenaStats)
	r.Init(1024, 10*1024)
	t.Total.Store(total)
	st.Generation.Store(1) // in use
	m := r.Quota(func(why Refusal) { panic(why) })
	m.Share(t, st)
	st.Generation.Store(1) // in use
	m.SetLimit(limit)
	if total != 0 {
		st.BeginCount(t)
	}
	return r, t, st
}

// If make panics because a size is impossible, the chunk must not stay counted, or repeated attempts use up
// the pool's total.
func TestFailedMakeIsNotCounted(t *testing.T) {
	if check.On {
		t.Skip("the checks take noscan memory in runs of pages")
	}
	for name, limits := range map[string]struct{ each, all uintptr }{
		"none": {}, "own": {1 << 20, 0}, "total": {0, 1 << 20}, "both": {1 << 20, 2 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			r, stats, st := quota(limits.each, limits.all)
			MakeSlice[byte](r, 100, 100)
			MakeSlice[[2]string](r, 1, 1)
			numbers, counts, held, charged := r.Stats(), stats.Counts(), st.Held(), st.Charged.Load()
			if counts.Held != held || held != numbers.Held || limits.all != 0 && charged != held || counts.Out != charged {
				t.Fatalf("%+v, %+v, %d bytes, %d of them charged", numbers, counts, held, charged)
			}
			for range 40 {
				for what, f := range map[string]func(){
					"bytes":    func() { MakeSlice[byte](r, 100_000, 100_000) },
					"pointers": func() { MakeSlice[[2]string](r, 2000, 2000) },
				} {
					if !failing(r, f) {
						t.Fatalf("%s: no chunk was made", what)
					}
				}
			}
			if got := r.Stats(); got != numbers {
				t.Errorf("%+v after chunks that could not be made, %+v before", got, numbers)
			}
			if got := stats.Counts(); got != counts {
				t.Errorf("the pool: %+v after chunks that could not be made, %+v before", got, counts)
			}
			if got := r.Quota(nil).Held(); got != held || st.Held() != held || st.Charged.Load() != charged {
				t.Errorf("the quota counts %d bytes, the account %d and %d, and %d and %d before",
					got, st.Held(), st.Charged.Load(), held, charged)
			}
			MakeSlice[byte](r, 500_000, 500_000) // panics if it is refused
		})
	}
}

// A chunk that was dropped to make room stays dropped if its successor cannot be made. The counters reflect
// both.
func TestFailedMakeAfterRoomWasMade(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	r, stats, st := quota(0, 100_000)
	MakeSlice[byte](r, 10_000, 10_000)
	r.Empty()
	if n := r.Stats().Held; n < 10_000 {
		t.Fatalf("%d bytes are kept", n)
	}
	if !failing(r, func() { MakeSlice[byte](r, 95_000, 95_000) }) {
		t.Fatal("no chunk was made")
	}
	if c := stats.Counts(); c.Held != 0 || c.Out != 0 || c.Dropped == 0 || st.Held() != 0 || r.Quota(nil).Held() != 0 || r.Stats().Held != 0 {
		t.Errorf("%+v, %+v, %d bytes, the account has %d", c, r.Stats(), r.Quota(nil).Held(), st.Held())
	}
	MakeSlice[byte](r, 95_000, 95_000)
}

// A failed make while there is no total must not change what counts when a total is set again.
func TestFailedMakeWithoutTotal(t *testing.T) {
	if check.On {
		t.Skip("the checks take noscan memory in runs of pages")
	}
	r, stats, _ := quota(0, 1<<20)
	MakeSlice[byte](r, 100_000, 100_000)
	stats.Total.Store(0)
	before := stats.Counts().Out
	if !failing(r, func() { MakeSlice[byte](r, 50_000, 50_000) }) {
		t.Fatal("no chunk was made")
	}
	if after := stats.Counts().Out; before < 100_000 || after != before {
		t.Errorf("%d bytes of the total, %d before", after, before)
	}
}

// An arena without a limit is also unchanged.
func TestFailedMakeWithoutQuota(t *testing.T) {
	if check.On {
		t.Skip("the checks take noscan memory in runs of pages")
	}
	var r Region
	r.Init(1024, 10*1024)
	MakeSlice[byte](&r, 100, 100)
	before := r.Stats()
	if !failing(&r, func() { MakeSlice[byte](&r, 50_000, 50_000) }) {
		t.Fatal("no chunk was made")
	}
	if after := r.Stats(); after != before {
		t.Errorf("%+v after a chunk that could not be made, %+v before", after, before)
	}
}

// A planned chunk never exceeds the maximum size of the runtime: on 32 bits, the chunks of a cycle can
// together be larger than one chunk may be.
func TestPlannedChunkIsNeverTooLarge(t *testing.T) {
	if check.On {
		t.Skip("the checks take noscan memory in runs of pages")
	}
	var r Region
	r.Init(1024, 10*1024)
	al := &r.Noscan
	asked := uintptr(0)
	ops := *al.ops
	ops.memoryOps = littleMemory{ops.memoryOps, &asked}
	al.ops = &ops
	for _, want := range []uintptr{MaxAlloc - 8, MaxAlloc, MaxAlloc + 8, MaxAlloc + MaxAlloc/8} {
		if al.newChunk(8, want); asked != min(want, MaxAlloc) {
			t.Errorf("a chunk of %d bytes for a plan of %d", asked, want)
		}
	}
}

// Nor does it stay counted for the arena and its forks.
func TestFailedMakeIsNotCountedForTheForks(t *testing.T) {
	if check.On {
		t.Skip("the checks take noscan memory in runs of pages")
	}
	r, _, _ := quota(1<<20, 2<<20)
	m := r.Quota(nil)
	m.IdleForks = func(bool) uintptr { return 0 }
	MakeSlice[byte](r, 100, 100)
	for range 40 {
		if !failing(r, func() { MakeSlice[byte](r, 100_000, 100_000) }) {
			t.Fatal("no chunk was made")
		}
	}
	if held := m.arena.Held(); held != m.Held() || held != r.Stats().Held {
		t.Errorf("%d bytes are counted, the quota has %d, and the chunks %d", held, m.Held(), r.Stats().Held)
	}
}

// A limit that is set later counts the existing chunks of all types, and the chunks in the arena's own cache.
func TestQuotaThatComesLate(t *testing.T) {
	var r Region
	r.Init(1024, 32*1024)
	for i := range 8 {
		for range 1 + i%2*20 {
			MakeSlice[byte](&r, 1000, 1000)
		}
		MakeSlice[*int](&r, 100, 100)
		MakeSlice[any](&r, 100, 100)
		if i < 7 {
			r.Empty()
		}
	}
	if !check.On && !check.Race && r.ownCache().Bytes() == 0 {
		t.Fatal("no chunk is cached")
	}
	q := r.Quota(func(why Refusal) { panic(why) })
	if held := q.Held() + r.ownCache().Bytes(); held != r.Stats().Held || held != q.arena.Held() || held < 100 {
		t.Errorf("the region counts %d bytes of %d, and the arena %d", held, r.Stats().Held, q.arena.Held())
	}
}

// Memory counts once against the total, however often it begins to count.
func TestBeginCountTwice(t *testing.T) {
	r, stats, st := quota(0, 1<<20)
	MakeSlice[byte](r, 100_000, 100_000)
	if !st.BeginCount(stats) || stats.Counts().Out != st.Held() {
		t.Errorf("%d bytes count against the total, and the arena has %d", stats.Counts().Out, st.Held())
	}
	if st.EndCount(stats); stats.Counts().Out != 0 {
		t.Errorf("%d bytes count against the total after the end", stats.Counts().Out)
	}
}
