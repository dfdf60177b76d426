package put

import (
	"errors"
	"iter"

	"github.com/ebbpool/arena"
)

// A return in the body of a range over a function is one of this function.
func returnInSeq(words iter.Seq[string]) error {
	a := pool.Get() // want `Get without Put: arena a is not put back on the path that returns`
	for w := range words {
		if w == "" {
			return errors.New("empty")
		}
		a.AllocString(w)
	}
	pool.Put(a)
	return nil
}

func fill(a *arena.Arena, words iter.Seq[string]) {
	for w := range words {
		a.AllocString(w)
	}
}

// A helper with such a body does not put the arena back.
func filledAndLost(words iter.Seq[string]) {
	a := pool.Get() // want `Get without Put: arena a`
	fill(a, words)
}
