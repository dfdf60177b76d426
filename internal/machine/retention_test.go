package machine

import (
	"math/rand/v2"
	"testing"

	"github.com/ebbpool/arena/internal/check"
)

// The estimate settles if one cycle in four needs more, and one giant moves it no further than any other
// cycle.
func TestTargetIsAPercentile(t *testing.T) {
	for name, draw := range map[string]func(r *rand.Rand) uintptr{
		"uniform":     func(r *rand.Rand) uintptr { return 50_000 + uintptr(r.IntN(100_000)) },
		"exponential": func(r *rand.Rand) uintptr { return 20_000 + uintptr(r.ExpFloat64()*30_000) },
	} {
		r := rand.New(rand.NewPCG(1, 2))
		x := newRetention(1024, 8)
		above, n := 0, 0
		for i := range 20_000 {
			need := draw(r)
			if i > 1000 {
				n++
				if need > x.target {
					above++
				}
			}
			x.learn(need)
		}
		if part := float64(above) / float64(n); part < 0.2 || part > 0.3 {
			t.Errorf("%s: %.3f of the cycles need more, want a quarter", name, part)
		}
		was := x.target
		if x.learn(1 << 30); x.target > was+was/8 {
			t.Errorf("%s: a giant raises it from %d to %d", name, was, x.target)
		}
	}
	var x retention
	if x.learn(70_000); x.target != 70_000 {
		t.Errorf("after one cycle of 70000 bytes it is %d", x.target)
	}
	for n := 1; x.target > 800; n++ {
		if x.learn(700); n > 500 {
			t.Fatalf("after %d cycles of 700 bytes it is %d", n, x.target)
		}
	}
}

// needy returns a noscan allocator whose used chunks are full; the last one is current.
func needy(target uintptr, used, free []uintptr) *Allocator {
	var r Region
	r.Init(1024, 1<<20)
	al := &r.Noscan
	al.retention.target = target
	for i, n := range used {
		c := chunk{Base: MakeNoscan(n), Lo: n, Hi: n, cap: n, clean: n, cleanEnd: n}
		if i == len(used)-1 {
			al.chunk = c
		} else {
			al.addFull(c)
		}
	}
	for _, n := range free {
		al.addFree(chunk{Base: MakeNoscan(n), Hi: n, cap: n, cleanEnd: n})
	}
	return al
}

// The chunk that is kept determines what the next cycle must allocate elsewhere.
func TestWhichChunkStays(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	for _, tt := range []struct {
		name       string
		target     uintptr
		used, free []uintptr
		alike      bool
		limit      uintptr
		kept       uintptr
		left       int // in the cache
	}{
		{"one that fits", 10_000, []uintptr{12_000}, nil, false, 1 << 20, 12_000, 0},
		{"the smallest that is large enough", 10_000, []uintptr{2000, 14_000}, []uintptr{11_000}, false, 1 << 20, 11_000, 2},
		{"a little less will do", 10_000, []uintptr{9600, 400}, nil, false, 1 << 20, 9600, 0},
		{"small pieces are joined", 10_000, []uintptr{5000, 5000}, nil, false, 1 << 20, 0, 2},
		{"large pieces stay", 100_000, []uintptr{40_000, 60_000}, nil, false, 1 << 20, 60_000, 1},
		{"until the needs were alike for long", 100_000, []uintptr{40_000, 60_000}, nil, true, 1 << 20, 0, 0},
		{"one that is too large", 10_000, []uintptr{9000, 60_000}, nil, false, 1 << 20, 0, 2},
		{"small ones are never too large", 500, []uintptr{4096}, nil, false, 1 << 20, 4096, 0},
		{"no more than the limit", 50_000, []uintptr{50_000}, nil, false, 40_000, 0, 0},
		{"what the limit leaves", 50_000, []uintptr{30_000, 20_000}, nil, false, 40_000, 30_000, 0},
	} {
		al := needy(tt.target, tt.used, tt.free)
		if tt.alike {
			sum := uintptr(0)
			for _, n := range tt.used {
				sum += n
			}
			al.retention.low, al.retention.high, al.retention.alike = sum, sum, settled
		}
		al.empty(tt.limit)
		left := len(al.home.released)
		if check.Race {
			left = tt.left
		}
		if tt.name == "what the limit leaves" {
			left = 0 // settle looks at the limit
		}
		if al.cap != tt.kept || len(al.full)|len(al.free) != 0 || al.used() != 0 || left != tt.left {
			t.Errorf("%s: %d bytes are kept, %d chunks left, want %d and %d", tt.name, al.cap, left, tt.kept, tt.left)
		}
	}
}

// A steady load settles with one chunk, small or large, whatever it began with.
func TestSteadyLoadKeepsOneChunk(t *testing.T) {
	if check.On || check.Race {
		t.Skip("no chunk is kept")
	}
	for _, size := range []int{900, 5000, 10_500, 40_000, 200_000} {
		for _, before := range []int{0, 10_000} {
			var r Region
			r.Init(1024, 1<<20)
			for range 10 {
				MakeSlice[byte](&r, before, max(before, 1))
				r.Empty()
			}
			var fresh int
			for range 2 * settled {
				for range size / 100 {
					MakeSlice[byte](&r, 100, 100)
				}
				fresh = len(r.Noscan.full)
				r.Empty()
			}
			if held := r.Noscan.cap; fresh != 0 || int(held) > 2*size && held > smallKept {
				t.Errorf("cycles of %d bytes after %d use %d chunks beside one of %d", size, before, fresh, held)
			}
		}
	}
}

// Planned chunks fill the retained size exactly. A chunk that exceeded it would be allocated again in each
// cycle.
func TestNextDoesNotOvershoot(t *testing.T) {
	r := newRetention(64<<10, 8)
	r.target = 700_000
	held, most := uintptr(0), uintptr(640<<10)
	for n := r.first(); held < most; n = r.next(held, most) {
		if held += n; held > most {
			t.Fatalf("a chunk of %d bytes ends %d bytes beyond %d", n, held-most, most)
		}
	}
	if n := r.next(held, most); n > most/32 {
		t.Errorf("beyond that a chunk has %d bytes", n)
	}
}

// An empty chunk does not count as used by the cycle.
func TestEmptyChunkIsKeptAside(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	var r Region
	r.Init(64<<10, 1<<20)
	al := &r.Noscan
	m := r.Mark()
	al.reserve(8)
	r.Rewind(m)
	first := al.cap
	if al.reserve(2 * first); len(al.full) != 0 || len(al.free) != 1 || al.needBytes() != 2*first {
		t.Errorf("%d full chunks, %d kept, %d bytes needed", len(al.full), len(al.free), al.needBytes())
	}
}

// The choice of a free chunk: a small value must not take a large chunk that a large value needs, and a large
// value must not waste most of a larger chunk.
func TestWhichFreeChunkIsTaken(t *testing.T) {
	al := needy(0, nil, []uintptr{1000, 8000})
	for _, tt := range []struct {
		need uintptr
		next int
	}{{8, 0}, {120, 0}, {128, 1}, {1000, 1}, {1008, 1}, {8000, 1}, {8008, -1}} {
		if next := al.nextFree(tt.need); next != tt.next {
			t.Errorf("for %d bytes: %d comes next, want %d", tt.need, next, tt.next)
		}
	}
}

// A large piece gets its own chunk if the current one has much room left, at each boundary. Otherwise
// allocators end up with many chunks of one value each, or waste most of a chunk.
func TestWhatGetsItsOwnChunk(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	for _, tt := range []struct {
		name               string
		target, left, size uintptr
		free               []uintptr
		own                bool
	}{
		{"a quarter is left", 100_000, 4000, 20_000, nil, true},
		{"less than a quarter is left", 100_000, 3992, 20_000, nil, false},
		{"a sixteenth of what is held", 100_000, 12_000, 6008, nil, true},
		{"less, though it is much of the next chunk", 100_000, 12_000, 5992, nil, false},
		{"a kept chunk has room", 100_000, 12_000, 12_008, []uintptr{20_000}, false},
	} {
		al := needy(tt.target, []uintptr{80_000, 16_000}, tt.free)
		al.Lo -= tt.left
		if own := al.needsOwnChunk(tt.size); own != tt.own {
			t.Errorf("%s: a chunk of its own: %t", tt.name, own)
		}
	}
}

// An allocator's lists must not refer to dropped chunks, which would stay alive with the arena. Long lists
// are not kept.
func TestListsHoldOnToNothing(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	many := make([]uintptr, 100)
	for i := range many {
		many[i] = 256
	}
	for _, sizes := range [][2][]uintptr{{{1024, 4096, 2048}, nil}, {{2048, 4096}, {1000, 3000, 3000}}, {many, nil}} {
		al := needy(6000, sizes[0], sizes[1])
		was := al.full[:cap(al.full)]
		al.empty(1 << 20)
		for _, list := range [][]chunk{was, al.full[:cap(al.full)], al.free[:cap(al.free)]} {
			for i := range list {
				if list[i].Base != nil {
					t.Errorf("entry %d of %d leads to a chunk", i, len(list))
				}
			}
		}
		if cap(al.full) > mostListed {
			t.Errorf("a list for %d chunks is kept", cap(al.full))
		}
	}
}

// A new arena of a pool with history begins with its size hint, except for an allocator whose own chunks
// reach that size at once.
func TestExpect(t *testing.T) {
	for bytes, want := range map[uintptr]uintptr{1024: 0, 2048: 0, 2056: 2056} {
		var al Allocator
		al.initNoscan(1024)
		if al.Expect(bytes); al.retention.target != want {
			t.Errorf("with %d expected: %d", bytes, al.retention.target)
		}
	}
	if r := newRetention(MaxAlloc, 8); r.largest > MaxAlloc {
		t.Errorf("growth makes chunks of %d bytes", r.largest)
	}
}
