package flow

import (
	"slices"
	"testing"
)

// TestRemakeTogether checks that the objects of several instructions become older in one pass over the state.
func TestRemakeTogether(t *testing.T) {
	budget := 1000
	s, a, b, holder := newState(&budget), &Site{number: 2, hint: 1}, &Site{number: 4, hint: 2}, &Site{number: 6, hint: 4}
	s.remake(a, b)
	s.set(holder, "", []Atom{{Site: a}, {Site: b, Region: a}})
	s.set(a, "", []Atom{{Site: b}})
	before := budget
	s.remake(a, b)
	if took := before - budget; took > 20 {
		t.Errorf("it took %d", took)
	}
	if got, _ := s.at(holder, ""); !slices.Equal(got, []Atom{{Site: a.older}, {Site: b.older, Region: a.older}}) {
		t.Errorf("the holder leads to %v", got)
	}
	if got, _ := s.at(a.older, ""); len(s.parts(a)) != 0 || !slices.Equal(got, []Atom{{Site: b.older}}) {
		t.Errorf("the older object leads to %v", got)
	}
	if a.remade || b.remade {
		t.Error("they are still being remade")
	}
}
