package goroutine

import (
	"iter"
	"runtime"
	"sync"
	"testing"
)

// ways are both implementations, which must agree.
var ways = map[string]func() uint64{"Self": Self, "traced": traced}

// Goroutines that are alive at the same time have different numbers.
func TestEachHasItsOwn(t *testing.T) {
	for name, self := range ways {
		const n = 500
		var mu sync.Mutex
		seen := map[uint64]bool{self(): true}
		var all, begun sync.WaitGroup
		begun.Add(n)
		for range n {
			all.Go(func() {
				id := self()
				mu.Lock()
				seen[id] = true
				mu.Unlock()
				begun.Done()
				begun.Wait() // all are alive until the last one has its number
				if again := self(); again != id {
					t.Errorf("%s: %d, then %d in one goroutine", name, id, again)
				}
			})
		}
		all.Wait()
		if len(seen) != n+1 || seen[0] || seen[Nobody] {
			t.Errorf("%s: %d numbers of %d goroutines", name, len(seen), n+1)
		}
	}
}

// The number of a goroutine does not change when it changes threads or stacks.
func TestItStays(t *testing.T) {
	for name, self := range ways {
		id := self()
		check := func(when string) {
			if now := self(); now != id {
				t.Errorf("%s: %d, and %d %s", name, id, now, when)
			}
		}
		deep(200, func() { check("deep down") })
		check("when the stack had moved")
		for range 1000 {
			runtime.Gosched()
			check("after a while")
		}
		runtime.GC()
		check("after a collection")
		runtime.LockOSThread()
		runtime.Gosched()
		check("on a thread of its own")
		runtime.UnlockOSThread()
		func() {
			defer func() { recover(); check("after a panic") }()
			defer func() { check("in a panic") }()
			panic("x")
		}()
		next, stop := iter.Pull(func(yield func(uint64) bool) { yield(self()) })
		if other, _ := next(); other == id {
			t.Errorf("%s: iter.Pull's function has its caller's number, and is a goroutine of its own", name)
		}
		stop()
	}
}

func deep(n int, f func()) byte {
	var frame [4096]byte
	if n == 0 {
		f()
		return frame[n]
	}
	return frame[n] + deep(n-1, f)
}

func BenchmarkSelf(b *testing.B) {
	for name, self := range ways {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				self()
			}
		})
	}
}

// A port without assembly would walk the stack several times for each request.
func TestEveryPortHasAssembly(t *testing.T) {
	if runtime.Compiler == "gc" && Traced {
		t.Errorf("no assembly for %s", runtime.GOARCH)
	}
}
