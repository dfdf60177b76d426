package suite

import (
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ebbpool/arena/fixedpool"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// The collector sees slots in use, and a free slot keeps nothing alive.
func TestPoolAndCollector(t *testing.T) {
	p := fixedpool.New[fixedPtr](100)
	var slots []*fixedPtr
	gone := make(chan int, 100)
	for i := range 100 {
		x := p.Allocate()
		// Use two ints: the runtime packs pointer-free objects below 16 bytes into blocks that live as long
		// as any of them, so some single ints were never collected.
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

// A write through a stale pointer must not be visible to the next owner.
func TestPoolZeroesAfterStaleWrite(t *testing.T) {
	testkit.NeedsReuse(t)
	p := fixedpool.New[fixedPtr](1)
	x := p.Allocate()
	p.Deallocate(x)
	//arenavet:ignore a stale write, on purpose
	x.s = "stale"
	if y := p.Allocate(); y != x || y.s != "" {
		t.Errorf("the slot holds %q", y.s)
	}
	q := fixedpool.New[fixedFlat](1)
	z := q.Allocate()
	q.Deallocate(z)
	//arenavet:ignore a stale write, on purpose
	z.n = 1
	if q.Allocate().n != 0 {
		t.Error("the slot is not zero")
	}
}

// Slots of zero-size values must be distinct, or a second free of one would look like the first free of
// another.
func TestPoolOfNothing(t *testing.T) {
	p := fixedpool.New[struct{}](3)
	a, b, c := p.Allocate(), p.Allocate(), p.Allocate()
	if p.Allocate() != nil || !p.Full() {
		t.Error("more than three")
	}
	p.Deallocate(b)
	wantMisuse(t, fixedpool.ErrDouble, func() { p.Deallocate(b) })
	p.Deallocate(a)
	p.Deallocate(c)
	if !p.Empty() {
		t.Error("not empty")
	}
}

func TestPoolCapacity(t *testing.T) {
	if p := fixedpool.New[int](0); p.Allocate() != nil || !p.Empty() || !p.Full() || p.Capacity() != 0 {
		t.Error("capacity 0")
	}
	wantMisuse(t, fixedpool.ErrForeign, func() { fixedpool.New[int](0).Deallocate(new(int)) })
	wantMisuse(t, fixedpool.ErrNil, func() { fixedpool.New[int](0).Deallocate(nil) })
	wantMisuse(t, fixedpool.ErrForeign, func() { new(fixedpool.Pool[int]).Deallocate(new(int)) })
	testkit.WantPanic(t, func() { fixedpool.New[int](-1) }, "fixedpool: New[int]", "-1")
	testkit.WantPanic(t, func() { fixedpool.NewSync[int](-1) }, "fixedpool: NewSync[int]", "-1")
	testkit.WantPanic(t, func() { fixedpool.New[[1 << 20]int](math.MaxInt32) }, "fixedpool: New", "2147483647")
	if math.MaxInt > math.MaxInt32 {
		tooMany := uint64(math.MaxUint32) + 1
		testkit.WantPanic(t, func() { fixedpool.New[byte](int(tooMany)) }, "fixedpool: New[uint8]", "4294967296")
	}
}

func wantMisuse(t *testing.T, want error, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		e, ok := recover().(*fixedpool.MisuseError)
		if !ok || !errors.Is(e, want) {
			t.Errorf("%v instead of %v", e, want)
		} else if !strings.HasPrefix(e.Error(), "fixedpool: Pool[") && !strings.HasPrefix(e.Error(), "fixedpool: SyncPool[") {
			t.Errorf("the message does not begin with the pool's type: %s", e)
		}
	}()
	f()
}

// A panic in one goroutine must not leave the pool locked, and no slot may be in use twice.
func TestSyncPool(t *testing.T) {
	const workers, rounds = 4, 2000
	p := fixedpool.NewSync[fixedFlat](workers * 3)
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
					//arenavet:ignore it was taken off the list when it was given back
					if n := x.n; n != int64(w+1) {
						t.Errorf("worker %d finds %d in its slot", w, n)
					}
					mine = mine[1:]
					p.Deallocate(x)
				}
				if i%100 == 0 {
					wantMisuse(t, fixedpool.ErrForeign, func() { p.Deallocate(new(fixedFlat)) })
				}
			}
			for _, x := range mine {
				p.Deallocate(x)
			}
		})
	}
	wg.Wait()
	if st := p.Stats(); !p.Empty() || st.HighWater > p.Capacity() {
		t.Errorf("%d of %d slots are out, %+v", p.Used(), p.Capacity(), st)
	}
}

func TestPoolAllocatesNothing(t *testing.T) {
	if check.Race || check.ASan {
		t.Skip("counts allocations")
	}
	p, s := fixedpool.New[fixedPtr](8), fixedpool.NewSync[fixedPtr](8)
	if n := testing.AllocsPerRun(100, func() {
		x, y := p.Allocate(), p.Allocate()
		p.Deallocate(x)
		p.Deallocate(y)
		s.Deallocate(s.Allocate())
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Panics name the pool's type.
func TestMisuseNamesThePool(t *testing.T) {
	for want, f := range map[string]func(){
		"fixedpool: Pool[int].Deallocate":     func() { fixedpool.New[int](1).Deallocate(nil) },
		"fixedpool: SyncPool[int].Deallocate": func() { fixedpool.NewSync[int](1).Deallocate(nil) },
	} {
		func() {
			defer func() {
				if e, ok := recover().(*fixedpool.MisuseError); !ok || !strings.HasPrefix(e.Error(), want) {
					t.Errorf("%v does not begin with %s", e, want)
				}
			}()
			f()
		}()
	}
}

// Statistics report how full the pool was and how often it was exhausted, because capacities are chosen by
// these.
func TestStats(t *testing.T) {
	p := fixedpool.NewSync[[3]uint64](3)
	x, _, y := p.Allocate(), p.Allocate(), p.Allocate()
	p.Allocate()
	p.Allocate()
	p.Deallocate(x)
	p.Deallocate(y)
	want := fixedpool.Stats{Capacity: 3, Used: 1, HighWater: 3, Misses: 2, UsedBytes: 24, RetainedBytes: 3 * (24 + 5)}
	if got := p.Stats(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	q := fixedpool.New[struct{}](1)
	q.Allocate()
	q.Allocate()
	want = fixedpool.Stats{Capacity: 1, Used: 1, HighWater: 1, Misses: 1, RetainedBytes: 6}
	if got := q.Stats(); got != want {
		t.Errorf("no size: %+v, want %+v", got, want)
	}
	if got := new(fixedpool.Pool[int]).Stats(); got != (fixedpool.Stats{}) {
		t.Errorf("the zero pool: %+v", got)
	}
}
