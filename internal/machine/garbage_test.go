package machine

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/ebbpool/arena/internal/check"
)

// After a burst the heap must come down to about what a program without arenas has, with
// nothing but small requests: 70 MB of garbage lay there for two minutes, since requests
// in arenas make none that would have the runtime collect.
func TestGarbageOfABurstIsCollected(t *testing.T) {
	if check.On || check.Race {
		t.Skip("no chunk is kept")
	}
	for collecting.Load() { // for a test before this one
		time.Sleep(10 * time.Millisecond)
	}
	defer func(d time.Duration) { collectPeriod = d }(collectPeriod)
	collectPeriod = 0
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	collections := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumGC
	}
	live := make([]byte, 40<<20) // what the program has besides
	load := func(s *simulation, lives, size int) {
		for range lives {
			for _, x := range s.regions {
				MakeSlice[byte](x, size, size)
				x.Empty()
			}
		}
	}
	for _, tt := range []struct {
		name     string
		percent  int
		collects bool
	}{{"as it is", 100, true}, {"with collections off", -1, false}} {
		t.Run(tt.name, func(t *testing.T) {
			runtime.GC()
			before := heap()
			s := newSimulation(32, 64<<10, 4<<20)
			s.stats.Bound(8 << 20)
			load(s, 3, 2<<20)
			runtime.GC() // in the burst, as there are some
			s.stats.Collected()
			s.stats.Bound(8 << 20)
			defer debug.SetGCPercent(debug.SetGCPercent(tt.percent))
			was := collections()
			load(s, 300, 10_000)
			for range 200 {
				if time.Sleep(5 * time.Millisecond); !collecting.Load() && s.stats.garbage() < leastGarbage {
					break
				}
			}
			got, n := heap()-before, collections()-was
			t.Logf("%d bytes of the heap, %d of them the pool's; %d collections", got, s.stats.held.Load(), n)
			if n := collections() - was; (n > 0) != tt.collects || n > 4 {
				t.Errorf("%d collections", n)
			}
			// How many chunks are garbage at the end depends on when the collection came: up to as
			// many as are not worth another one.
			if held, much := s.stats.held.Load(), uintptr(len(live))/garbagePart; tt.collects && uintptr(got) > held+much {
				t.Errorf("%d bytes of the heap, of which the pool's arenas have %d, and %d may be garbage", got, held, much)
			}
		})
	}
	runtime.KeepAlive(live)
}
