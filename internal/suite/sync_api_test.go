package suite

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
)

// These tests check what docs/safety.md says about locks and similar values in recycled memory: the runtime's
// fatal errors. collector_api_test.go runs the cases.
const (
	unlockedMutex   = "fatal error: sync: unlock of unlocked mutex"
	unlockedRW      = "fatal error: sync: Unlock of unlocked RWMutex"
	readUnlockedRW  = "fatal error: sync: RUnlock of unlocked RWMutex"
	mutexState      = "fatal error: sync: inconsistent mutex state"
	negativeCounter = "panic: sync: negative WaitGroup counter"
	bubble          = "fatal error: sync: WaitGroup.Add called from inside and outside synctest bubble"
	leakingPin      = "runtime.Pinner: found leaking pinned pointer"
)

type (
	lockedText struct { // in memory with pointers, which is cleared when it is taken back
		sync.Mutex
		text string
	}
	lockedNumber struct { // in memory without pointers, which is cleared when it is allocated
		sync.Mutex
		n int
	}
	sharedText struct {
		sync.RWMutex
		text string
	}
	onceText struct {
		sync.Once
		text string
	}
	groupText struct {
		sync.WaitGroup
		text string
	}
)

// fillWith writes b to memory without pointers, as its next owner may.
func fillWith(a *arena.Arena, b byte) {
	text := a.AllocBytes(64)
	for i := range text {
		text[i] = b
	}
}

func TestSyncInArenaMemory(t *testing.T) { testAPI(t, "TestSyncInArenaMemory", syncCases) }

var syncCases = map[string]apiCase{
	"a mutex beside pointers": {unlockedMutex, func() {
		a := arena.NewArena(4096, 0)
		x := arena.New[lockedText](a)
		x.Lock()
		a.Reset()
		x.Unlock()
	}},
	"a mutex behind its Put": {unlockedMutex, func() {
		p := arena.NewArenaPool(4096, 0)
		a := p.Get()
		x := arena.New[lockedText](a)
		x.Lock()
		defer x.Unlock()
		defer p.Put(a)
	}},
	"a mutex before its Put": {wentOn, func() {
		p := arena.NewArenaPool(4096, 0)
		for range 3 {
			func() {
				a := p.Get()
				defer p.Put(a)
				x := arena.New[lockedText](a)
				x.Lock()
				defer x.Unlock()
			}()
		}
	}},
	"a mutex that is rewound": {unlockedMutex, func() {
		a := arena.NewArena(4096, 0)
		m := a.Mark()
		x := arena.New[lockedText](a)
		x.Lock()
		a.Rewind(m)
		x.Unlock()
	}},
	"a mutex without pointers": {unlockedMutex, func() {
		a := arena.NewArena(4096, 0)
		x := arena.New[lockedNumber](a)
		x.Lock()
		a.Reset()
		require(arena.New[lockedNumber](a) == x, "the memory is used again")
		x.Unlock()
	}},
	"a mutex without pointers, not handed out again": {wentOn, func() {
		a := arena.NewArena(4096, 0)
		x := arena.New[lockedNumber](a)
		x.Lock()
		a.Reset()
		x.Unlock()
	}},
	"a mutex of a slot": {unlockedMutex, func() {
		p := fixedpool.New[lockedNumber](1)
		x := p.Allocate()
		x.Lock()
		p.Deallocate(x)
		p.Allocate()
		x.Unlock()
	}},
	"a mutex locked in others' memory": {mutexState, func() {
		a := arena.NewArena(4096, 0)
		x := arena.New[sync.Mutex](a)
		a.Reset()
		fillWith(a, 0xff)
		x.Lock()
	}},
	"a mutex locked in others' memory that says it is": {wentOn, func() {
		a := arena.NewArena(4096, 0)
		x := arena.New[sync.Mutex](a)
		a.Reset()
		*arena.New[[2]int32](a) = [2]int32{1, 0} // the state of a locked mutex
		var locked atomic.Bool
		go func() {
			x.Lock()
			locked.Store(true)
		}()
		time.Sleep(50 * time.Millisecond)
		require(!locked.Load(), "it waits")
	}},
	"a mutex of an arena that was released": {wentOn, func() {
		a := arena.NewArena(4096, 0)
		x := arena.New[lockedText](a)
		x.Lock()
		a.Release()
		arena.New[lockedText](a)
		x.Unlock()
	}},
	"a writer": {unlockedRW, func() {
		a := arena.NewArena(4096, 0)
		x := arena.New[sharedText](a)
		x.Lock()
		a.Reset()
		x.Unlock()
	}},
	"a reader": {readUnlockedRW, func() {
		a := arena.NewArena(4096, 0)
		x := arena.New[sharedText](a)
		x.RLock()
		a.Reset()
		x.RUnlock()
	}},
	"a Once whose function ends the cycle": {unlockedMutex, func() {
		a := arena.NewArena(4096, 0)
		arena.New[onceText](a).Do(a.Reset)
	}},
	"a WaitGroup": {wentOn, func() {
		a := arena.NewArena(4096, 0)
		x := arena.New[groupText](a)
		x.Add(1)
		a.Reset()
		require(recovered(x.Done), "Done panics")
	}},
	"a WaitGroup of a goroutine": {negativeCounter, func() {
		a := arena.NewArena(4096, 0)
		x := arena.New[groupText](a)
		end := make(chan bool)
		x.Go(func() { <-end })
		a.Reset()
		close(end)
		time.Sleep(time.Minute)
	}},
	"a WaitGroup in others' memory": {bubble, func() {
		a := arena.NewArena(4096, 0)
		x := arena.New[sync.WaitGroup](a)
		a.Reset()
		fillWith(a, 0xff)
		x.Add(1)
	}},
	"a Pinner": {leakingPin, func() {
		a := arena.NewArena(4096, 0)
		x := arena.New[runtime.Pinner](a)
		x.Pin(new(int))
		a.Reset()
		x.Unpin()
		collectUntil(func() bool { return false })
	}},

	"a Cond": {wentOn, func() {
		var mu sync.Mutex
		a := arena.NewArena(4096, 0)
		x := arena.New[sync.Cond](a)
		x.L = &mu
		mu.Lock()
		var woken atomic.Bool
		go func() {
			x.Wait()
			woken.Store(true)
		}()
		mu.Lock() // when the other goroutine is about to wait
		mu.Unlock()
		// A Reset while Wait adds itself to the list is a race, which the runtime's lock of the list may
		// notice and end the program.
		time.Sleep(200 * time.Millisecond)
		a.Reset()
		x.Broadcast()
		arena.New[sync.Cond](a).L = &mu
		x.Signal()
		x.Broadcast()
		time.Sleep(50 * time.Millisecond)
		require(!woken.Load(), "it waits for ever")
	}},
	"a Map": {wentOn, func() {
		a := arena.NewArena(4096, 0)
		x := arena.New[sync.Map](a)
		for i := range 1000 {
			x.Store(i, i)
		}
		x.Range(func(k, _ any) bool {
			a.Reset()
			arena.New[sync.Map](a).Store(1, 2)
			x.Store(k, 3)
			return true
		})
	}},
	"a Pool": {wentOn, func() {
		a := arena.NewArena(4096, 0)
		for range 10 {
			x := arena.New[sync.Pool](a)
			x.Put(new(int))
			a.Reset()
			x.Put(new(int))
			runtime.GC() // empties pools, also in chunks
		}
	}},
	"atomics": {wentOn, func() {
		a := arena.NewArena(4096, 0)
		x := arena.New[struct {
			atomic.Value
			p atomic.Pointer[int]
			n atomic.Int64
		}](a)
		x.Store(1)
		a.Reset()
		x.p.Store(new(int))
		x.n.Add(1)
		x.Store("of another type")
		require(recovered(func() { x.Store(1) }), "a Value panics for a value of another type")
	}},
}
