package suite

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// watch makes n objects, passes each to store, and returns a function that fails the test unless all of them
// are collected.
func watch(t *testing.T, n int, store func(*[64]byte)) (collected func()) {
	t.Helper()
	var gone atomic.Int64
	for i := range n {
		p := new([64]byte)
		p[0] = byte(i)
		runtime.AddCleanup(p, func(*atomic.Int64) { gone.Add(1) }, &gone)
		store(p)
	}
	runtime.GC()
	if got := gone.Load(); got != 0 {
		t.Errorf("%d objects were collected while they were in use", got)
	}
	return func() {
		t.Helper()
		for range 500 { // cleanups run in another goroutine
			if runtime.GC(); gone.Load() == int64(n) {
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Errorf("%d of %d objects are still pinned", int64(n)-gone.Load(), n)
	}
}

// heapBytes returns the size of the live heap.
func heapBytes() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the first collection may leave sweeping and victim caches of sync.Pool
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// huge returns the size of a huge request.
func huge() int {
	if check.Race || check.ASan || unsafe.Sizeof(uintptr(0)) == 4 || testing.Short() {
		return 64 << 20
	}
	return 256 << 20
}

// noise is the tolerance for allocations of the test itself.
const noise = 256 << 10

// One huge request must not increase the memory used by all later requests.
func TestRetentionAfterHugeRequest(t *testing.T) {
	testkit.NeedsReuse(t)
	const chunk, retained = 64 << 10, 512 << 10
	requests := map[string]func(a *arena.Arena){
		"bytes":    func(a *arena.Arena) { a.AllocBytes(huge()) },
		"string":   func(a *arena.Arena) { a.AllocBytesToString(make([]byte, huge()/4)) },
		"pointers": func(a *arena.Arena) { arena.MakeSlice[*int](a, 0, huge()/4/int(unsafe.Sizeof(uintptr(0)))) },
		"pieces": func(a *arena.Arena) {
			for range huge() / 8 / 4096 {
				a.AllocBytes(2048)
				arena.New[[256]string](a)
			}
		},
		"append": func(a *arena.Arena) {
			var s []uint64
			for len(s) < huge()/64 {
				s = arena.Append(a, s, 1, 2, 3, 4, 5, 6, 7, 8)
			}
		},
		"marks": func(a *arena.Arena) {
			m := a.Mark()
			a.AllocBytes(huge() / 4)
			a.Rewind(m)
			a.AllocString("after it")
		},
		"many types": func(a *arena.Arena) {
			n := huge() / 32 / 64
			arena.MakeSlice[*int](a, n, n)
			arena.MakeSlice[string](a, n, n)
			arena.MakeSlice[any](a, n, n)
			arena.MakeSlice[[]int](a, n, n)
			arena.MakeSlice[map[int]int](a, n, n)
			arena.MakeSlice[func()](a, n, n)
			arena.MakeSlice[uint64](a, n, n)
		},
	}
	for name, request := range requests {
		t.Run(name, func(t *testing.T) {
			a := arena.NewArena(chunk, retained)
			p := arena.NewArenaPool(chunk, retained)
			before := heapBytes()
			request(a)
			a.Reset()
			pooled := p.Get()
			request(pooled)
			p.Put(pooled)
			grown := heapBytes() - before
			if limit := 2*(retained+chunk) + noise; grown > limit {
				t.Errorf("an arena and a pooled one keep %d bytes, want at most %d", grown, limit)
			}
			if st := a.Stats(); st.RetainedBytes > retained {
				t.Errorf("RetainedBytes = %d", st.RetainedBytes)
			}
			// Small requests keep it so.
			for range 200 {
				arena.New[*int](a)
				a.AllocString("small")
				a.Reset()
			}
			if st := a.Stats(); st.RetainedBytes > 2*chunk {
				t.Errorf("after 200 small requests RetainedBytes = %d", st.RetainedBytes)
			}
			runtime.KeepAlive(a)
			runtime.KeepAlive(pooled)
		})
	}
}

// After Reset the arena's memory must not keep objects of the finished request alive.
func TestGCResetPinsNothing(t *testing.T) {
	type holder struct {
		n uint64
		p *[64]byte
		i any
	}
	fill := func(a *arena.Arena) func(p *[64]byte) {
		return func(p *[64]byte) {
			switch p[0] % 5 {
			case 0:
				arena.New[holder](a).p = p
			case 1:
				arena.New[holder](a).i = p
			case 2:
				arena.MakeSlice[*[64]byte](a, 1, 9)[:9][8] = p
			case 3:
				arena.Append(a, []any{1}, any(p))
			case 4:
				arena.New[func() byte](a)
				*arena.New[func() byte](a) = func() byte { return p[0] }
			}
		}
	}
	pool, auto := arena.NewArenaPool(4096, 1<<20), arena.NewAutoPool(1<<20)
	a, b, c, d := arena.NewArena(256, 1<<20), arena.NewArena(4096, 1<<20), pool.Get(), auto.Get()
	for range 3 { // the first cycle uses new memory, the others do not
		for _, x := range []*arena.Arena{a, b} {
			freed := watch(t, 100, fill(x))
			x.Reset()
			freed()
		}
		freed := watch(t, 100, fill(c))
		pool.Put(c)
		freed()
		freed = watch(t, 100, fill(d))
		auto.Put(d)
		freed()
		c, d = pool.Get(), auto.Get()
		m := a.Mark()
		freed = watch(t, 100, fill(a))
		a.Rewind(m)
		freed()
		freed = watch(t, 100, fill(b))
		b.Release()
		freed()
		e := arena.NewArena(64, 1<<20) // without history: many chunks
		for range 2 {
			m = e.Mark()
			freed = watch(t, 200, fill(e))
			e.Rewind(m)
			freed()
			arena.New[holder](e)
		}
		runtime.KeepAlive(e)
	}
	runtime.KeepAlive([]*arena.Arena{a, b, c, d})
}

// Ten types with pointers, like a request of a service.
type (
	mix0 struct{ p *int }
	mix1 struct{ a, b string }
	mix2 struct {
		n    int
		s    string
		next *mix2
	}
	mix3 struct{ list []string }
	mix4 struct {
		m map[string]string
		n [4]int
	}
	mix5 struct{ v any }
	mix6 struct {
		f   func()
		x   [10]uint64
		err error
	}
	mix7 struct {
		b    []byte
		s    string
		k, l int
	}
	mix8 struct{ p [12]*int }
	mix9 struct {
		id   uint64
		name string
		tags []string
		meta map[string]any
		prev *mix9
		_    [64]byte
	}
)

// oneOfTen makes an object of each of ten types.
func oneOfTen(a *arena.Arena) {
	arena.New[mix0](a)
	arena.New[mix1](a).a = "a"
	arena.New[mix2](a)
	arena.New[mix3](a)
	arena.New[mix4](a)
	arena.New[mix5](a)
	arena.New[mix6](a)
	arena.New[mix7](a)
	arena.New[mix8](a).p[0] = nil
	arena.New[mix9](a)
}

// mixedRequest makes 200 objects of ten types and 300 strings, and allocates nothing else on the heap.
func mixedRequest(a *arena.Arena) {
	for range 20 {
		oneOfTen(a)
	}
	const text = "a string that is neither short nor long"
	for i := range 300 {
		a.AllocString(text[:8+i%32])
	}
}

// An arena with ten types must not hold ten full chunks: beyond one chunk of the caller's size, memory is
// proportional to the use of requests.
func TestRetentionInProportion(t *testing.T) {
	testkit.NeedsReuse(t)
	for _, tt := range []struct {
		name  string
		pool  *arena.ArenaPool
		chunk int
	}{
		{"NewArenaPool", arena.NewArenaPool(64<<10, 0), 64 << 10},
		{"NewAutoPool", arena.NewAutoPool(0), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const n = 100
			pool := tt.pool
			before := heapBytes()
			arenas := make([]*arena.Arena, n)
			used := 0
			for i := range arenas { // all in use at once, so that all become warm
				arenas[i] = pool.Get()
			}
			for range 200 {
				for i, a := range arenas {
					mixedRequest(a)
					used = a.Stats().UsedBytes
					pool.Put(a)
					arenas[i] = pool.Get() // under -race a pool drops some, which begin again
				}
			}
			// The pool may have more arenas: it does not find an idle one if its goroutine has moved to
			// another processor.
			grown := (heapBytes() - before) / max(n, pool.Stats().Arenas)
			retained := 0
			warm := 0
			for _, a := range arenas {
				if st := a.Stats(); st.Resets >= 200 {
					warm++
					retained = max(retained, st.RetainedBytes)
				}
			}
			t.Logf("a request uses %d bytes; each of %d arenas retains %d and takes %d of the heap", used, pool.Stats().Arenas, retained, grown)
			if check.Race {
				if warm > 0 && retained > 2*used+tt.chunk {
					t.Errorf("an arena retains %d bytes for requests of %d", retained, used)
				}
				return
			}
			if warm < n/2 || retained > 2*used+tt.chunk { // a pool may miss one when its goroutine changes processors
				t.Errorf("an arena retains %d bytes for requests of %d (%d of %d are warm)", retained, used, warm, n)
			}
			records := 0
			if check.ASan || check.Tag {
				records = 4 << 10 // records of allocators and chunks in checked builds
			}
			if grown > 2*used+tt.chunk+records {
				t.Errorf("an arena takes %d bytes of the heap for requests of %d", grown, used)
			}
			runtime.KeepAlive(arenas)
			runtime.KeepAlive(pool)
		})
	}
}

// An arena that was large shrinks when it stays small for long, but not at every small request in between.
func TestRetentionShrinks(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(1024, 1<<20)
	for range 10 {
		a.AllocBytes(500 << 10)
		arena.MakeSlice[string](a, 10000, 10000)
		a.Reset()
	}
	large := a.Stats().RetainedBytes
	if large < 500<<10 {
		t.Errorf("a steady need of 500 KB is not kept: %d bytes", large)
	}
	for range 500 {
		a.AllocBytes(100)
		*arena.New[string](a) = "x"
		a.Reset()
	}
	if got := a.Stats().RetainedBytes; got > 8<<10 {
		t.Errorf("after 500 small requests %d bytes are kept, %d before", got, large)
	}
}

// An arena must not use a chunk for each value, also if values do not fit into the rest of the current chunk.
func TestFewChunks(t *testing.T) {
	const n = 1000
	for name, f := range map[string]func(a *arena.Arena){
		"slices of strings":  func(a *arena.Arena) { arena.MakeSlice[string](a, 0, 20) },
		"slices of pointers": func(a *arena.Arena) { arena.MakeSlice[*int](a, 0, 37) },
		"bytes":              func(a *arena.Arena) { a.AllocBytes(700) },
		"text":               func(a *arena.Arena) { a.AllocBytesToString(make([]byte, 700)) },
		"large objects":      func(a *arena.Arena) { arena.New[[100]string](a) },
		"large flat objects": func(a *arena.Arena) { arena.New[[2000]byte](a) },
		"appended":           func(a *arena.Arena) { arena.Append(a, arena.MakeSlice[any](a, 3, 3), 1, 2, 3) },
	} {
		for _, chunk := range []int{1000, 64 << 10} {
			a := arena.NewArena(chunk, 0)
			a.AllocBytes(200)
			for range n {
				f(a)
			}
			if st := a.Stats(); st.Chunks > n/10 {
				t.Errorf("%s, chunk size %d: %d chunks for %d values, %d bytes", name, chunk, st.Chunks, n, st.UsedBytes)
			}
		}
	}
}
