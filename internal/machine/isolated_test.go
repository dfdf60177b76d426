package machine

import (
	"math"
	"math/bits"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Memory that an encoder reserved and did not use is available to the next cycle, zeroed. Memory that an
// earlier rewind freed is not.
func TestIsolatedTrimLosesNothing(t *testing.T) {
	if check.On {
		t.Skip("nothing is used again")
	}
	fill := func(b []byte) []byte {
		for i := range b {
			b[i] = 0xff
		}
		return b
	}
	for _, rewound := range []uintptr{0, 500} {
		var r Region
		r.Init(2<<20, 8<<20)
		var s Detached
		s.Init(2<<20, 8<<20)
		r.Isolate(&s)
		end := uintptr(0)
		for n := range 3 {
			if m := r.Mark(); rewound != 0 {
				fill(GrowBytesTo(&r, nil, int(rewound), int(rewound)))
				r.Rewind(m)
			}
			text := TrimUnseen(&r, fill(GrowBytesTo(&r, nil, 300, 300))[:100])
			if len(text) != 100 || cap(text) != 100 {
				t.Errorf("%d bytes with room for %d, of 100", len(text), cap(text))
			}
			r.Empty()
			if end += RoundUp(max(rewound, 100), NoscanAlign); r.Noscan.Lo != end {
				t.Errorf("with %d bytes before, cycle %d ends at %d and not at %d", rewound, n, r.Noscan.Lo, end)
			}
		}
		for i, b := range MakeSlice[byte](&r, 1000, 1000) {
			if b != 0 {
				t.Fatalf("with %d bytes before, byte %d of new memory is %d", rewound, i, b)
			}
		}
	}
}

// A chunk of values with pointers fits a size class of the heap together with its header. With a power of
// two, the heap would allocate an eighth more.
func TestIsolatedChunksFitTheHeap(t *testing.T) {
	for _, unit := range []uintptr{8, 16, 24, 32, 40, 128, 600} {
		r := newTypedRetention(64<<10, unit)
		r.ceiling = 1
		if size := r.isolatedSize(); size < 8 || size > r.start {
			t.Errorf("units of %d: a chunk has %d bytes where an allocator may hold none", unit, size)
		}
		r.ceiling = 0
		for n := power(2 * r.start); n < 20; n++ {
			r.planned, r.lasted = n, leastCycles
			size := r.isolatedSize()
			r.plan(size)
			if r.planned != n {
				t.Errorf("units of %d: after a chunk of %d bytes one of 1<<%d is next, not of 1<<%d", unit, size, r.planned, n)
			}
			if size = size / unit * unit; size+heapHeader > 1<<n {
				t.Errorf("units of %d: a chunk has %d bytes, with its header more than 1<<%d", unit, size, n)
			}
		}
	}
}

// A chunk whose offsets do not fit a span is used for one cycle only. Otherwise the next cycle would begin
// inside the previous one's memory.
func TestHugeChunksServeOneCycle(t *testing.T) {
	if bits.UintSize < 64 {
		t.Skip("there are no such chunks")
	}
	for _, x := range []struct {
		size uint64
		goes bool
	}{{math.MaxUint32 &^ 7, true}, {1 << 32, false}, {1<<32 + 64, false}} {
		n := uintptr(x.size)
		// The memory described by the chunk is not accessed.
		c := chunk{Base: xunsafe.PointerTo(new(int)), Lo: n / 2, Hi: n - 16, cap: n, cleanEnd: n}
		if goes := c.isolate(&noscanAllocatorOps); goes != x.goes {
			t.Errorf("%d bytes: goes on is %t", n, goes)
		} else if goes && (c.begin() != n/2 || c.cap != (n-16)&^7 || c.size() != n) {
			t.Errorf("%d bytes: begins at %d of %d, and has %d", n, c.begin(), c.cap, c.size())
		}
	}
}
