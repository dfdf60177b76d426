package goroutine

import (
	"iter"

	"github.com/ebbpool/arena"
)

func fillFrom(a *arena.Arena, words iter.Seq[string]) {
	for w := range words {
		a.AllocString(w)
	}
}

// The body of a range over a function uses the arena.
func usedInSeq(a *arena.Arena, words iter.Seq[string]) {
	go fillFrom(a, words) // want `arena a is used by this goroutine`
	a.AllocString("x")
}
