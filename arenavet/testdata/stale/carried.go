package stale

import (
	"context"
	"fmt"

	"github.com/ebbpool/arena"
)

// What carries a value out of sight, and was not followed: a variable that a deferred literal
// prints, a channel of the function's own, a context that leads a helper to the arena.

func literalAfterPut() {
	a := pool.Get()
	e := arena.New[Entry](a)
	defer func() { fmt.Println(e) }() // want `use of `
	defer pool.Put(a)
}

func literalBeforePut() {
	a := pool.Get()
	e := arena.New[Entry](a)
	defer pool.Put(a)
	defer func() { fmt.Println(e) }()
}

func ownChannel(a *arena.Arena) int {
	c := make(chan *Entry, 1)
	c <- arena.New[Entry](a)
	e := <-c
	a.Reset()
	return e.N // want `use of memory of arena a, which Reset`
}

func ownChannelAgain(a *arena.Arena) (n int) {
	c := make(chan *Entry, 1)
	for range 3 {
		c <- arena.New[Entry](a)
		e, ok := <-c // nothing of an earlier turn is left in it
		if ok {
			n += e.N
		}
		a.Reset()
	}
	return n
}

func byContext(a *arena.Arena) int {
	e := entryFor(arena.NewContext(context.Background(), a))
	a.Reset()
	return e.N // want `use of .*, memory of arena a, which Reset`
}

func entryFor(ctx context.Context) *Entry { return arena.New[Entry](arena.FromContext(ctx)) }

// What a function gives to another one that only its caller knows.

func each(a *arena.Arena, f func(*Entry)) { f(arena.New[Entry](a)) }

func eachOf(a *arena.Arena, f func(*Entry)) { each(a, f) }

func byCallback(a *arena.Arena) int {
	var kept *Entry
	eachOf(a, func(e *Entry) { kept = e })
	a.Reset()
	return kept.N // want `use of .*, which Reset`
}

func byCallbackBefore(a *arena.Arena) (n int) {
	eachOf(a, func(e *Entry) { n += e.N })
	a.Reset()
	return n
}

// A literal that calls itself: the search ends.
func bySelf(a *arena.Arena, depth int) {
	var visit func(e *Entry)
	visit = func(e *Entry) {
		if e.N < depth {
			visit(arena.New[Entry](a))
		}
	}
	visit(arena.New[Entry](a))
}

// s[:n:n] is copied by append: what it is given never gets to the caller's array.
func appendedToCopy(to *[]*Entry) int {
	a := pool.Get()
	defer pool.Put(a)
	s := *to
	s = append(s[:len(s):len(s)], arena.New[Entry](a))
	return len(s)
}

func appendedToCallers(to []*Entry) {
	a := pool.Get()
	defer pool.Put(a)
	_ = append(to[:1:2], arena.New[Entry](a)) // want `memory of arena a is stored where it outlives the function`
}
