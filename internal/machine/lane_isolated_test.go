package machine

import (
	"math"
	"math/bits"
	"testing"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// A chunk whose offsets have more bits than a span keeps must serve one epoch: the next one
// began in the middle of the last one's memory.
func TestHugeChunksServeOneEpoch(t *testing.T) {
	if bits.UintSize < 64 {
		t.Skip("there are no such chunks")
	}
	for _, x := range []struct {
		size uint64
		goes bool
	}{{math.MaxUint32 &^ 7, true}, {1 << 32, false}, {1<<32 + 64, false}} {
		n := uintptr(x.size)
		// Nothing reads or writes the memory that it says it has.
		c := chunk{Base: xunsafe.PointerTo(new(int)), Lo: n / 2, Hi: n - 16, cap: n, cleanEnd: n}
		if goes := c.isolate(&flatOps); goes != x.goes {
			t.Errorf("%d bytes: goes on is %t", n, goes)
		} else if goes && (c.begin() != n/2 || c.cap != (n-16)&^7 || c.size() != n) {
			t.Errorf("%d bytes: begins at %d of %d, and has %d", n, c.begin(), c.cap, c.size())
		}
	}
}
