package goroutine

import (
	"sync"

	"github.com/ebbpool/arena"
)

func usedAfterSend(out chan<- *arena.Arena, s string) {
	a := pool.Get()
	a.AllocString(s)
	out <- a // want `arena a is sent on a channel, and line 13 may use it at the same time`
	a.AllocString("more")
}

func putAfterSend(out chan<- *arena.Arena) {
	a := pool.Get()
	defer pool.Put(a)
	out <- a // want `arena a is sent on a channel, and line 18 may use it`
}

func usedAfterSelect(out chan<- *arena.Arena, quit <-chan bool) {
	a := pool.Get()
	select {
	case out <- a: // want `arena a is sent on a channel`
		a.Reset()
	case <-quit:
		pool.Put(a)
	}
}

// A list of free arenas.
func fineFree(free chan *arena.Arena) {
	a := <-free
	a.AllocString("x")
	a.Reset()
	free <- a
}

func fineFreeFull(free chan *arena.Arena, a *arena.Arena) {
	select {
	case free <- a:
	default:
		a.Release()
	}
}

func fineComesBack(jobs chan<- *arena.Arena, back <-chan *arena.Arena) {
	a := pool.Get()
	jobs <- a
	a = <-back
	a.AllocString("x")
	pool.Put(a)
}

func fineSentInLoop(out chan<- *arena.Arena, words []string) {
	for _, w := range words {
		a := pool.Get()
		a.AllocString(w)
		out <- a
	}
}

func fineSentAndWaited(out chan<- *arena.Arena, wg *sync.WaitGroup) {
	a := pool.Get()
	defer pool.Put(a)
	out <- a
	wg.Wait()
}

// It gives away what its caller has given it.
func fineGive(out chan<- *arena.Arena, a *arena.Arena) {
	a.Reset()
	out <- a
}

func fineSentEither(out, other chan<- *arena.Arena, first bool) {
	a := pool.Get()
	if first {
		out <- a
		return
	}
	other <- a
}
