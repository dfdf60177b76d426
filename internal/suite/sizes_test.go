package suite

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// refusedSizes returns byte counts that no value may have: above half of the maximum of make on this
// platform, and around the maximum.
func refusedSizes() []uint64 {
	switch {
	case runtime.GOARCH == "wasm":
		return []uint64{1<<31 + 1, 1<<32 - 8, 1 << 32, 1<<32 + 1, 1 << 33, 1 << 40, 1 << 46, 1 << 47, 1 << 48, math.MaxInt64}
	case runtime.GOOS == "ios":
		return []uint64{1<<39 + 1, 1 << 40, 1<<40 + 1, 1 << 46, 1 << 47, 1 << 48, math.MaxInt64}
	case math.MaxInt == math.MaxInt32:
		return []uint64{1<<30 + 1, 1<<31 - 8, math.MaxInt32}
	}
	return []uint64{1<<47 + 1, 1<<48 - 8, 1 << 48, 1<<48 + 1, 1 << 49, math.MaxInt64}
}

// WebAssembly and iOS have a smaller maximum size than other 64-bit platforms. Sizes above it must be refused
// before they are counted, or repeated attempts use up the pool's total.
func TestSizesBeyondThePlatform(t *testing.T) {
	p := arena.NewArenaPool(4096, 0)
	p.SetLimit(0, math.MaxInt)
	a := p.Get()
	a.AllocBytes(8)
	before, pool := a.Stats(), p.Stats()
	for range 40 {
		for _, size := range refusedSizes() {
			n := int(size)
			testkit.WantPanic(t, func() { arena.MakeSlice[byte](a, n, n) }, "MakeSlice[uint8]", strconv.Itoa(n), "more than can be allocated")
			testkit.WantPanic(t, func() { arena.MakeSlice[byte](nil, n, n) }, "MakeSlice[uint8]", strconv.Itoa(n))
			testkit.WantPanic(t, func() { arena.MakeSliceUninit[byte](a, 0, n) }, "MakeSliceUninit[uint8]", strconv.Itoa(n))
			words := int(size/8 + 1)
			testkit.WantPanic(t, func() { arena.MakeSlice[int64](a, 0, words) }, "MakeSlice[int64]", strconv.Itoa(words))
			testkit.WantPanic(t, func() { arena.MakeSlice[[2]*int](a, 0, words) }, "MakeSlice[[2]*int]", strconv.Itoa(words))
			testkit.WantPanic(t, func() { a.AllocBytes(n) }, "AllocBytes", strconv.Itoa(n))
			testkit.WantPanic(t, func() { arena.NewArena(n, 0) }, "NewArena", strconv.Itoa(n))
			testkit.WantPanic(t, func() { fixedpool.New[int64](words) }, "fixedpool: New", strconv.Itoa(words))
		}
	}
	if after := a.Stats(); after != before {
		t.Errorf("%+v after sizes that were refused, %+v before", after, before)
	}
	if after := p.Stats(); after != pool {
		t.Errorf("%+v after sizes that were refused, %+v before", after, pool)
	}
	p.Get().AllocBytes(8) // panics if the total is used up
}

// A pool's free list takes four bytes per slot, so fewer small values fit than their size suggests. The pool
// reports that.
func TestFixedPoolSizesBeyondThePlatform(t *testing.T) {
	least := refusedSizes()[0] // one byte more than allowed
	if slots := (least-1)/4 + 1; slots <= math.MaxUint32 {
		testkit.WantPanic(t, func() { fixedpool.New[byte](int(slots)) }, "fixedpool: New[uint8]", fmt.Sprint(slots), "not in [0, "+fmt.Sprint(slots-1))
		testkit.WantPanic(t, func() { fixedpool.NewSync[struct{}](int(slots)) }, "fixedpool: NewSync[struct {}]", fmt.Sprint(slots))
	}
	testkit.WantPanic(t, func() { fixedpool.New[[64]byte](int(least/64 + 1)) }, "fixedpool: New[[64]uint8]", fmt.Sprint(least/64+1))
}

// The runtime must accept the largest allowed size: it allocates the memory or ends the process because there
// is not enough. So the test runs in a process with little memory.
func TestLargestSize(t *testing.T) {
	const child = "ARENA_TEST_LARGEST"
	largest := int(refusedSizes()[0] - 1)
	if of := os.Getenv(child); of != "" {
		limitMemory(t, 4<<30)
		a := arena.NewArena(4096, 0)
		switch of {
		case "bytes":
			arena.MakeSliceUninit[byte](a, largest, largest)
		case "pointers":
			arena.MakeSlice[[3]*int](a, 0, largest/int(unsafe.Sizeof([3]*int{})))
		case "chunk":
			arena.NewArena(largest, 0).AllocBytes(1)
		case "slots":
			fixedpool.New[[3]int64](min(largest/24, math.MaxUint32&math.MaxInt))
		case "small slots":
			fixedpool.New[byte](min(largest/4, math.MaxUint32&math.MaxInt))
		}
		fmt.Println("made")
		return
	}
	if check.Race || check.ASan {
		t.Skip("what the instrumentation needs is far beyond the limit")
	}
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" && runtime.GOOS != "windows" && runtime.GOOS != "wasip1" {
		t.Skip("nothing says that this system has not got that much address space")
	}
	for _, of := range []string{"bytes", "pointers", "chunk", "slots", "small slots"} {
		t.Run(of, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
			defer cancel()
			cmd := testkit.Self(ctx, t, "-test.run=^TestLargestSize$", "-test.v")
			cmd.Env = append(os.Environ(), child+"="+of)
			out, err := cmd.CombinedOutput()
			text := string(out)
			if made := err == nil && strings.Contains(text, "made"); !made && !strings.Contains(text, "out of memory") ||
				strings.Contains(text, "out of range") {
				t.Errorf("%d bytes: %v\n%.2000s", largest, err, text)
			}
		})
	}
}
