package suite

import (
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

// taken returns the heap allocations and bytes of f. They include a few of the runtime in each call.
func taken(f func()) (mallocs, bytes int) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.Mallocs - before.Mallocs), int(after.TotalAlloc - before.TotalAlloc)
}

// takenBy returns the heap allocations and bytes per cycle, after many cycles.
func takenBy(cycles int, cycle func()) (mallocs, bytes int) {
	for range 10 * 64 {
		cycle()
	}
	m, b := taken(func() {
		for range cycles {
			cycle()
		}
	})
	return m / cycles, b / cycles
}

func needsCounts(t *testing.T) {
	t.Helper()
	testkit.NeedsReuse(t)
	if check.Race || check.ASan {
		t.Skip("instrumentation allocates")
	}
}

// A request larger than maxRetained still finds that much memory.
func TestCycleBeyondMaxRetained(t *testing.T) {
	needsCounts(t)
	a := arena.NewArena(64<<10, 0)
	_, bytes := takenBy(100, func() {
		for range 700 << 10 / 32 {
			arena.New[flatThing](a)
		}
		a.Reset()
	})
	if beyond := 60 << 10; bytes > beyond*13/10 {
		t.Errorf("%d bytes taken for a cycle of 700 KB of which %d may not be kept", bytes, beyond)
	}
	if st := a.Stats(); st.RetainedBytes < 600<<10 || st.RetainedBytes > 640<<10 {
		t.Errorf("%d bytes are kept of 640 KB", st.RetainedBytes)
	}
}

// The chunk size that the caller chose is never reduced: an arena must not shrink its chunk to many small
// requests and then allocate again for the next larger one.
func TestChunkOfTheCallerStays(t *testing.T) {
	needsCounts(t)
	for _, rare := range []int{100, 1000} {
		a := arena.NewArena(64<<10, 0)
		warm := false // the first request may allocate less
		cycles := func() {
			for range rare {
				a.AllocBytes(50)
				if has := a.Stats().RetainedBytes; warm && has < 60<<10 {
					t.Fatalf("%d bytes are there of a chunk of 64 KB", has)
				}
				a.Reset()
			}
			a.AllocBytes(60 << 10)
			a.Reset()
			warm = true
		}
		for range 5 {
			cycles()
		}
		if mallocs, bytes := taken(func() { cycles(); cycles(); cycles() }); bytes > 8<<10 {
			t.Errorf("%d small cycles and one of 60 KB: %d allocations, of %d bytes", rare, mallocs, bytes)
		}
	}
}

// oneRoot runs 640 requests that allocate one value each, and counts.
func oneRoot[T any](t *testing.T) {
	t.Helper()
	a := arena.NewArena(64<<10, 0)
	mallocs, _ := takenBy(100, func() {
		for range 64 {
			arena.New[T](a)
			a.Reset()
		}
	})
	if mallocs != 0 {
		t.Errorf("%T: %d allocations in 64 cycles of one value", *new(T), mallocs)
	}
}

// The chunk of a request's single large object fits the object: an eighth more would double the chunk, which
// would then be dropped and allocated again every 64 cycles.
func TestOneRootObject(t *testing.T) {
	needsCounts(t)
	oneRoot[[17]*int](t)
	oneRoot[[20]*int](t)
	oneRoot[[32]*int](t)
	oneRoot[[37]*int](t)
	oneRoot[[200]*int](t)
	oneRoot[[1000]*int](t)
}

// One huge request costs its own memory and nothing else: the arena keeps the memory of small requests.
func TestGiantCostsItselfAlone(t *testing.T) {
	needsCounts(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	a := arena.NewArena(64<<10, 0)
	const giant = 8 << 20
	cycle := func() {
		arena.MakeSlice[int](a, giant/8, giant/8)
		a.Reset()
		for range 100 {
			for range 20 {
				arena.New[tracedPair](a)
				a.AllocString("a text of a few words")
			}
			a.Reset()
		}
		runtime.GC()
	}
	for range 5 {
		cycle()
	}
	if _, bytes := taken(func() {
		for range 5 {
			cycle()
		}
	}); bytes > 5*giant+giant/16 {
		t.Errorf("%d bytes taken for a giant of %d", bytes/5, giant)
	}
}

// Types with few objects in the first cycle hold at most twice the memory that they use.
func TestFewObjectsOfManyTypes(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(64<<10, 0)
	for n := 1; n <= 3; n++ {
		oneOfTen(a)
		arena.New[[17]*int](a)
		arena.New[[40]string](a)
		if st := a.Stats(); st.RetainedBytes > 2*st.UsedBytes && n == 3 {
			t.Errorf("three objects of each of %d types hold %d bytes, and use %d", st.Types, st.RetainedBytes, st.UsedBytes)
		}
	}
}

// HighWater, by which operators choose limits, includes memory freed by a rewind and memory of types with
// pointers.
func TestHighWater(t *testing.T) {
	a := arena.NewArena(4096, 0)
	m := a.Mark()
	a.AllocBytes(5000)
	a.Rewind(m)
	if got := a.Stats().HighWater; got != 5000 {
		t.Errorf("HighWater = %d after a rewind of 5000 bytes", got)
	}
	for range 6400 / int(unsafe.Sizeof(tracedPair{})) {
		arena.New[tracedPair](a)
	}
	traced := a.Stats().UsedBytes
	a.Reset()
	if got := a.Stats().HighWater; got != traced {
		t.Errorf("HighWater = %d after a cycle of %d bytes with pointers", got, traced)
	}
	a.AllocBytes(8000)
	a.Release()
	if got := a.Stats().HighWater; got != 8000 {
		t.Errorf("HighWater = %d after a release of 8000 bytes", got)
	}
}

// After Release an arena acts like a new one: it does not begin with the memory of its past use.
func TestReleaseForgets(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(4096, 1<<20)
	for range 3 {
		a.AllocBytes(50_000)
		arena.MakeSlice[[2]*int](a, 2000, 2000)
		a.Reset()
	}
	if a.Stats().RetainedBytes < 60_000 {
		t.Fatalf("what is to be forgotten was never known: %+v", a.Stats())
	}
	a.Release()
	a.AllocBytes(8)
	arena.New[string](a)
	if got := a.Stats().RetainedBytes; got > 4096+512 {
		t.Errorf("after Release a small cycle takes %d bytes", got)
	}
}

// The first cycle reaches the caller's chunk size in a few steps, also for types with pointers.
func TestFirstCycleTakesFewChunks(t *testing.T) {
	if !machine.LayoutOK {
		t.Skip("allocators that are found through a map cost more, by design")
	}
	needsCounts(t)
	for n, most := range map[int]float64{3: 3, 1000: 7, 100_000: 10} {
		got := 100.0
		for range 5 { // the runtime and earlier tests also allocate
			got = min(got, testing.AllocsPerRun(10, func() {
				a := arena.NewArena(64<<10, 0)
				for range n {
					arena.New[tracedPair](a)
				}
			}))
		}
		if got > most {
			t.Errorf("%v allocations for the first cycle of %d objects, want %v at most", got, n, most)
		}
	}
}
