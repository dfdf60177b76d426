package machine

import (
	"testing"

	"github.com/ebbpool/arena/internal/check"
)

// An allocator that continues with its chunk beside a new one must not lose it, because Empty and Rewind
// start from it. This happens only if another goroutine takes the rest of a pool's total at the wrong moment,
// so the test calls the function directly.
func TestLimitKeepsTheChunkBeside(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	type refusal struct{ Refusal }
	var r Region
	r.Init(40_000, 400_000)
	r.Quota(func(why Refusal) { panic(refusal{why}) }).SetLimit(1 << 20)
	MakeSlice[byte](&r, 30_000, 30_000)
	r.Empty()
	r.Quota(nil).SetLimit(64_000)
	al := &r.Noscan
	if al.used() != 0 || al.cap != 40_000 {
		t.Fatalf("the allocator's chunk has %d bytes, %d in use", al.cap, al.used())
	}
	refused := func() (refused bool) {
		defer func() {
			if e := recover(); e != nil {
				refused = e.(refusal).Asked == 50_000
			}
		}()
		al.newChunk(50_000, 0)
		return false
	}()
	if !refused || al.cap != 40_000 {
		t.Errorf("refused %v, and the allocator's chunk has %d bytes", refused, al.cap)
	}
	MakeSlice[byte](&r, 50_000, 50_000) // drops idle chunks, and fits
	if got := r.Quota(nil).Held(); got != r.Stats().Held {
		t.Errorf("the quota counts %d bytes of %d", got, r.Stats().Held)
	}
	if r.Empty(); r.UsedBytes() != 0 {
		t.Errorf("%d bytes in use after Empty", r.UsedBytes())
	}
}
