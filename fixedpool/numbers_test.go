package fixedpool

import (
	"math"
	"math/bits"
	"strconv"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// slotOf's single comparison refuses every offset that is not the beginning of a slot: below the pool, inside
// slots, past the end, and offsets whose product with the inverse wraps around.
func TestPoolSlotNumbers(t *testing.T) {
	checkSlotNumbers[byte](t)
	checkSlotNumbers[[3]byte](t)
	checkSlotNumbers[[2]int64](t)
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
	p := New[T](count)
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

// New panics if one of the two numbers is wrong for any reason.
func TestPoolRefusesWrongNumbers(t *testing.T) {
	for stride := uintptr(1); stride < 3000; stride++ {
		right := bits.TrailingZeros(uint(stride))
		new(Pool[byte]).number(stride, right)
		for _, wrong := range []int{right - 1, right + 1, right + 2, 31, 34, 63, 64} {
			if wrong >= 0 {
				testkit.WantPanic(t, func() { new(Pool[byte]).number(stride, wrong) }, "internal error", strconv.Itoa(int(stride)), strconv.Itoa(wrong))
			}
		}
	}
}
