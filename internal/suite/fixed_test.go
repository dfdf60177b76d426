package suite

import (
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// Slots are seen by the collector, and a free slot keeps nothing alive.
func TestFixedPoolAndCollector(t *testing.T) {
	p := arena.NewFixedPool[fixedPtr](100)
	var slots []*fixedPtr
	gone := make(chan int, 100)
	for i := range 100 {
		x := p.Allocate()
		// Two ints: the runtime puts objects of less than 16 bytes without pointers
		// into blocks that live as long as any of their objects, and two of a
		// hundred single ints never went in Go 1.25, whoever had held them.
		x.p = &new([2]int)[0]
		*x.p = i
		x.s = strings.Repeat("x", i)
		runtime.AddCleanup(x.p, func(i int) { gone <- i }, i)
		slots = append(slots, x)
	}
	runtime.GC()
	for i, x := range slots {
		if *x.p != i || len(x.s) != i {
			t.Fatalf("slot %d holds %d, %q", i, *x.p, x.s)
		}
	}
	for _, x := range slots {
		p.Deallocate(x)
	}
	for range 100 {
		runtime.GC()
		if len(gone) == 100 {
			break
		}
		runtime.Gosched()
	}
	if len(gone) < 100 {
		t.Errorf("free slots keep %d of 100 objects alive", 100-len(gone))
	}
	runtime.KeepAlive(p)
}

// A write through a stale pointer must not reach the next owner.
func TestFixedPoolZeroesAfterStaleWrite(t *testing.T) {
	testkit.NeedsReuse(t)
	p := arena.NewFixedPool[fixedPtr](1)
	x := p.Allocate()
	p.Deallocate(x)
	x.s = "stale"
	if y := p.Allocate(); y != x || y.s != "" {
		t.Errorf("the slot holds %q", y.s)
	}
	q := arena.NewFixedPool[fixedFlat](1)
	z := q.Allocate()
	q.Deallocate(z)
	z.n = 1
	if q.Allocate().n != 0 {
		t.Error("the slot is not zero")
	}
}

// Values of no size must still be told apart, or the second free of one would
// be the first of another.
func TestFixedPoolOfNothing(t *testing.T) {
	p := arena.NewFixedPool[struct{}](3)
	a, b, c := p.Allocate(), p.Allocate(), p.Allocate()
	if p.Allocate() != nil || !p.Full() {
		t.Error("more than three")
	}
	p.Deallocate(b)
	wantMisuse(t, arena.ErrDoubleFree, func() { p.Deallocate(b) })
	p.Deallocate(a)
	p.Deallocate(c)
	if !p.Empty() {
		t.Error("not empty")
	}
}

func TestFixedPoolCapacity(t *testing.T) {
	if p := arena.NewFixedPool[int](0); p.Allocate() != nil || !p.Empty() || !p.Full() || p.Capacity() != 0 {
		t.Error("capacity 0")
	}
	wantMisuse(t, arena.ErrForeign, func() { arena.NewFixedPool[int](0).Deallocate(new(int)) })
	wantMisuse(t, arena.ErrNil, func() { arena.NewFixedPool[int](0).Deallocate(nil) })
	wantMisuse(t, arena.ErrForeign, func() { new(arena.FixedPool[int]).Deallocate(new(int)) })
	testkit.WantPanic(t, func() { arena.NewFixedPool[int](-1) }, "NewFixedPool[int]", "-1")
	testkit.WantPanic(t, func() { arena.NewSyncFixedPool[int](-1) }, "NewSyncFixedPool[int]", "-1")
	testkit.WantPanic(t, func() { arena.NewFixedPool[[1 << 20]int](math.MaxInt32) }, "NewFixedPool", "2147483647")
	if math.MaxInt > math.MaxInt32 {
		tooMany := uint64(math.MaxUint32) + 1
		testkit.WantPanic(t, func() { arena.NewFixedPool[byte](int(tooMany)) }, "NewFixedPool[uint8]", "4294967296")
	}
}

func wantMisuse(t *testing.T, want error, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		e, ok := recover().(*arena.MisuseError)
		if !ok || !errors.Is(e, want) {
			t.Errorf("%v instead of %v", e, want)
		} else if !strings.HasPrefix(e.Error(), "arena: FixedPool[") && !strings.HasPrefix(e.Error(), "arena: SyncFixedPool[") {
			t.Errorf("the message does not begin with the pool's type: %s", e)
		}
	}()
	f()
}

// A panic in one goroutine must not leave the pool locked, and no slot may be
// handed to two.
func TestSyncFixedPool(t *testing.T) {
	const workers, rounds = 4, 2000
	p := arena.NewSyncFixedPool[fixedFlat](workers * 3)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			var mine []*fixedFlat
			for i := range rounds {
				if x := p.Allocate(); x != nil {
					if x.n != 0 {
						t.Error("a slot is not zero")
					}
					x.n = int64(w + 1)
					mine = append(mine, x)
				}
				if len(mine) > 2 || i%3 == 0 && len(mine) > 0 {
					x := mine[0]
					if x.n != int64(w+1) {
						t.Errorf("worker %d finds %d in its slot", w, x.n)
					}
					mine = mine[1:]
					p.Deallocate(x)
				}
				if i%100 == 0 {
					wantMisuse(t, arena.ErrForeign, func() { p.Deallocate(new(fixedFlat)) })
				}
			}
			for _, x := range mine {
				p.Deallocate(x)
			}
		})
	}
	wg.Wait()
	if !p.Empty() || p.Available() != p.Capacity() || p.HighWater() > p.Capacity() {
		t.Errorf("%d of %d slots are out, high water %d", p.Used(), p.Capacity(), p.HighWater())
	}
}

func TestFixedPoolAllocatesNothing(t *testing.T) {
	if check.Race || check.ASan {
		t.Skip("counts allocations")
	}
	p, s := arena.NewFixedPool[fixedPtr](8), arena.NewSyncFixedPool[fixedPtr](8)
	if n := testing.AllocsPerRun(100, func() {
		x, y := p.Allocate(), p.Allocate()
		p.Deallocate(x)
		p.Deallocate(y)
		s.Deallocate(s.Allocate())
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// The message must name the pool that the program has.
func TestMisuseNamesThePool(t *testing.T) {
	for want, f := range map[string]func(){
		"arena: FixedPool[int].Deallocate":     func() { arena.NewFixedPool[int](1).Deallocate(nil) },
		"arena: SyncFixedPool[int].Deallocate": func() { arena.NewSyncFixedPool[int](1).Deallocate(nil) },
	} {
		func() {
			defer func() {
				if e, ok := recover().(*arena.MisuseError); !ok || !strings.HasPrefix(e.Error(), want) {
					t.Errorf("%v does not begin with %s", e, want)
				}
			}()
			f()
		}()
	}
}

// The numbers must say how full the pool was, and how often too full: that is
// what its capacity is chosen by.
func TestFixedStats(t *testing.T) {
	p := arena.NewSyncFixedPool[[3]uint64](3)
	x, _, y := p.Allocate(), p.Allocate(), p.Allocate()
	p.Allocate()
	p.Allocate()
	p.Deallocate(x)
	p.Deallocate(y)
	want := arena.FixedStats{Capacity: 3, Used: 1, HighWater: 3, Misses: 2, UsedBytes: 24, RetainedBytes: 3 * (24 + 5)}
	if got := p.Stats(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	q := arena.NewFixedPool[struct{}](1)
	q.Allocate()
	q.Allocate()
	want = arena.FixedStats{Capacity: 1, Used: 1, HighWater: 1, Misses: 1, RetainedBytes: 6}
	if got := q.Stats(); got != want {
		t.Errorf("no size: %+v, want %+v", got, want)
	}
	if got := new(arena.FixedPool[int]).Stats(); got != (arena.FixedStats{}) {
		t.Errorf("the zero pool: %+v", got)
	}
}
