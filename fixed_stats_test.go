package arena

import "testing"

// The numbers must say how full the pool was, and how often too full: that is
// what its capacity is chosen by.
func TestFixedStats(t *testing.T) {
	p := NewSyncFixedPool[[3]uint64](3)
	x, _, y := p.Allocate(), p.Allocate(), p.Allocate()
	p.Allocate()
	p.Allocate()
	p.Deallocate(x)
	p.Deallocate(y)
	want := FixedStats{Capacity: 3, Used: 1, HighWater: 3, Misses: 2, UsedBytes: 24, RetainedBytes: 3 * (24 + 5)}
	if got := p.Stats(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	q := NewFixedPool[struct{}](1)
	q.Allocate()
	q.Allocate()
	want = FixedStats{Capacity: 1, Used: 1, HighWater: 1, Misses: 1, RetainedBytes: 6}
	if got := q.Stats(); got != want {
		t.Errorf("no size: %+v, want %+v", got, want)
	}
	if got := new(FixedPool[int]).Stats(); got != (FixedStats{}) {
		t.Errorf("the zero pool: %+v", got)
	}
}
