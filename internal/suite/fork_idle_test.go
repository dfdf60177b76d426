package suite

import (
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// If forks exceed maxRetained, they release memory until the rest fits, and no more. If all of it were
// released, each request of an arena whose forks slightly exceed the bound would begin cold.
func TestForksKeepWhatFits(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(1000, 20_000)
	var forks []*arena.Arena
	for range 6 {
		forks = nil
		for range 10 {
			f := a.Fork()
			forks = append(forks, f)
			for range 40 {
				f.AllocBytes(96)
			}
		}
		a.Reset()
	}
	held, most := 0, 0
	for _, f := range forks {
		n := f.Stats().RetainedBytes
		held, most = held+n, max(most, n)
	}
	if most == 0 || held > 20_000 || held <= 20_000-most {
		t.Errorf("%d bytes of 20000 are kept, by forks of %d bytes", held, most)
	}
}

// A fork retains what its arena's current settings allow, not those at the time of the fork.
func TestForkKeepsWhatItsArenaMayKeepNow(t *testing.T) {
	testkit.NeedsReuse(t)
	fill := func(f *arena.Arena) {
		for range 100 {
			f.AllocBytes(96)
		}
	}
	for name, kept := range map[string]func(a, f *arena.Arena) *arena.Arena{
		"by a later Fork": func(a, f *arena.Arena) *arena.Arena {
			a.Reset()
			a.SetLimit(0)
			g := a.Fork()
			for range 3 {
				fill(g)
				g.Reset()
			}
			return g
		},
		"by the arena's Reset": func(a, f *arena.Arena) *arena.Arena {
			a.SetLimit(0)
			for range 3 {
				fill(f)
				a.Reset()
				a.SetLimit(2000)
				f = a.Fork()
				a.SetLimit(0)
			}
			return f
		},
	} {
		a := arena.NewArena(1000, 1<<20)
		a.SetLimit(2000)
		if n := kept(a, a.Fork()).Stats().RetainedBytes; n < 9600 {
			t.Errorf("%s: %d bytes are kept", name, n)
		}
	}
}

// A request that no idle memory of forks can satisfy does not release that memory.
func TestRefusalByTheLimitKeepsForks(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(1000, 1<<20)
	a.SetLimit(100_000)
	f := a.Fork()
	for range 3 {
		for range 100 {
			f.AllocBytes(96)
		}
		a.Reset()
		f = a.Fork()
	}
	a.Reset()
	kept := f.Stats().RetainedBytes
	if over := refused(t, func() { a.AllocBytes(200_000) }); over == nil || kept == 0 || f.Stats().RetainedBytes != kept {
		t.Errorf("%v: the fork kept %d bytes, and %d afterwards", over, kept, f.Stats().RetainedBytes)
	}
	if over := refused(t, func() { a.AllocBytes(100_000) }); over != nil || f.Stats().RetainedBytes != 0 {
		t.Errorf("%v: the fork has %d bytes of what its arena needs", over, f.Stats().RetainedBytes)
	}
}
