package suite

import (
	"testing"

	"github.com/ebbpool/arena"
)

type branch struct {
	name string
	next *branch
}

// The memory of forks ends with their arena, so Escape copies it together with the arena's own.
func TestEscapeTakesForksAlong(t *testing.T) {
	a := arena.NewArena(4096, 0)
	f := a.Fork()
	inner := f.Fork()
	v := arena.NewOf(a, branch{a.AllocString("of the arena"),
		arena.NewOf(f, branch{f.AllocString("of its fork"),
			arena.NewOf(inner, branch{inner.AllocString("of the fork's fork"), nil})})})

	// Escape from a fork does not copy the memory of its parent.
	other := arena.NewOf(a, branch{a.AllocString("of the arena, too"), nil})
	up := arena.NewOf(f, branch{f.AllocString("of the fork"), other})
	if c := arena.Escape(f, up); c == up || c.next != other {
		t.Error("Escape from a fork has copied what lies in its arena, or not what lies in itself")
	}

	c := arena.Escape(a, v)
	a.Reset()
	for range 3 {
		f := a.Fork()
		for _, x := range []*arena.Arena{a, f, f.Fork()} {
			arena.NewOf(x, branch{x.AllocString("overwritten, overwritten"), nil})
		}
	}
	for _, want := range []string{"of the arena", "of its fork", "of the fork's fork"} {
		if c.name != want {
			t.Errorf("%q, want %q", c.name, want)
		}
		c = c.next
	}
}
