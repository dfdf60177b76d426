package flow

import "testing"

// What an object mentions is looked for anew when it has changed. Without it what a loop
// makes again would keep what an earlier turn has made under its name.
func TestObjectMentionsWhatItGets(t *testing.T) {
	budget, cost := 1000, 0
	s, k, first, second := newState(&budget), &Site{}, &Site{}, &Site{}
	s.set(k, "", []Atom{{Site: first}})
	is := func(x *Site) func(*Site) bool { return func(y *Site) bool { return x == y } }
	if o := s.cells[k]; !o.mentions(is(first), &cost) || o.mentions(is(second), &cost) {
		t.Fatal("it does not mention what it holds, or more")
	}
	s.set(k, "f0;", []Atom{{Site: second}})
	if !s.cells[k].mentions(is(second), &cost) {
		t.Error("it does not mention what it got later")
	}
}

// A state that takes an object over from another one shares it, also where it had one of
// its own before. Without it a path changes what another path sees.
func TestJoinedObjectsAreShared(t *testing.T) {
	budget := 1000
	s, other := newState(&budget), newState(&budget)
	k, first, second := &Site{}, &Site{}, &Site{}
	s.remake(k)
	s.set(k, "", []Atom{{Site: first}})
	s.remake(k) // which drops it
	other.set(k, "", []Atom{{Site: first}})
	s.join(other)
	other.set(k, "f0;", []Atom{{Site: first}})
	if len(s.parts(k)) != 1 {
		t.Errorf("the state holds %v", s.parts(k))
	}
	s.set(k, "", []Atom{{Site: second}})
	if got := other.parts(k)[""]; len(got) != 1 || got[0].Site != first {
		t.Errorf("the other state holds %v", got)
	}
}
