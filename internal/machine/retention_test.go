package machine

import (
	"slices"
	"testing"

	"github.com/ebbpool/arena/internal/check"
)

// grown lists the chunks of an epoch that never has enough.
func grown(r *retention, n int) (sizes []uintptr) {
	held := uintptr(0)
	for range n {
		size := r.first()
		if held != 0 {
			size = r.next(held)
		}
		sizes = append(sizes, size)
		held += size
	}
	return sizes
}

// A first epoch's chunks are a promise: few objects cost little, many few
// chunks, and an epoch of any size no more than a few times what it uses.
func TestFirstEpochGrows(t *testing.T) {
	const chunk = 64 << 10
	flat, typed := newRetention(chunk, FlatAlign), newTypedRetention(chunk, 32)
	tiny, large := newTypedRetention(64, 32), newTypedRetention(chunk, 300)
	for _, tt := range []struct {
		name string
		r    retention
		want []uintptr
	}{
		{"flat", flat, []uintptr{chunk, chunk, 2 * chunk, 4 * chunk, 8 * chunk, 16 * chunk, 32 * chunk, 64 * chunk, 64 * chunk}},
		{"typed", typed, []uintptr{192, 3 * 192, 6 * 4 * 192, 6 * 28 * 192, 4 * 196 * 192, 4 * 5 * 196 * 192, 4 * 25 * 196 * 192}},
		{"small chunks", tiny, []uintptr{64, 3 * 64, 4 * 256, 4096, 4096, 4096}},
		{"large objects", large, []uintptr{300, 3 * 300, 6 * 1200, 6 * 8400, 4 * 58_800, 4 * 294_000}},
	} {
		if got := grown(&tt.r, len(tt.want)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: chunks of %d bytes, want %d", tt.name, got, tt.want)
		}
	}
	for unit, want := range map[uintptr]uintptr{8: 48, 24: 144, 85: 510, 128: 512, 136: 408, 256: 512, 300: 300, 520: 520, 5000: 5000} {
		if r := newTypedRetention(chunk, unit); r.start != want {
			t.Errorf("objects of %d bytes start with %d, want %d", unit, r.start, want)
		}
	}
}

// An epoch that goes beyond what was foreseen is given an eighth at a time, where
// that can be kept, so that it takes little more than it needs.
func TestFurtherChunks(t *testing.T) {
	for _, tt := range []struct {
		r    retention
		want uintptr
	}{{newRetention(4096, 8), 512}, {newRetention(64<<10, 8), 4096}, {newTypedRetention(64<<10, 32), 192}} {
		if tt.r.smallest != tt.want {
			t.Errorf("further chunks have %d bytes at least, want %d", tt.r.smallest, tt.want)
		}
	}
	r := newRetention(4096, 8)
	r.want = 80_000
	for _, tt := range []struct{ held, want uintptr }{
		{0, 80_000}, {20_000, 60_000}, {79_000, 10_000}, {80_000, 10_000}, {160_000, 10_000}, {240_000, 20_000}, {80_000 + 16*64*4096, 64 * 4096},
	} {
		if got := r.next(tt.held); got != tt.want {
			t.Errorf("with %d bytes a chunk of %d, want %d", tt.held, got, tt.want)
		}
	}
	r.want = 4096
	if got := r.next(4096); got != 512 {
		t.Errorf("a further chunk has %d bytes, want 512", got)
	}
	// What can't be kept is made exactly, and by what two epochs had in common.
	r.want, r.full = 80_000, true
	for _, tt := range []struct {
		beyond     [2]uintptr
		held, want uintptr
	}{
		{held: 20_000, want: 60_000}, {held: 79_900, want: 512}, {held: 80_000, want: 512}, {held: 160_000, want: 10_000},
		{[2]uintptr{9600, 8000}, 80_000, 8500}, {[2]uintptr{8000, 9600}, 81_000, 7500}, {[2]uintptr{8000, 8000}, 88_000, 1000},
		{[2]uintptr{800_000, 800_000}, 80_000, 4 * 4096},
	} {
		r.beyond = tt.beyond
		if got := r.next(tt.held); got != tt.want {
			t.Errorf("with %d bytes, and %d lately, a chunk of %d, want %d", tt.held, tt.beyond, got, tt.want)
		}
	}
	if r.want, r.beyond = 8000, [2]uintptr{}; r.next(8000) != 250 {
		t.Errorf("where little can be kept a further chunk has %d bytes, want a 32nd of that", r.next(8000))
	}
}

// epochs ends n epochs that need so much.
func (r *retention) live(n int, need uintptr) {
	for range n {
		if !r.seen(need) {
			r.endEpoch(need, 1<<30)
		}
	}
}

// A lane keeps memory for needs that come again. These are the boundaries: four times,
// 128 epochs, 192 epochs.
func TestWhatIsKeptFor(t *testing.T) {
	fresh := func() *retention {
		r := newRetention(1000, 8)
		r.live(1, 8000)
		if r.want != 9000 {
			t.Fatalf("after an epoch of 8000 bytes: %d", r.want)
		}
		return &r
	}
	for _, tt := range []struct {
		name string
		live func(r *retention)
		want uintptr
	}{
		{"the same again", func(r *retention) { r.live(30, 8000) }, 9000},
		{"a little more", func(r *retention) { r.live(1, 9008) }, 9008 + 9008/8/8*8},
		{"much more", func(r *retention) { r.live(1, 36_000) }, 40_496},
		{"far more, once", func(r *retention) { r.live(1, 36_008) }, 9000},
		{"far more, twice", func(r *retention) { r.live(1, 80_000); r.live(126, 8000); r.live(1, 160_000) }, 90_000},
		{"far more, and more, and less", func(r *retention) { r.live(1, 160_000); r.live(1, 320_000); r.live(1, 80_000) }, 180_000},
		{"the more of two exceptions is what a third is held against",
			func(r *retention) { r.live(1, 40_000); r.live(1, 400_000); r.live(1, 320_000) }, 360_000},
		{"even if it came before the less",
			func(r *retention) { r.live(1, 400_000); r.live(1, 40_000); r.live(1, 320_000) }, 360_000},
		{"far more, long ago", func(r *retention) { r.live(1, 80_000); r.live(192, 8000); r.live(1, 160_000) }, 8000},
		{"less for 128 epochs", func(r *retention) { r.live(128, 100) }, 9000 - 1000},
		{"less for 190 epochs", func(r *retention) { r.live(190, 2000) }, 8000},
		{"less for 192 epochs", func(r *retention) { r.live(192, 2000) }, 2000},
		{"one in 128", func(r *retention) { r.live(127, 2000); r.live(1, 8000); r.live(127, 2000); r.live(1, 8000) }, 8000},
		{"never less than the caller's chunk", func(r *retention) { r.live(500, 100) }, 1000},
		{"nothing at all", func(r *retention) { r.live(192, 0) }, 0},
		{"what a rewind took back, once", func(r *retention) { r.sawNeed(20_000); r.live(200, 8000) }, 8000},
		{"what a rewind took back", func(r *retention) { r.sawNeed(20_000); r.live(1, 8000); r.live(1, 0) }, 22_496},
	} {
		r := fresh()
		if tt.live(r); r.want != tt.want {
			t.Errorf("%s: %d bytes, want %d", tt.name, r.want, tt.want)
		}
	}
	r := fresh()
	r.endEpoch(12_000, 10_000)
	if r.want != 10_000 || !r.full || r.beyond[0] != 2000 {
		t.Errorf("beyond what may be kept: %+v", r)
	}
	if r.live(1, 0); r.beyond != [2]uintptr{0, 2000} {
		t.Errorf("the epoch before last was %d bytes beyond", r.beyond)
	}
}

// What was learned of epochs that needed more ends with them. If it did not, the
// chunk of a later epoch would be all in one, or what it makes in small pieces.
func TestLoweringForgets(t *testing.T) {
	r := newRetention(1000, 8)
	r.endEpoch(80_000, 40_000)
	r.whole = true
	if !r.full || r.want != 40_000 {
		t.Fatalf("an epoch beyond what may be kept: %+v", r)
	}
	if r.live(192, 20_000); r.want != 20_000 || r.full || r.whole {
		t.Errorf("after epochs that needed less: %+v", r)
	}
}

// An epoch that had to make a chunk, since none of many had room, is looked at even
// if it needed no more than was kept: else those that it had no use for stay with
// the new one.
func TestNewChunkIsLookedAt(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	l := needy(24_000, nil, []uintptr{8000, 8000, 8000})
	l.reserveLarge(16_000)
	if l.empty(1 << 20); l.HeldBytes() > 24_000+24_000/2 {
		t.Errorf("a lane that needs 24000 bytes holds %d", l.HeldBytes())
	}
}

// The chunks of most epochs are listed in one allocation.
func TestListOfFullChunks(t *testing.T) {
	var l Lane
	l.initFlat(1024)
	if n := testing.AllocsPerRun(5, func() {
		l.older = nil
		for range fewListed {
			l.retire(chunk{})
		}
	}); n != 1 || fewListed < 8 {
		t.Errorf("%d chunks are listed in %v allocations", fewListed, n)
	}
}

// needy is a lane that has chunks of these sizes, all of them used but for those
// that are kept.
func needy(want uintptr, used, free []uintptr) *Lane {
	var l Lane
	l.initFlat(1024)
	l.retention.want = want
	for i, n := range used {
		c := chunk{Base: MakeFlat(n), Lo: n, Hi: n, cap: n, clean: n, cleanEnd: n}
		if i == len(used)-1 {
			l.chunk = c
		} else {
			l.retire(c)
		}
	}
	for _, n := range free {
		l.addFree(chunk{Base: MakeFlat(n), Hi: n, cap: n, cleanEnd: n})
	}
	return &l
}

// sizes lists the chunks of a lane, the current one first.
func (l *Lane) sizes() (all []uintptr) {
	if l.Base != nil {
		all = append(all, l.cap)
	}
	for _, c := range l.free {
		all = append(all, c.cap)
	}
	return all
}

// Which chunks stay decides what the next epoch must make: one too few, and it
// makes it in each epoch; one too many, and an arena holds what nobody needs.
func TestWhichChunksStay(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	many := make([]uintptr, 30)
	last := make([]uintptr, 20)
	for i := range many {
		many[i] = uintptr(8 * (100 + i))
	}
	copy(last, many[10:])
	for _, tt := range []struct {
		name              string
		want, limit, join uintptr
		used, free, stay  []uintptr
	}{
		{"all of an epoch", 9000, 1 << 20, 0, []uintptr{1024, 4096, 2048}, nil, []uintptr{1024, 2048, 4096}},
		{"what the epoch came to before what it did not", 6000, 1 << 20, 0, []uintptr{2048, 4096}, []uintptr{1000, 3000}, []uintptr{2048, 4096}},
		{"and as much of that as is needed", 6800, 1 << 20, 0, []uintptr{2048, 4096}, []uintptr{1000, 3000}, []uintptr{1000, 2048, 4096}},
		{"half more than is needed", 8000, 1 << 20, 0, []uintptr{12_000}, nil, []uintptr{12_000}},
		{"more than half more", 8000, 1 << 20, 0, []uintptr{12_008}, nil, nil},
		{"one further chunk", 1024, 1 << 20, 0, []uintptr{1000, 512}, nil, []uintptr{512, 1000}},
		{"what is not worth it", 0, 1 << 20, 0, []uintptr{512}, nil, []uintptr{512}},
		{"what is", 0, 1 << 20, 0, []uintptr{520}, nil, nil},
		{"as much as may be kept", 9000, 5200, 0, []uintptr{1024, 4096, 2048}, nil, []uintptr{1024, 4096}},
		{"one instead of several", 4096, 1 << 20, 4096, []uintptr{1024, 4096}, nil, nil},
		{"several that are too much for one", 4104, 1 << 20, 4096, []uintptr{1024, 4096}, nil, []uintptr{1024, 4096}},
		{"one, beside what was not needed", 4096, 1 << 20, 4096, []uintptr{4096}, []uintptr{2000}, []uintptr{4096}},
		{"a small one, though there is enough", 1024, 1 << 20, 0, []uintptr{1024, 512}, nil, []uintptr{512, 1024}},
		{"one that is not small", 1024, 1 << 20, 0, []uintptr{1024, 520}, nil, []uintptr{1024}},
		{"one already", 4096, 1 << 20, 4096, []uintptr{4096}, nil, []uintptr{4096}},
		{"the largest of many", 1 << 20, 1 << 20, 0, many, nil, last},
	} {
		l := needy(tt.want, tt.used, tt.free)
		if l.trim(tt.limit, tt.join); !slices.Equal(l.sizes(), tt.stay) {
			t.Errorf("%s: %d stay, want %d", tt.name, l.sizes(), tt.stay)
		}
		if l.usedBytes() != 0 || l.Lo != 0 {
			t.Errorf("%s: %d bytes in use", tt.name, l.usedBytes())
		}
		l.check()
	}
	// A chunk that can't stay beside what does is what the second such epoch has
	// for all.
	l := needy(26_848, []uintptr{25_344, 25_344}, nil)
	if l.trim(1<<20, 0); !slices.Equal(l.sizes(), []uintptr{25_344}) || l.retention.misfit != 3 {
		t.Errorf("%d stay after the first misfit, %+v", l.sizes(), l.retention)
	}
	l = needy(26_848, []uintptr{25_344, 25_344}, nil)
	l.retention.misfit = 1
	if l.trim(1<<20, 0); len(l.sizes()) != 0 || !l.retention.whole {
		t.Errorf("%d stay after the second misfit, %+v", l.sizes(), l.retention)
	}
}

// How much is joined into one chunk, and when.
func TestWhenChunksAreJoined(t *testing.T) {
	r := newRetention(1000, 8)
	r.fresh = true
	if look, join := r.endEpoch(8000, 1<<30); !look || join != 16<<10 {
		t.Errorf("after the first epoch: %t, %d", look, join)
	}
	for i := range 6 * 64 {
		look, join := r.endEpoch(8000, 1<<30)
		switch window := (i + 2) % 64; {
		case look != (window == 0):
			t.Fatalf("epoch %d: a look at what is kept: %t", i+2, look)
		case i+2 == 4*64 && join != 256<<10 || i+2 != 4*64 && join != 4<<10:
			t.Fatalf("epoch %d: %d bytes are joined", i+2, join)
		}
	}
	if r.want, r.whole = 256<<10, false; r.first() != 256<<10 {
		t.Errorf("an epoch that needs %d begins with %d", r.want, r.first())
	}
	if r.want = 4 << 20; r.first() != 512<<10 {
		t.Errorf("an epoch that needs %d begins with %d", r.want, r.first())
	}
	if r.start, r.want = 1<<20, 300<<10; r.first() != 300<<10 {
		t.Errorf("an epoch that needs %d begins with %d", r.want, r.first())
	}
	if r.whole, r.want = true, 4<<20; r.first() != 4<<20 {
		t.Errorf("an epoch that needs %d in one begins with %d", r.want, r.first())
	}
}

// Two misfits count together if they are no more than three windows apart: one that was
// remembered for ever would cost a lane all its chunks at the next one, however late.
func TestMisfitIsForgotten(t *testing.T) {
	r := newRetention(1024, 8)
	r.live(1, 10_000)
	r.misfit = recent
	for left := recent - 1; left >= 0; left-- {
		if r.live(Window, 10_000); int(r.misfit) != left {
			t.Fatalf("a misfit counts for %d windows more, want %d", r.misfit, left)
		}
	}
	if r.live(Window, 10_000); r.misfit != 0 {
		t.Errorf("it counts for %d windows", r.misfit)
	}
}

// A lane that begins to share in the middle of a window has not counted the epochs before:
// without Window/4 in share they would pass for small ones, and what they all needed would be
// given up.
func TestSharingBeginsWithAWholeWindow(t *testing.T) {
	r := newRetention(1<<10, 8)
	const need, limit = 64 << 10, 1 << 20
	epoch := func() {
		if !r.seen(need) {
			r.endEpoch(need, limit)
		}
	}
	for range 3*Window - 5 {
		epoch()
	}
	r.share(true, limit)
	for range 5 {
		epoch()
	}
	if r.epochs != 0 || r.want < need {
		t.Errorf("%d epochs into the next window a lane of %d bytes each time wants %d", r.epochs, need, r.want)
	}
}
