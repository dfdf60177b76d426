package advice

import (
	"testing"

	"github.com/ebbpool/arena"
)

// Both forms of each program make the same of each input, in an arena, in a used one, and on
// the heap through a nil arena.
func TestFormsDoTheSame(t *testing.T) {
	for _, s := range Subjects() {
		inputs, plain, inArena := s.New()
		a := arena.NewArena(4096, 0)
		seen := map[uint64]bool{}
		for i, b := range inputs {
			// The cache's answer tells of the record that goes: each form has a cache of its own.
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
