package suite

import (
	"strconv"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// PoolStats tells an operator how much memory a pool holds, and in which state.
func TestPoolStatsBytes(t *testing.T) {
	testkit.NeedsReuse(t)
	p := arena.NewArenaPool(1000, 5000)
	a, b := p.Get(), p.Get()
	a.AllocBytes(900)
	b.AllocBytes(900)
	p.Put(b)
	if s := p.Stats(); s.InUseBytes != 1000 || s.RetainedBytes != 1000 || s.HighWater != 2000 || s.LargestArena != 1000 || s.Oversize != 0 || s.Dropped != 0 {
		t.Errorf("one out, one idle: %+v", s)
	}
	a.AllocBytes(20_000)
	if s := p.Stats(); s.InUseBytes != 21_000 || s.HighWater != 22_000 || s.LargestArena != 21_000 || s.Oversize != 1 || a.Stats().Oversize != 1 {
		t.Errorf("a large value: %+v", s)
	}
	p.Put(a)
	if s := p.Stats(); s.InUseBytes != 0 || s.RetainedBytes != 2000 || s.Dropped != 1 || s.HighWater != 22_000 {
		t.Errorf("put back, more than it may keep: %+v", s)
	}
	a = arena.NewArena(1000, 0)
	a.AllocBytes(2000)
	a.Release()
	if s := a.Stats(); s.Oversize != 1 {
		t.Errorf("after Release: %+v", s)
	}
}

// A request that can never succeed must not be reported as temporary.
func TestTemporaryRefusals(t *testing.T) {
	p := arena.NewArenaPool(1000, 0)
	p.SetLimit(0, 10_000)
	a, b := p.Get(), p.Get()
	for _, c := range []struct {
		beside, own, asked int
		temporary          bool
	}{
		{0, 0, 20_000, false},
		{5_000, 0, 20_000, false},
		{5_000, 0, 8_000, true},
		{2_000, 5_000, 8_000, false},
	} {
		a.AllocBytes(c.beside)
		b.AllocBytes(c.own)
		over := refused(t, func() { b.AllocBytes(c.asked) })
		if over == nil || over.Retry != c.temporary || !strings.HasSuffix(over.Error(), " in use, "+strconv.Itoa(over.Others)+" by other arenas") {
			t.Errorf("%+v: %v", c, over)
		}
		a.Release()
		b.Release()
	}
	b.SetLimit(10_000)
	if over := refused(t, func() { b.AllocBytes(10_001) }); over == nil || over.Retry {
		t.Errorf("an arena's own limit is not for others to free: %+v", over)
	}
}

// A request that would just fit after all other arenas are put back is temporary.
func TestTemporaryAtTheBoundary(t *testing.T) {
	p := arena.NewArenaPool(1000, 0)
	p.SetLimit(0, 10_000)
	a, b := p.Get(), p.Get()
	a.AllocBytes(6_000)
	b.AllocBytes(2_000)
	seen := map[bool]int{}
	for asked := 7_600; asked < 8_400; asked += 8 {
		over := refused(t, func() { b.AllocBytes(asked) })
		if over == nil || over.Retry != (over.InUse-over.Others+over.Asked <= over.Limit) {
			t.Fatalf("%d bytes: %+v", asked, over)
		}
		seen[over.Retry]++
	}
	if seen[true] < 10 || seen[false] < 10 {
		t.Errorf("none at the boundary: %v", seen)
	}
}
