package suite

import (
	"testing"

	"github.com/ebbpool/arena/fixedpool"
)

// A pool divides by the distance of its slots with two precomputed numbers. On arm, Go 1.25 and 1.26
// miscompiled one of them because the distance is a constant. Every slot then looked like the first, and a
// freed slot like one in use.
func TestPoolHandsEachSlotToOne(t *testing.T) {
	eachSlotToOne[byte](t)
	eachSlotToOne[uint16](t)
	eachSlotToOne[int32](t)
	eachSlotToOne[int64](t)
	eachSlotToOne[*int](t)
	eachSlotToOne[string](t)
	eachSlotToOne[[3]byte](t)
	eachSlotToOne[[6]byte](t)
	eachSlotToOne[[3]int32](t)
	eachSlotToOne[[20]byte](t)
	eachSlotToOne[[5]uint64](t)
	eachSlotToOne[[48]byte](t)
	eachSlotToOne[[1 << 12]byte](t)
	eachSlotToOne[struct{}](t)
}

func eachSlotToOne[T any](t *testing.T) {
	t.Helper()
	const capacity = 7
	for _, p := range []fixedPool[T]{fixedpool.New[T](capacity), fixedpool.NewSync[T](capacity)} {
		var out []*T
		owners := func() map[*T]bool {
			set := map[*T]bool{}
			for _, x := range out {
				if set[x] || !p.Owns(x) {
					t.Fatalf("%T: %p is owned twice or by nobody, of %d", p, x, len(out))
				}
				set[x] = true
			}
			return set
		}
		for range capacity {
			out = append(out, p.Allocate())
		}
		first := owners()
		for i := range capacity { // start in the middle: neither the first slot nor the last
			free := (i*3 + 1) % len(out)
			p.Deallocate(out[free])
			if p.Owns(out[free]) {
				t.Fatalf("%T owns what was given back", p)
			}
			out[free] = p.Allocate()
			for x := range owners() {
				if !first[x] {
					t.Fatalf("%T: a slot that was not there", p)
				}
			}
		}
	}
}
