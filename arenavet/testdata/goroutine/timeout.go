package goroutine

import (
	"context"
	"net/http"
	"time"

	"github.com/ebbpool/arena"
)

// Who gives up has not waited for the goroutine.

func timeout(ctx context.Context, s string) (int, error) {
	a := pool.Get()
	defer pool.Put(a)
	done := make(chan int, 1)
	go func() { done <- len(a.AllocString(s)) }() // want `arena a is used by this goroutine, and line 15 may use it at the same time`
	select {
	case n := <-done:
		return n, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func timeoutAfter(s string) int {
	a := pool.Get()
	defer pool.Put(a)
	done := make(chan int, 1)
	go func() { done <- len(a.AllocString(s)) }() // want `arena a is used by this goroutine`
	select {
	case <-time.After(time.Second):
		return 0
	case n := <-done:
		return n
	}
}

func timeoutTimer(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	t := time.NewTimer(time.Second)
	a := pool.Get()
	defer pool.Put(a)
	done := make(chan bool)
	go func() { // want `arena a is used by this goroutine`
		a.AllocString(r.URL.Path)
		close(done)
	}()
	select {
	case <-done:
	case <-r.Context().Done():
	case <-ctx.Done():
	case <-t.C:
	}
}

func timeoutSent(ctx context.Context, work chan<- []byte, done <-chan bool) error {
	a := pool.Get()
	defer pool.Put(a)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case work <- a.AllocBytes(8): // want `memory of arena a is sent on a channel, and the deferred Put`
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func sleep(a *arena.Arena) {
	go work(a) // want `arena a is used by this goroutine`
	<-time.After(time.Second)
	a.AllocString("x")
}

func fineTimeout(ctx context.Context, s string) (int, error) {
	a := pool.Get()
	defer pool.Put(a)
	done := make(chan int, 1)
	go func() { done <- len(a.AllocString(s)) }()
	select {
	case n := <-done:
		return n, nil
	case <-ctx.Done():
		<-done
		return 0, ctx.Err()
	}
}

// The goroutine puts it back, whoever waits for it.
func fineTimeoutOwner(ctx context.Context, s string) int {
	done := make(chan int, 1)
	go func() {
		a := pool.Get()
		defer pool.Put(a)
		done <- len(a.AllocString(s))
	}()
	select {
	case n := <-done:
		return n
	case <-ctx.Done():
		return 0
	}
}

// On the path where it was not sent nobody has it.
func fineNotSent(ctx context.Context, work chan<- []byte, done <-chan bool) {
	a := pool.Get()
	defer pool.Put(a)
	select {
	case work <- a.AllocBytes(8):
		<-done
	case <-ctx.Done():
	}
}

// Here the goroutine ends what is waited for.
func fineCancels() {
	a := pool.Get()
	defer pool.Put(a)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		a.AllocString("x")
	}()
	<-ctx.Done()
}

func fineCancelsFor(ctx context.Context, cancel context.CancelFunc) {
	a := pool.Get()
	defer pool.Put(a)
	go func() {
		defer cancel()
		a.AllocString("x")
	}()
	<-ctx.Done()
}

type service struct{ ctx context.Context }

// Who ends it is not known here.
func (s *service) fineEnded() {
	a := pool.Get()
	defer pool.Put(a)
	go work(a)
	<-s.ctx.Done()
}
