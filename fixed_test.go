package arena

import (
	"errors"
	"math"
	"math/bits"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// The one comparison must refuse every offset that is not a slot's beginning:
// below the pool, between slots, behind the end, and those whose product with
// the inverse wraps around.
func TestFixedPoolSlotNumbers(t *testing.T) {
	checkSlotNumbers[byte](t)
	checkSlotNumbers[[3]byte](t)
	checkSlotNumbers[fixedFlat](t)
	checkSlotNumbers[[24]byte](t)
	checkSlotNumbers[[56]byte](t)
	checkSlotNumbers[[64]byte](t)
	checkSlotNumbers[[100]uint64](t)
	checkSlotNumbers[[4096]byte](t)
	checkSlotNumbers[struct{}](t)
}

func checkSlotNumbers[T any](t *testing.T) {
	t.Helper()
	const count = 65
	p := NewFixedPool[T](count)
	stride := max(unsafe.Sizeof(*new(T)), 1)
	if stride>>p.rotation*p.inverse != 1 {
		t.Errorf("%d bytes: %#x is not the inverse of the odd part", stride, p.inverse)
	}
	check := func(off uintptr) {
		isSlot := off%stride == 0 && off/stride < count
		if got := slotOf(off, stride, p.inverse, p.rotation); (got < count) != isSlot || isSlot && got != off/stride {
			t.Errorf("%d bytes: offset %d is slot %d", stride, int(off), got)
		}
	}
	for off := range 70 * stride {
		check(off)
		check(-off)
		check(math.MaxUint/2 + off)
		check(math.MaxUint/stride*off + off)
	}
}

// Were one of the two numbers wrong for any reason, no pool may come of it.
func TestFixedPoolRefusesWrongNumbers(t *testing.T) {
	for stride := uintptr(1); stride < 3000; stride++ {
		right := bits.TrailingZeros(uint(stride))
		new(FixedPool[byte]).number(stride, right)
		for _, wrong := range []int{right - 1, right + 1, right + 2, 31, 34, 63, 64} {
			if wrong >= 0 {
				testkit.WantPanic(t, func() { new(FixedPool[byte]).number(stride, wrong) }, "internal error", itoa(int(stride)), itoa(wrong))
			}
		}
	}
}

// Slots are seen by the collector, and a free slot keeps nothing alive.
func TestFixedPoolAndCollector(t *testing.T) {
	p := NewFixedPool[fixedPtr](100)
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
	p := NewFixedPool[fixedPtr](1)
	x := p.Allocate()
	p.Deallocate(x)
	x.s = "stale"
	if y := p.Allocate(); y != x || y.s != "" {
		t.Errorf("the slot holds %q", y.s)
	}
	q := NewFixedPool[fixedFlat](1)
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
	p := NewFixedPool[struct{}](3)
	a, b, c := p.Allocate(), p.Allocate(), p.Allocate()
	if p.Allocate() != nil || !p.Full() {
		t.Error("more than three")
	}
	p.Deallocate(b)
	wantMisuse(t, ErrDoubleFree, func() { p.Deallocate(b) })
	p.Deallocate(a)
	p.Deallocate(c)
	if !p.Empty() {
		t.Error("not empty")
	}
}

func TestFixedPoolCapacity(t *testing.T) {
	if p := NewFixedPool[int](0); p.Allocate() != nil || !p.Empty() || !p.Full() || p.Capacity() != 0 {
		t.Error("capacity 0")
	}
	wantMisuse(t, ErrForeign, func() { NewFixedPool[int](0).Deallocate(new(int)) })
	wantMisuse(t, ErrNil, func() { NewFixedPool[int](0).Deallocate(nil) })
	wantMisuse(t, ErrForeign, func() { new(FixedPool[int]).Deallocate(new(int)) })
	testkit.WantPanic(t, func() { NewFixedPool[int](-1) }, "NewFixedPool[int]", "-1")
	testkit.WantPanic(t, func() { NewSyncFixedPool[int](-1) }, "NewSyncFixedPool[int]", "-1")
	testkit.WantPanic(t, func() { NewFixedPool[[1 << 20]int](math.MaxInt32) }, "NewFixedPool", "2147483647")
	if math.MaxInt > math.MaxInt32 {
		tooMany := uint64(math.MaxUint32) + 1
		testkit.WantPanic(t, func() { NewFixedPool[byte](int(tooMany)) }, "NewFixedPool[uint8]", "4294967296")
	}
}

func wantMisuse(t *testing.T, want error, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		e, ok := recover().(*MisuseError)
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
	p := NewSyncFixedPool[fixedFlat](workers * 3)
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
					wantMisuse(t, ErrForeign, func() { p.Deallocate(new(fixedFlat)) })
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
	p, s := NewFixedPool[fixedPtr](8), NewSyncFixedPool[fixedPtr](8)
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
		"arena: FixedPool[int].Deallocate":     func() { NewFixedPool[int](1).Deallocate(nil) },
		"arena: SyncFixedPool[int].Deallocate": func() { NewSyncFixedPool[int](1).Deallocate(nil) },
	} {
		func() {
			defer func() {
				if e, ok := recover().(*MisuseError); !ok || !strings.HasPrefix(e.Error(), want) {
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

type (
	fixedFlat struct{ n, _ int64 }
	fixedPtr  struct {
		p *int
		_ [5]uintptr
		s string
	}
)
