package machine

import (
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// An allocator that continues with its chunk beside a new one must not lose it, because Empty and Rewind
// start from it. This happens only if another goroutine takes the rest of a pool's total at the wrong moment,
// so the test calls the function directly.
func TestLimitKeepsTheChunkBeside(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	var r Region
	r.Init(40_000, 400_000)
	r.Quota(func(why Refusal) { panic(why) }).SetLimit(1 << 20)
	MakeSlice[byte](&r, 30_000, 30_000)
	r.Empty()
	r.Quota(nil).SetLimit(64_000)
	al := &r.Noscan
	if al.used() != 0 || al.cap != 40_000 {
		t.Fatalf("the allocator's chunk has %d bytes, %d in use", al.cap, al.used())
	}
	if n := refused(func() { al.newChunk(50_000, 0) }); n != 50_000 || al.cap != 40_000 {
		t.Errorf("%d bytes were refused, and the allocator's chunk has %d bytes", n, al.cap)
	}
	MakeSlice[byte](&r, 50_000, 50_000) // drops idle chunks, and fits
	if got := r.Quota(nil).Held(); got != r.Stats().Held {
		t.Errorf("the quota counts %d bytes of %d", got, r.Stats().Held)
	}
	if r.Empty(); r.UsedBytes() != 0 {
		t.Errorf("%d bytes in use after Empty", r.UsedBytes())
	}
}

// refused returns the number of bytes that a limit refused to f, 0 if f returned.
func refused(f func()) (bytes uintptr) {
	defer func() {
		if e := recover(); e != nil {
			bytes = e.(Refusal).Asked
		}
	}()
	f()
	return 0
}

// The current chunk is not idle if the allocator has values in other chunks, even if it has none itself.
func TestLimitKeepsEmptyChunkOfUsedAllocator(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	var r Region
	r.Init(40_000, 400_000)
	r.Quota(func(why Refusal) { panic(why) }).SetLimit(1 << 20)
	MakeSlice[byte](&r, 30_000, 30_000)
	r.Empty()
	r.Quota(nil).SetLimit(120_000)
	MakeSlice[byte](&r, 50_000, 50_000)
	if al := &r.Noscan; al.used() != 0 || len(al.full) != 1 {
		t.Fatalf("%d bytes in use of the current chunk, %d full chunks", al.used(), len(al.full))
	}
	n := int(40_000 / xunsafe.SizeOf[uintptr]())
	if refused(func() { MakeSlice[*int](&r, n, n) }) == 0 {
		t.Error("the limit allows more bytes than the memory in use leaves")
	}
	if n := r.UsedBytes(); n != 50_000 {
		t.Errorf("%d bytes in use after the refusal, want 50000", n)
	}
}

// Chunks in the arena's own cache are idle: an allocation that needs their bytes is not refused.
func TestLimitDropsOwnCache(t *testing.T) {
	if check.On || check.Race {
		t.Skip("no chunk is cached")
	}
	const limit = 64 << 10
	var r Region
	r.Init(1024, 32<<10)
	r.Quota(func(why Refusal) { panic(why) }).SetLimit(limit)
	for i := 0; r.ownCache().Bytes() == 0; i++ {
		for range 1 + i%2*20 {
			MakeSlice[byte](&r, 1000, 1000)
		}
		if r.Empty(); i == 100 {
			t.Fatal("no chunk was cached")
		}
	}
	if n := refused(func() { MakeSlice[byte](&r, limit, limit) }); n != 0 {
		t.Errorf("%d bytes were refused to an empty arena, whose limit is %d", n, limit)
	}
	if held := r.Quota(nil).arena.Held(); held != limit || r.Stats().Held != limit {
		t.Errorf("%d bytes are counted, and %d are held", held, r.Stats().Held)
	}
}

// The chunks of a forgotten fork count as dropped, and later uses of the fork count nowhere.
func TestForget(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	r, stats, st := quota(0, 1<<20)
	MakeSlice[byte](r, 100_000, 100_000)
	MakeSlice[*int](r, 100, 100)
	was, q := r.Stats(), r.Quota(nil)
	q.Forget()
	if c := stats.Counts(); c.Dropped != uint64(was.Chunks) || c.DroppedBytes != uint64(was.Held) || c.Held != 0 || c.Out != 0 || st.Held() != 0 {
		t.Errorf("%d chunks with %d bytes were forgotten: %+v, and the arena has %d bytes", was.Chunks, was.Held, c, st.Held())
	}
	before := stats.Counts()
	MakeSlice[byte](r, 300_000, 300_000)
	if c := stats.Counts(); c != before || st.Held() != 0 {
		t.Errorf("a late use counts: %+v, %+v before, and the arena has %d bytes", c, before, st.Held())
	}
	if !q.arena.inUse() {
		t.Error("a checked build would report an arena that was put back")
	}
}
