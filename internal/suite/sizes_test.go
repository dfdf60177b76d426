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

// refusedSizes are byte counts that no value may have: above half of what the
// runtime's make takes on this platform, and around that itself.
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

// On WebAssembly and iOS the runtime's own limit is far below that of other
// machines of 64 bits. A size between the two panicked with the runtime's words,
// after it was counted: forty such tries, and the pool refused 8 bytes to all.
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
	p.Get().AllocBytes(8) // panics with what is left of the total
}

// A pool's list of free slots has four bytes for each: of small values fewer fit
// than their own size says, and that, too, must be told by the pool.
func TestFixedPoolSizesBeyondThePlatform(t *testing.T) {
	least := refusedSizes()[0] // a byte more than is allowed
	if slots := (least-1)/4 + 1; slots <= math.MaxUint32 {
		testkit.WantPanic(t, func() { fixedpool.New[byte](int(slots)) }, "fixedpool: New[uint8]", fmt.Sprint(slots), "from 0 to "+fmt.Sprint(slots-1))
		testkit.WantPanic(t, func() { fixedpool.NewSync[struct{}](int(slots)) }, "fixedpool: NewSync[struct {}]", fmt.Sprint(slots))
	}
	testkit.WantPanic(t, func() { fixedpool.New[[64]byte](int(least/64 + 1)) }, "fixedpool: New[[64]uint8]", fmt.Sprint(least/64+1))
}

// The largest size that is let through must be one that the runtime takes: it
// finds memory, or it says that there is none, which ends the process. So a
// process of its own asks, one that can't have much.
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
