package goroutine

import (
	"sync"

	"github.com/ebbpool/arena"
	"golang.org/x/sync/errgroup"
)

// Each goroutine has its own.
func fineOwn(words []string) error {
	var g errgroup.Group
	for _, w := range words {
		g.Go(func() error {
			a := pool.Get()
			defer pool.Put(a)
			a.AllocString(w)
			return nil
		})
	}
	return g.Wait()
}

// The arena goes to the goroutine for good.
func fineHandedOver() {
	a := pool.Get()
	a.AllocString("x")
	go func() {
		defer pool.Put(a)
		a.AllocString("y")
	}()
}

// The owner waits before it uses the arena again.
func fineWaits() {
	a := pool.Get()
	defer pool.Put(a)
	var wg sync.WaitGroup
	wg.Go(func() { a.AllocString("x") })
	wg.Wait()
	a.AllocString("y")
}

func finePool() {
	go pool.Do(func(a *arena.Arena) { work(a) })
}

// A goroutine that is the only one to use the server's arena.
func (s *server) fineStart() {
	go s.loop()
}

func fineOther(a *arena.Arena, s string) {
	go println(s)
	a.AllocString(s)
}

func fineDone(a *arena.Arena) {
	done := make(chan bool)
	go func() {
		defer close(done)
		work(a)
	}()
	<-done
}

// The caller gives the arena away: the goroutine puts it back.
func fineServe(a *arena.Arena) {
	go func() {
		defer pool.Put(a)
		work(a)
	}()
}

func fineServed() {
	fineServe(pool.Get())
}
