package put

import (
	"errors"
	"iter"

	"github.com/ebbpool/arena"
)

func begins() (*arena.Arena, func()) {
	a := pool.Get()
	return a, func() { pool.Put(a) }
}

// The function that comes with the arena puts it back.
func fineCleanupResult(text string) int {
	a, done := begins()
	defer done()
	return len(a.AllocString(text))
}

type result struct {
	text  string
	close func()
}

func open(text string) (*result, error) {
	a := pool.Get()
	if text == "" {
		pool.Put(a)
		return nil, errors.New("empty")
	}
	return &result{a.AllocString(text), func() { pool.Put(a) }}, nil
}

// The same in a struct.
func fineCleanupField(text string) (int, error) {
	r, err := open(text)
	if err != nil {
		return 0, err
	}
	defer r.close()
	return len(r.text), nil
}

type lease struct{ a *arena.Arena }

func (l *lease) end() { pool.Put(l.a) }

func beginLease() (*arena.Arena, func()) {
	l := &lease{pool.Get()}
	return l.a, l.end
}

// The same as a method value.
func fineCleanupMethod(text string) int {
	a, done := beginLease()
	defer done()
	return len(a.AllocString(text))
}

// The body of a range over a function puts the arena back before it returns.
func finePutInSeq(words iter.Seq[string]) error {
	a := pool.Get()
	for w := range words {
		if w == "" {
			pool.Put(a)
			return errors.New("empty")
		}
		a.AllocString(w)
	}
	pool.Put(a)
	return nil
}

// The body gives it to code that may put it back.
func fineGivenInSeq(words iter.Seq[string], give func(*arena.Arena)) {
	a := pool.Get()
	for range words {
		give(a)
		return
	}
	pool.Put(a)
}

// A break leads to the same Put as the end of the loop.
func fineBreakInSeq(words iter.Seq[string]) {
	a := pool.Get()
	for w := range words {
		if w == "" {
			break
		}
		a.AllocString(w)
	}
	pool.Put(a)
}

// A Put that the body defers comes at the end of the function.
func fineDeferInSeq(words iter.Seq[string]) {
	a := pool.Get()
	for w := range words {
		defer pool.Put(a)
		a.AllocString(w)
		return
	}
	pool.Put(a)
}

type optional struct{ a *arena.Arena }

// Nothing was taken where there is nothing that holds it.
func fineHolder(use bool) {
	var o *optional
	if use {
		o = &optional{pool.Get()}
	}
	if o != nil {
		pool.Put(o.a)
	}
}
