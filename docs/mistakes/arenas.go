package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
)

// catch recovers from a panic in a goroutine, as try does.
func catch() {
	if e := recover(); e != nil {
		try(func() { panic(e) })
	}
}

// twoGoroutines lets one goroutine allocate while another is busy with a long copy into the same arena. It avoids the
// moment in which the other takes memory, because the outcome of a plain build would then be chance.
func twoGoroutines() {
	// A collection would wait for the copy, and block the other goroutine.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	a := arena.NewArena(64<<10, 0)
	text := strings.Repeat("text", 16<<20)
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		defer catch()
		use(a.AllocString(text))
	}()
	for {
		time.Sleep(time.Millisecond)
		use(arena.New[int](a))
		select {
		case <-copied:
			return
		default:
		}
	}
}

func arenaAfterPut() {
	a := pool.Get()
	pool.Put(a)
	use(arena.New[int](a))
}

func forkOutlives() {
	a := pool.Get()
	fork, put, done := a.Fork(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		defer catch()
		<-put
		use(arena.New[int](fork))
	}()
	pool.Put(a) // without waiting for the goroutine
	close(put)
	<-done
}

func putTwice() {
	a := pool.Get()
	pool.Put(a)
	pool.Put(a)
}

func neverPut() {
	p := arena.NewArenaPool(4<<10, 0)
	getAndForget(p)
	for range 10 {
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
	if n := p.Stats().Leaked; n > 0 {
		fmt.Println("counted: Stats().Leaked =", n)
	}
}

//go:noinline
func getAndForget(p *arena.ArenaPool) {
	a := p.Get()
	use(arena.New[int](a))
}

func staleMark() {
	a := arena.NewArena(64<<10, 0)
	outer := a.Mark()
	a.AllocBytes(100)
	inner := a.Mark()
	a.Rewind(outer)
	a.Rewind(inner)
}

func languageAppend() {
	a := arena.NewArena(64<<10, 0)
	s := arena.MakeSlice[int](a, 0, 4)
	for i := range 100 {
		s = append(s, i) // on the heap from the fifth element on
	}
	use(s)
}

func uninitRead() {
	a := arena.NewArena(64<<10, 0)
	b := arena.MakeSliceUninit[byte](a, 16, 16)
	use(b[0])
}

func overrun() {
	a := arena.NewArena(64<<10, 0)
	x := arena.New[int64](a)
	beyond := (*int64)(unsafe.Add(unsafe.Pointer(x), 8))
	*beyond = 1
	a.Reset()
}

func freedTwice() {
	p := fixedpool.New[[4]int](10)
	x := p.Allocate()
	p.Deallocate(x)
	p.Deallocate(x)
}

func writtenAfterFree() {
	p := fixedpool.New[[4]int](10)
	x := p.Allocate()
	p.Deallocate(x)
	x[0] = 1
	p.Allocate()
}
