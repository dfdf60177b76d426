package arena

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// enterElsewhere makes another goroutine enter a function of a.
func enterElsewhere(a *Arena, does string) {
	done := make(chan struct{})
	go func() {
		a.region.Watch.Enter(does)
		close(done)
	}()
	<-done
}

// Two goroutines in one arena are reported, instead of a crash elsewhere.
func TestCheckedOverlap(t *testing.T) {
	if !check.On || check.Race {
		t.Skip("not a build that looks, or the race detector's own")
	}
	a := NewArena(1024, 0)
	enterElsewhere(a, "Reset")
	if got := panicOf(func() { New[int](a) }); !strings.HasPrefix(got, "arena: New: another goroutine is using the arena") {
		t.Errorf("New during Reset: %q", got)
	}
	a.region.Leave()
	if got := panicOf(func() { New[int](a); MakeSlice[int](a, 0, 1) }); got != "" {
		t.Errorf("afterwards: %q", got)
	}
	p := NewArenaPool(1024, 0)
	b := p.Get()
	enterElsewhere(b, "New")
	if got := panicOf(func() { p.Put(b) }); !strings.HasPrefix(got, "arena: ArenaPool.Put: another goroutine is using the arena") {
		t.Errorf("Put during New: %q", got)
	}
	b.region.Leave()
	if st := p.Stats(); st.Puts != 0 {
		t.Errorf("a Put that panicked is counted: %+v", st)
	}
	if p.Put(b); p.Stats().Puts != 1 {
		t.Errorf("the arena is lost after a Put that panicked: %+v", p.Stats())
	}
	if got := panicOf(func() { MakeSlice[int](a, -1, 1) }) + panicOf(func() { New[int](a) }); strings.Contains(got, "another goroutine") {
		t.Errorf("after a panic the arena counts as in use: %q", got)
	}
}

// Arenas used on different cores must not share a cache line: their sizes are multiples of a cache line,
// which the heap's size classes keep aligned.
func TestNoSharedCacheLines(t *testing.T) {
	if unsafe.Sizeof(check.Tracker{}) != 0 {
		t.Skip("arenas are larger where the checks for misuse are compiled in")
	}
	if s := unsafe.Sizeof(Arena{}); s%64 != 0 {
		t.Errorf("Arena has %d bytes, not a multiple of 64: change arenaPad by %d", s, 64-s%64)
	}
	if s := unsafe.Sizeof(arenaStats{}); s%64 != 0 {
		t.Errorf("arenaStats has %d bytes, not a multiple of 64: change statsPad by %d", s, 64-s%64)
	}
}

func panicOf(f func()) (text string) {
	defer func() {
		if e := recover(); e != nil {
			text = fmt.Sprint(e)
		}
	}()
	f()
	return ""
}

// Removing a record from the list keeps its neighbors linked in both directions.
func TestStatsList(t *testing.T) {
	const n = 6
	var orders func(left, gone []int)
	orders = func(left, gone []int) {
		if len(left) > 0 {
			for i, next := range left {
				orders(slices.Delete(slices.Clone(left), i, i+1), append(gone, next))
			}
			return
		}
		var l statsList
		var records [n]arenaStats
		for i := range records {
			l.add(&records[i])
		}
		for i, which := range gone {
			l.remove(&records[which])
			var prev *arenaStats
			seen := 0
			for st := range l.all {
				if st.prev != prev {
					t.Fatalf("%v: a broken link after %d", gone, i+1)
				}
				prev = st
				seen++
			}
			if seen != n-i-1 || l.len != seen {
				t.Fatalf("%v: %d records after %d went, counted %d", gone, seen, i+1, l.len)
			}
		}
	}
	orders([]int{0, 1, 2, 3, 4, 5}, nil)
}
