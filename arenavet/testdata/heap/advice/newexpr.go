//go:build go1.26

package advice

import "github.com/ebbpool/arena"

type limits struct {
	most *int
	name *string
	next *limits
}

func newExpressions(a *arena.Arena, n int, name string) *limits { // want `arena a is never used`
	return &limits{ // want `use arena.NewOf`
		most: new(n + 1),    // want `new on the heap, with arena a in scope: use arena.NewOf`
		name: new("x"),      // want `use arena.NewOf`
		next: new(limits{}), // want `use arena.NewOf`
	}
}
