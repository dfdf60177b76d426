package machine

import (
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/ebbpool/arena/internal/check"
)

// What a pool lets go of is garbage, and stays until the next collection. The runtime
// begins one when the heap has grown, and in a program whose requests are in arenas it
// hardly does: after a burst most of the heap may be garbage, for two minutes. So where
// a pool's chunks have come to be much less than they were, a collection is asked for.

const (
	// leastGarbage is the least number of bytes for which a collection is asked for.
	leastGarbage = 8 << 20

	// garbagePart is which part of the live heap they are at least, with GOGC=100: below
	// it the collection costs more than it brings.
	garbagePart = 2
)

// collectPeriod is the least time between two collections that pools ask for.
var collectPeriod = 5 * time.Second

// collecting is true while somebody asks for a collection, and collected the end of the
// last one, in Unix nanoseconds.
var (
	collecting atomic.Bool
	collected  atomic.Int64
)

// Collected notes that there was a collection. It is called some time later: what the pool
// had before counts until the next one, for it may have let go of that in between.
func (s *PoolStats) Collected() {
	s.before.Store(s.top.Swap(s.held.Load()))
	s.much.Store(leastGarbage)
}

// LetGo notes that the pool's chunks, or those of arenas that it has left to the collector
// besides, have come to be fewer: the latter have more bytes.
func (s *PoolStats) LetGo(more uintptr) {
	if check.On || check.Race { // which must not see that one goroutine starts another here
		return
	}
	if s.garbage()+more < max(s.much.Load(), leastGarbage) || collecting.Swap(true) {
		return
	}
	// Not by a goroutine that sleeps, for which a bubble of testing/synctest fails; and no
	// longer than the period, for the clock of a bubble is another one.
	time.AfterFunc(min(collectPeriod, collectPeriod-time.Since(time.Unix(0, collected.Load()))), func() {
		defer collecting.Store(false)
		much := garbageOfHeap()
		if s.much.Store(much); s.garbage()+more < much {
			return // or there was a collection meanwhile
		}
		held := s.held.Load()
		runtime.GC()
		collected.Store(time.Now().UnixNano())
		s.before.Store(0)
		s.top.Store(max(held, s.held.Load()))
	})
}

// garbage returns how many bytes less the pool has than it had since the last collection
// but one.
func (s *PoolStats) garbage() uintptr {
	top, held := max(s.top.Load(), s.before.Load()), s.held.Load()
	return top - min(top, held)
}

// garbageOfHeap returns how many bytes of garbage are much beside the heap that was live at
// the last collection: more than there can be where the program has turned collections off.
func garbageOfHeap() uintptr {
	x := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/gogc:percent"}}
	metrics.Read(x)
	if x[0].Value.Kind() != metrics.KindUint64 || x[1].Value.Kind() != metrics.KindUint64 {
		return MaxAlloc
	}
	much := float64(x[0].Value.Uint64()) * float64(x[1].Value.Uint64()) / (100 * garbagePart)
	return uintptr(min(max(much, leastGarbage), MaxAlloc))
}
