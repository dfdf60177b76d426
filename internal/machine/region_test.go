package machine

import (
	"testing"

	"github.com/ebbpool/arena/internal/check"
)

// A new allocator begins with small chunks and reaches its chunk size with the third. One with an estimate,
// or with large chunks, begins with what it needs.
func TestColdSizes(t *testing.T) {
	for _, tt := range []struct{ chunk, held, want uintptr }{
		{512, 0, 512}, {4096, 0, 1024}, {64 << 10, 0, 1024}, {64 << 10, 1024, 8192}, {64 << 10, 9216, 64 << 10},
		{1 << 20, 0, 16 << 10}, {1 << 20, 16 << 10, 128 << 10},
	} {
		var al Allocator
		al.initNoscan(tt.chunk)
		al.cap = tt.held
		if got := al.coldSize(8); !al.isCold() || got != tt.want {
			t.Errorf("chunks of %d, %d held: cold %t, a chunk of %d, want %d", tt.chunk, tt.held, al.isCold(), got, tt.want)
		}
	}
	var al Allocator
	if al.initNoscan(1<<20 + 8); al.isCold() {
		t.Error("large chunks begin small")
	}
	al = Allocator{}
	al.initNoscan(64 << 10)
	if al.retention.target = 5000; al.isCold() {
		t.Error("an allocator that knows what cycles need begins small")
	}
}

// The maximum use is recorded however it ends.
func TestHighWaterIsSeen(t *testing.T) {
	for name, end := range map[string]func(r *Region, m Mark){
		"Empty":   func(r *Region, _ Mark) { r.Empty() },
		"Release": func(r *Region, _ Mark) { r.Release() },
		"Rewind":  func(r *Region, m Mark) { r.Rewind(m) },
	} {
		var r Region
		r.Init(4096, 40960)
		m := r.Mark()
		MakeSlice[byte](&r, 3000, 3000)
		end(&r, m)
		if n := r.Stats(); n.HighWater < 3000 || n.Used != 0 {
			t.Errorf("%s: %d bytes at most, %d now", name, n.HighWater, n.Used)
		}
	}
}

// Marks with nothing in between are one mark. A type first used in between counts as something.
func TestMarksWithATypeBetween(t *testing.T) {
	var r Region
	r.Init(4096, 40960)
	first := r.Mark()
	if again := r.Mark(); !check.On && again != first {
		t.Errorf("%v and %v with nothing between", first, again)
	}
	New[*int](&r)
	if later := r.Mark(); later == first {
		t.Error("one mark before and after a value of a new type")
	}
}

// The next cycle finds the memory that a loop with marks needs, and the list of its chunks contains none that
// was dropped.
func TestRewindIsLearnedFrom(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	var r Region
	r.Init(1024, 1<<20)
	m := r.Mark()
	for range 5 {
		MakeSlice[byte](&r, 4000, 4000)
	}
	al := &r.Noscan
	full := al.full
	r.Rewind(m)
	for i := range full {
		if full[i].Base != nil {
			t.Errorf("entry %d of %d leads to a chunk", i, len(full))
		}
	}
	if r.Empty(); al.retention.target < 20_000 {
		t.Errorf("after a cycle that had 20000 bytes the next one finds %d", al.retention.target)
	}
}

// A region that replaces another has all of its memory and its quota.
func TestMoveTo(t *testing.T) {
	var r, to Region
	r.Init(1024, 100<<10)
	m := r.Quota(func(why Refusal) { panic(why) })
	New[*int](&r)
	New[int](&r)
	r.Empty()
	held := r.Stats().Held
	r.MoveTo(&to)
	if n := to.Stats(); n.Held != held || n.Types != 1 || n.Resets != 1 {
		t.Errorf("of %d bytes there are %+v", held, n)
	}
	if n := r.Types.allocators; len(n) != 0 || r.Noscan.Base != nil {
		t.Errorf("%d allocators are left behind", len(n))
	}
	if m.SetLimit(64 << 10); to.MaxRetained != 32<<10 {
		t.Errorf("with half of a limit of 65536 at most %d bytes are kept", to.MaxRetained)
	}
}

// The state that codecs keep with a region ends with Release. Otherwise an arena that has released its memory
// would still hold it.
func TestStateEndsWithRelease(t *testing.T) {
	type buffers struct{ n int }
	var r Region
	r.Init(1024, 100<<10)
	State[buffers](&r).n = 1
	if r.Empty(); State[buffers](&r).n != 1 {
		t.Error("a cycle's end has cost the state")
	}
	if r.Release(); State[buffers](&r).n != 0 {
		t.Error("the state is still there after Release")
	}
}
