package machine

import (
	"testing"

	"github.com/ebbpool/arena/internal/check"
)

// Which kept chunk is taken: a small value that took a large chunk would leave none
// for a large value, and a large one that fills little of its chunk most of it.
func TestWhichKeptChunkIsTaken(t *testing.T) {
	l := needy(0, nil, []uintptr{1000, 8000})
	for _, tt := range []struct {
		need        uintptr
		next, tight int
	}{{8, 0, -1}, {120, 0, -1}, {128, 1, -1}, {496, 1, -1}, {504, 1, 0}, {1000, 1, 0}, {1008, 1, -1}, {4000, 1, 1}, {8000, 1, 1}, {8008, -1, -1}} {
		if next, tight := l.nextFree(tt.need), l.bestFit(tt.need); next != tt.next || tight != tt.tight {
			t.Errorf("for %d bytes: %d comes next, %d is tight, want %d and %d", tt.need, next, tight, tt.next, tt.tight)
		}
	}
}

// A piece gets a chunk of its own where the current one has room worth keeping,
// and the piece is large: at each boundary, or lanes end up with many chunks of
// which each has one value, or with most of one unused.
func TestWhatGetsItsOwnChunk(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	for _, tt := range []struct {
		name             string
		want, left, size uintptr
		free             []uintptr
		own              bool
	}{
		{"a quarter is left", 100_000, 4000, 20_000, nil, true},
		{"less than a quarter is left", 100_000, 3992, 20_000, nil, false},
		{"a sixteenth of what is held", 100_000, 12_000, 6008, nil, true},
		{"less, though it is much of the next chunk", 100_000, 12_000, 5992, nil, false},
		{"a kept chunk is tight", 100_000, 12_000, 12_008, []uintptr{20_000}, true},
		{"a kept chunk has room, and would be wasted", 100_000, 12_000, 20_000, []uintptr{160_000}, false},
	} {
		l := needy(tt.want, []uintptr{80_000, 16_000}, tt.free)
		l.Lo -= tt.left
		if own := l.wantsOwnChunk(tt.size); own != tt.own {
			t.Errorf("%s: a chunk of its own: %t", tt.name, own)
		}
	}
}

// A chunk that nothing is in is not one of those that the epoch was through.
func TestEmptyChunkIsKeptAside(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	var r Region
	r.Init(64<<10, 1<<20)
	l := r.FlatLane()
	m := r.Mark()
	l.reserveLarge(8)
	r.Rewind(m)
	first := l.cap
	if l.reserveLarge(2 * first); len(l.older) != 0 || len(l.free) != 1 || l.needBytes() != 2*first {
		t.Errorf("%d full chunks, %d kept, %d bytes needed", len(l.older), len(l.free), l.needBytes())
	}
}

// What may be kept can have become less since it was made.
func TestEmptyHoldsItsLimit(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	for _, free := range [][]uintptr{nil, {800}} {
		l := needy(8000, []uintptr{4000}, free)
		limit := uintptr(3000)
		if free != nil {
			limit = 4100
		}
		if l.empty(limit); l.HeldBytes() > limit {
			t.Errorf("beside %d: %d bytes are kept, more than %d", free, l.HeldBytes(), limit)
		}
	}
}

// Misfits are chunks that the epoch used and that would have been kept alone: others
// say nothing of what the next epoch needs.
func TestWhatIsAMisfit(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	for _, tt := range []struct {
		name       string
		used, free []uintptr
		misfit     uint8
	}{
		{"a chunk of the epoch", []uintptr{8000, 6000}, nil, recent},
		{"one that it did not come to", []uintptr{8000}, []uintptr{6000}, 0},
		{"one beyond what is wanted", []uintptr{8000, 10_000}, nil, 0},
	} {
		l := needy(9000, tt.used, tt.free)
		if l.trim(1<<20, 0); l.retention.misfit != tt.misfit {
			t.Errorf("%s: %d, want %d", tt.name, l.retention.misfit, tt.misfit)
		}
	}
}

// Beside its first chunk a lane may keep another one of the least size, however
// small it is: epochs that need one in turn with two would make it each time.
func TestTwoSmallChunksStay(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	l := needy(600, []uintptr{600, 520}, nil)
	l.retention = newRetention(600, FlatAlign)
	l.retention.want = 600
	if l.trim(1<<20, 0); len(l.sizes()) != 1 {
		t.Errorf("%d stay where one is enough", l.sizes())
	}
	l = needy(600, []uintptr{520, 512}, nil)
	l.retention = newRetention(600, FlatAlign)
	l.retention.want = 600
	if l.trim(1<<20, 0); len(l.sizes()) != 2 {
		t.Errorf("%d stay, want 520 and 512", l.sizes())
	}
}

// A lane's lists must not lead to chunks that it let go of: the collector would
// keep them for as long as the arena.
func TestListsHoldOnToNothing(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	empty := func(name string, list []chunk) {
		t.Helper()
		for i := range list {
			if list[i].Base != nil {
				t.Errorf("%s: entry %d of %d leads to a chunk", name, i, len(list))
			}
		}
	}
	typed := func(full int) *Lane {
		var r Region
		r.Init(64<<10, 1<<20)
		l := laneOf[*int](&r)
		for len(l.older) < full {
			New[*int](&r)
		}
		return l
	}
	l := typed(2)
	inLane, few := l.older[:2], cap(l.older)
	l.trim(1<<20, 1<<20)
	empty("the list in the lane", inLane)
	l = typed(few)
	inLane = l.older[:few]
	l.retire(chunk{Base: MakeFlat(8), cap: 8, Hi: 8})
	empty("the list in the lane, outgrown", inLane)
	l = needy(7000, []uintptr{1024, 4096, 2048}, nil)
	l.trim(1<<20, 0)
	empty("full chunks", l.older[:cap(l.older)])
	l = needy(6000, []uintptr{2048, 4096}, []uintptr{1000, 3000, 3000})
	l.trim(1<<20, 0)
	empty("kept chunks", l.free[len(l.free):cap(l.free)])

	// Nor are lists kept that the next epoch will hardly need.
	l = needy(2<<10, hundred(), nil)
	if l.trim(1<<20, 0); cap(l.older) > mostListed {
		t.Errorf("a list for %d chunks is kept", cap(l.older))
	}
	l = needy(4096, []uintptr{1024, 4096}, nil)
	if l.trim(1<<20, 4096); l.older != nil || l.free != nil {
		t.Errorf("lists for %d and %d chunks are kept where there is none", cap(l.older), cap(l.free))
	}
}

// hundred are the sizes of a hundred small chunks.
func hundred() (sizes []uintptr) {
	for range 100 {
		sizes = append(sizes, 256)
	}
	return sizes
}

// Lanes that are cut to one size leave a sixteenth of it to those that grow.
func TestShrinkLeavesASixteenth(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	a, b, small := needy(8000, nil, []uintptr{3000, 5000}), needy(8000, nil, []uintptr{3000, 5000}), needy(512, nil, []uintptr{512})
	lanes := []*Lane{a, b, small}
	cut(lanes, commonSize(lanes, 0, 8512))
	if a.retention.want != 4000-250 || b.retention.want != 4000-250 || small.retention.want != 512 {
		t.Errorf("cut to %d, %d and %d", a.retention.want, b.retention.want, small.retention.want)
	}
	if sum := a.HeldBytes() + b.HeldBytes() + small.HeldBytes(); sum > 8512 {
		t.Errorf("%d bytes are kept", sum)
	}
}

// An arena of a pool that has learned begins with its size hint, but not a lane
// whose own chunks come to that at once.
func TestExpect(t *testing.T) {
	for bytes, want := range map[uintptr]uintptr{1024: 0, 2048: 0, 2056: 2056} {
		var l Lane
		l.initFlat(1024)
		if l.Expect(bytes); l.retention.want != want {
			t.Errorf("with %d expected: %d", bytes, l.retention.want)
		}
	}
	if r := newRetention(MaxAlloc, 8); r.largest > MaxAlloc {
		t.Errorf("growth makes chunks of %d bytes", r.largest)
	}
}
