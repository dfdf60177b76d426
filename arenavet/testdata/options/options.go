// Package options has mistakes behind a parser with options, and in functions that do too
// much for their callers to know it.
package options

import (
	"github.com/ebbpool/arena"

	"example.com/options/lib"
)

var pool = arena.NewAutoPool(0)

var g1, g2, g3, g4, g5, g6, g7, g8 any

// An option can't put the arena back: only package lib can name its parser's fields.
func lost(text string, opts []lib.Option) (int, error) {
	a := pool.Get() // want `Get without Put: arena a is not put back on the path that returns on line 20`
	n, err := lib.ParseIn(a, text, opts...)
	if err != nil {
		return 0, err
	}
	size := len(n.Text)
	pool.Put(a)
	return size, nil
}

func fineLost(text string, opts []lib.Option) (int, error) {
	a := pool.Get()
	defer pool.Put(a)
	n, err := lib.ParseIn(a, text, opts...)
	if err != nil {
		return 0, err
	}
	return len(n.Text), nil
}

// What is too much for a caller is looked at all the same.
func sent(c chan *lib.Node, hook func(any)) {
	a := pool.Get()
	defer pool.Put(a)
	hook(g1)
	hook(g2)
	hook(g3)
	hook(g4)
	hook(g5)
	hook(g6)
	hook(g7)
	hook(g8)
	n, err := lib.ParseIn(a, "x")
	if err == nil {
		c <- n // want `memory of arena a is sent on a channel, and the deferred Put on line 40 takes back that memory`
	}
}

type job struct{ A *arena.Arena }

// Who is given an arena in a field that it can name may put it back.
func fineHanded(queue func(*job), text string) {
	a := pool.Get()
	j := &job{a}
	queue(j)
}

// An interface's method may, too, whichever of its arguments it is.
type queuer interface{ Queue(n int, a *arena.Arena) }

func fineMethod(q queuer) {
	q.Queue(1, pool.Get())
}

// Where an interface may hold either type, nothing is known of the call.
type ender interface{ end(a *arena.Arena) }

type putter struct{}

func (putter) end(a *arena.Arena) { pool.Put(a) }

type keeper struct{}

func (keeper) end(a *arena.Arena) { a.AllocString("x") }

func fineEither(b bool) {
	a := pool.Get()
	var e ender = putter{}
	if b {
		e = keeper{}
	}
	e.end(a)
}

func fineOther(b bool) {
	a := pool.Get()
	var e ender = keeper{}
	if b {
		e = putter{}
	}
	e.end(a)
}

// Where it holds one, it is as if that was called.
func lostBehind() {
	a := pool.Get() // want `Get without Put: arena a is not put back`
	var e ender = keeper{}
	e.end(a)
}

func finePutBehind() {
	a := pool.Get()
	var e ender = putter{}
	e.end(a)
}
