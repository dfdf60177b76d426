package mixed

import (
	"errors"
	"sync"
	"testing"

	"github.com/ebbpool/arena"
)

// Functions that are returned or kept, and take back an arena when they are called.

func take() (*arena.Arena, func()) {
	a := pool.Get()
	return a, func() { pool.Put(a) }
}

func takeOr(fail bool) (*arena.Arena, func(), error) {
	if fail {
		return nil, nil, errors.New("none")
	}
	a := pool.Get()
	return a, func() { pool.Put(a) }, nil
}

func mark(a *arena.Arena) func() {
	m := a.Mark()
	return func() { a.Rewind(m) }
}

func usedAfterCleanup() string {
	a, done := take()
	s := a.AllocString("x")
	done()
	return s + "!" // want `use of s, memory of arena a, which Put on line 34 has taken back`
}

func returnedWithCleanup() string {
	a, done := take()
	defer done()
	return a.AllocString("x") // want `return of memory of arena a, which the deferred Put on line 40 takes back`
}

func cleanedTwice() {
	a, done := take()
	a.AllocString("x")
	done()
	done() // want `second Put of arena a`
}

func putAndCleaned() {
	a, done := take()
	defer done() // want `second Put of arena a`
	pool.Put(a)
}

func rewoundByCleanup(a *arena.Arena) byte {
	back := mark(a)
	b := a.AllocBytes(10)
	back()
	return b[0] // want `use of b, memory of arena a`
}

type task struct {
	a    *arena.Arena
	done func()
	text string
}

func newTask() *task {
	t := &task{}
	t.a, t.done = take()
	return t
}

func usedAfterTask() string {
	t := newTask()
	t.text = t.a.AllocString("x")
	t.done()
	return t.text + "!" // want `use of t.text, memory of`
}

func fineCleanup() int {
	a, done := take()
	defer done()
	return len(a.AllocString("x"))
}

func fineCleanupOr(fail bool) (int, error) {
	a, done, err := takeOr(fail)
	if err != nil {
		return 0, err
	}
	defer done()
	return len(a.AllocString("x")), nil
}

func fineRewound(a *arena.Arena) int {
	defer mark(a)()
	return len(a.AllocBytes(10))
}

func fineRewoundEarlier(a *arena.Arena) byte {
	b := a.AllocBytes(10)
	mark(a)()
	return b[0]
}

func fineTwoTasks() string {
	s, t := newTask(), newTask()
	s.text = s.a.AllocString("x")
	t.done()
	defer s.done()
	return "n" + string(s.text[0])
}

func fineInLoop(n int) (sum int) {
	for range n {
		a, done := take()
		sum += len(a.AllocString("x"))
		done()
	}
	return sum
}

func fineInTest(t *testing.T) {
	a, done := take()
	t.Cleanup(done)
	a.AllocString("x")
}

func fineOnlyOnce() {
	a, done := take()
	done = sync.OnceFunc(done)
	defer done()
	a.AllocString("x")
	done()
}

// It notes that it has run.
func takeOnce() (*arena.Arena, func()) {
	a, put := pool.Get(), false
	return a, func() {
		if !put {
			put = true
			pool.Put(a)
		}
	}
}

func fineNoted() {
	a, done := takeOnce()
	defer done()
	a.AllocString("x")
	done()
}

func fineHandedOn() (*arena.Arena, func()) {
	a, done := take()
	a.AllocString("x")
	return a, done
}

func fineGoroutine() {
	a, done := take()
	go func() {
		defer done()
		a.AllocString("x")
	}()
}
