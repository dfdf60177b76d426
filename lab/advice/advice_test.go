package advice

import (
	"testing"

	"github.com/ebbpool/arena"
)

// Both forms of each program give the same result for each input: with an arena, with a used one, and with a
// nil arena.
func TestFormsDoTheSame(t *testing.T) {
	for _, s := range Subjects() {
		inputs, plain, inArena := s.New()
		a := arena.NewArena(4096, 0)
		seen := map[uint64]bool{}
		for i, b := range inputs {
			// The cache reports the record that it evicts, and each form has its own cache.
			want := plain(b)
			seen[want] = true
			got := inArena(a, b)
			a.Reset()
			if got != want {
				t.Fatalf("%s %d: %x, want %x", s.Name, i, got, want)
			}
			if s.Name == "cache" {
				continue
			}
			if got := inArena(nil, b); got != want {
				t.Fatalf("%s %d with a nil arena: %x, want %x", s.Name, i, got, want)
			}
		}
		if len(seen) < 3 {
			t.Errorf("%s: %d answers for %d inputs", s.Name, len(seen), len(inputs))
		}
	}
}
