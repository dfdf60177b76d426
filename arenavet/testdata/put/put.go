package put

import (
	"errors"
	"log"
	"sync"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
)

var pool = arena.NewArenaPool(4096, 0)

func never(s string) int {
	a := pool.Get() // want `Get without Put: arena a is not put back on the path that returns on line 16: defer the pool's Put right after Get, or use Do`
	return len(a.AllocString(s))
}

func earlyReturn(s string) error {
	a := pool.Get() // want `Get without Put: arena a is not put back on the path that returns on line 22`
	if s == "" {
		return errors.New("empty")
	}
	a.AllocString(s)
	pool.Put(a)
	return nil
}

func inALoop(words []string) {
	for _, w := range words {
		a := pool.Get() // want `Get without Put: arena a is not put back before the next Get of the loop|Get without Put: arena a is not put back`
		if w == "" {
			continue
		}
		a.AllocString(w)
		pool.Put(a)
	}
}

func dropped() {
	pool.Get() // want `Get without Put: the arena is not put back`
}

func twice() {
	a := pool.Get()
	pool.Put(a)
	pool.Put(a) // want `second Put of arena a, which Put on line 46 has taken back: give it back once`
}

func deferredAndNow(s string) {
	a := pool.Get()
	defer pool.Put(a) // want `second Put of arena a`
	a.AllocString(s)
	pool.Put(a)
}

func onOnePath(bad bool) {
	a := pool.Get()
	if bad {
		pool.Put(a)
	}
	pool.Put(a) // want `second Put of arena a`
}

func insideDo() {
	pool.Do(func(a *arena.Arena) { // want `second Put of the arena`
		pool.Put(a)
	})
}

func slotTwice(p *fixedpool.Pool[int]) {
	x := p.Allocate()
	p.Deallocate(x)
	p.Deallocate(x) // want `second Deallocate of x, a slot of its pool`
}

func helperWithoutPut(s string) int {
	a := begin() // want `Get without Put: arena a is not put back`
	return len(a.AllocString(s))
}

func begin() *arena.Arena { return pool.Get() }

func end(a *arena.Arena) { pool.Put(a) }

func helperTwice() {
	a := begin()
	end(a)
	end(a) // want `second Put of arena a`
}

type request struct{ a *arena.Arena }

func newRequest() *request { return &request{a: pool.Get()} }

func (r *request) close() { pool.Put(r.a) }

func closedTwice() {
	r := newRequest()
	r.close()
	r.close() // want `second Put of`
}

func requestLost() int {
	r := newRequest() // want `Get without Put`
	return len(r.a.AllocString("x"))
}

func fineDefer(s string) int {
	a := pool.Get()
	defer pool.Put(a)
	return len(a.AllocString(s))
}

func fineClosure(s string) int {
	a := pool.Get()
	defer func() { pool.Put(a) }()
	return len(a.AllocString(s))
}

func fineEveryPath(s string) error {
	a := pool.Get()
	if s == "" {
		pool.Put(a)
		return errors.New("empty")
	}
	a.AllocString(s)
	pool.Put(a)
	return nil
}

func fineReturned() *arena.Arena {
	a := pool.Get()
	a.AllocString("x")
	return a
}

func fineHelper() {
	a := begin()
	defer end(a)
	a.AllocString("x")
}

func fineStored(r *request) {
	r.a = pool.Get()
}

func fineRequest() int {
	r := newRequest()
	defer r.close()
	return len(r.a.AllocString("x"))
}

func fineCallback(f func(*arena.Arena)) {
	a := pool.Get()
	f(a)
}

func fineCleanup(cleanup func(func())) {
	a := pool.Get()
	cleanup(func() { pool.Put(a) })
	a.AllocString("x")
}

func finePanic(s string) {
	a := pool.Get()
	if s == "" {
		panic("empty")
	}
	pool.Put(a)
}

func fineMany(n int) {
	arenas := make([]*arena.Arena, n)
	for i := range arenas {
		arenas[i] = pool.Get()
	}
	for _, a := range arenas {
		pool.Put(a)
	}
}

func fineNil(use bool) {
	var a *arena.Arena
	if use {
		a = pool.Get()
	}
	arena.New[int](a)
	if a != nil {
		pool.Put(a)
	}
}

func finePutNil(use bool) {
	var a *arena.Arena
	if use {
		a = pool.Get()
	}
	arena.New[int](a)
	pool.Put(a)
}

func fineAgain(n int) {
	for range n {
		a := pool.Get()
		a.AllocString("x")
		pool.Put(a)
	}
}

func fineExchanged(n int) {
	a := pool.Get()
	for i := range n {
		if i%100 == 99 {
			pool.Put(a)
			a = pool.Get()
		}
		a.AllocString("x")
	}
	pool.Put(a)
}

var shared sync.Pool

func fineKept() {
	shared.Put(pool.Get())
}

type session struct{ a *arena.Arena }

func (s *session) reset() {
	if s.a != nil {
		pool.Put(s.a)
		s.a = nil
	}
}

func fineReset(s *session) {
	s.reset()
	s.reset()
	s.a = pool.Get()
	s.reset()
}

// The session keeps the arena that it shows.
func (s *session) arena() *arena.Arena {
	if s.a == nil {
		s.a = pool.Get()
	}
	return s.a
}

func fineShown(s *session) {
	s.arena().AllocString("x")
}

func methodValueTwice() {
	a := pool.Get()
	put := pool.Put
	put(a)
	put(a) // want `second Put of arena a`
}

func fineMethodValue() {
	a := pool.Get()
	put := pool.Put
	a.AllocString("x")
	put(a)
}

// log.Fatal does not return.
func fineFatal(s string) {
	a := pool.Get()
	if s == "" {
		pool.Put(a)
		log.Fatal("empty")
	}
	a.AllocString(s)
	pool.Put(a)
}

func reader() (*arena.Arena, func(string) int) {
	a := pool.Get()
	return a, func(s string) int { return len(a.AllocString(s)) }
}

// The function that comes with the arena uses it, but does not put it back.
func notCleanup(text string) int {
	_, read := reader() // want `Get without Put`
	return read(text)
}

func lostWithHolder(use bool) {
	var o *optional
	if use {
		o = &optional{pool.Get()} // want `Get without Put`
	}
	if o != nil {
		o.a.AllocString("x")
	}
}
