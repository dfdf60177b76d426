// Package forks has arenas for other goroutines that end with their parent, and
// copies to the heap.
package forks

import (
	"sync"

	"github.com/ebbpool/arena"
)

var pool = arena.NewArenaPool(4096, 0)

type node struct {
	Name string
	Next *node
}

var kept *node

func afterReset(a *arena.Arena) string {
	b := a.Fork()
	a.Reset()
	return b.AllocString("x") // want `use of arena b, which Reset on line 22 has taken back`
}

func memoryAfterReset(a *arena.Arena) string {
	s := a.Fork().AllocString("x")
	a.Reset()
	return s // want `return of s, memory of the arena, which Reset on line 28`
}

func outlives() string {
	a := pool.Get()
	defer pool.Put(a)
	b := a.Fork()
	return b.AllocString("x") // want `return of memory of arena b, which the deferred Put`
}

func forkOutlives() *arena.Arena {
	a := pool.Get()
	defer pool.Put(a)
	return a.Fork() // want `return of the arena, which the deferred Put`
}

func putFork() {
	a := pool.Get()
	defer pool.Put(a)
	b := a.Fork()
	pool.Put(b) // want `Put of arena b, a fork of arena a, which panics`
}

func notWaited(done chan bool) {
	a := pool.Get()
	defer pool.Put(a)
	b := a.Fork()
	go func() { // want `a fork of arena a is used by this goroutine, and line 54 may take back its memory at the same time`
		b.AllocString("x")
		done <- true
	}()
}

func twoGoroutines() {
	a := pool.Get()
	defer pool.Put(a)
	b := a.Fork()
	var wg sync.WaitGroup
	wg.Go(func() { b.AllocString("x") })
	wg.Go(func() { b.AllocString("x") }) // want `arena b is used by this goroutine, and another goroutine may use it at the same time`
	wg.Wait()
}

func fork(a *arena.Arena) *node { return arena.New[node](a.Fork()) }

func ofHelper() *node {
	a := pool.Get()
	defer pool.Put(a)
	return fork(a) // want `return of memory of arena a`
}

// Of another arena than the one that is left.
func escapedOther(a *arena.Arena) *node {
	b := pool.Get()
	defer pool.Put(b)
	n := arena.New[node](b)
	return arena.Escape(a, n) // want `return of n, memory of arena b`
}

func escapedLate(a *arena.Arena) *node {
	n := arena.New[node](a)
	a.Reset()
	return arena.Escape(a, n) // want `use of n, memory of arena a, which Reset`
}

func forgotten() {
	a := pool.Get()
	defer pool.Put(a)
	n := arena.New[node](a)
	arena.Escape(a, n)
	kept = n // want `kept, memory of arena a, is stored where it outlives|n, memory of arena a, is stored where it outlives`
}

// Right code.

func fineWaited(words []string) []string {
	a := pool.Get()
	defer pool.Put(a)
	out := arena.MakeSlice[string](a, len(words), len(words))
	var wg sync.WaitGroup
	for i, w := range words {
		b := a.Fork()
		wg.Go(func() { out[i] = b.AllocString(w) })
	}
	wg.Wait()
	return arena.Escape(a, out)
}

func fineOwner() int {
	a := pool.Get()
	defer pool.Put(a)
	b := a.Fork()
	done := make(chan string)
	go func() { done <- b.AllocString("x") }()
	n := len(a.AllocString("y")) // its own arena, at the same time
	return n + len(<-done)
}

func fineOfCaller(a *arena.Arena) *node { return fork(a) }

func fineNewFork(a *arena.Arena) string {
	a.Fork().AllocString("x")
	a.Reset()
	return a.Fork().AllocString("y")
}

func fineEscaped() *node {
	a := pool.Get()
	defer pool.Put(a)
	n := arena.New[node](a)
	n.Name, n.Next = a.AllocString("x"), arena.New[node](a.Fork())
	kept = arena.Escape(a, n)
	return arena.Escape(a, n)
}

type reply struct {
	Text string
	Node *node
}

func fineEscapedStruct() (r reply) {
	a := pool.Get()
	defer pool.Put(a)
	r.Text, r.Node = a.AllocString("x"), arena.New[node](a)
	return arena.Escape(a, r)
}

type parser struct{ a *arena.Arena }

func (p *parser) parse() *node { return arena.New[node](p.a) }

func fineEscapedOfParser(p *parser, a *arena.Arena) *node {
	n := p.parse()
	n = arena.Escape(p.a, n)
	p.a.Reset()
	return n
}

// A fork of itself by turns: all end with the arena that the first was forked from.
func forksOfForks(n int) string {
	a := arena.NewArena(1<<10, 0)
	b, c := a, a
	for range n {
		b = b.Fork()
		c = b.Fork()
		b, c = c.Fork(), b
	}
	s := c.AllocString("x")
	a.Reset()
	return s // want `return of s, memory of arena a, which Reset`
}
