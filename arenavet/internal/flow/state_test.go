package flow

import (
	"slices"
	"testing"
)

// TestObjectMentionsWhatItGets checks that a change of an object updates the sites that it mentions.
func TestObjectMentionsWhatItGets(t *testing.T) {
	budget, cost := 1000, 0
	s, k, first, second := newState(&budget), &Site{number: 2}, &Site{number: 4}, &Site{number: 6}
	s.set(k, "", []Atom{{Site: first}})
	is := func(x *Site) func(*Site) bool { return func(y *Site) bool { return x == y } }
	if o := s.object(k); !o.mentions(is(first), 0, &cost) || o.mentions(is(second), 0, &cost) {
		t.Fatal("it does not mention what it holds, or more")
	}
	s.set(k, "f0;", []Atom{{Site: second}})
	if !s.object(k).mentions(is(second), 0, &cost) {
		t.Error("it does not mention what it got later")
	}
}

// TestJoinedObjectsAreShared checks that a state that joins another one copies a shared object before it changes it.
func TestJoinedObjectsAreShared(t *testing.T) {
	budget := 1000
	s, other := newState(&budget), newState(&budget)
	k, first, second := &Site{number: 2}, &Site{number: 4}, &Site{number: 6}
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
	if got, _ := other.at(k, ""); len(got) != 1 || got[0].Site != first {
		t.Errorf("the other state holds %v", got)
	}
}

// TestPartsOfObject checks that the parts of an object are found by path and by prefix, in any order of their arrival, and
// that an object mentions only the sites in its parts.
func TestPartsOfObject(t *testing.T) {
	o, cost := &object{}, 0
	k, other := &Site{hint: 1 << 3}, &Site{hint: 1 << 4}
	for _, off := range []string{"f1;f0;", "f2;", "f1;", "", "f10;", "f1;f2;"} {
		o.set(off, []Atom{{Site: k, off: off}})
	}
	var below []string
	for _, p := range o.below("f1;") {
		below = append(below, p.off)
	}
	if want := []string{"f1;", "f1;f0;", "f1;f2;"}; !slices.Equal(below, want) {
		t.Errorf("below f1; is %q, want %q", below, want)
	}
	if i, ok := o.find("f10;"); !ok || o.parts[i].atoms[0].off != "f10;" {
		t.Error("f10; is not found")
	}
	if _, ok := o.find("f3;"); ok {
		t.Error("f3; is found")
	}
	is := func(x *Site) func(*Site) bool { return func(y *Site) bool { return x == y } }
	if !o.mentions(is(k), k.hint, &cost) || o.mentions(is(other), other.hint, &cost) {
		t.Error("it does not mention what it holds, or more")
	}
	o.set("f3;", []Atom{{Site: k, Region: other}})
	if !o.mentions(is(other), other.hint, &cost) {
		t.Error("it does not mention an arena that it got later")
	}
}

// TestUnion checks that a list keeps each atom once and in order, up to the bound, and that shared lists do not change.
func TestUnion(t *testing.T) {
	var sites [24]Site
	list := func(from, to int) (l []Atom) {
		for i := from; i < to; i++ {
			l = append(l, Atom{Site: &sites[i]})
		}
		return l
	}
	for _, c := range [][4]int{{0, 0, 0, 3}, {0, 3, 0, 3}, {0, 3, 2, 6}, {2, 6, 0, 4}, {0, 10, 5, 24}, {0, 16, 3, 20}, {4, 8, 4, 8}} {
		a, b := list(c[0], c[1]), list(c[2], c[3])[:min(c[3]-c[2], maxEntries)]
		want, v, w := a, value(nil).fill("", a), value(nil).fill("", b)
		for _, x := range b {
			if !slices.Contains(want, x) && len(want) < maxEntries {
				want = append(slices.Clip(want), x)
			}
		}
		if got := union(a, b); !slices.Equal(got, want) || !slices.Equal(v.union(w).atoms(), want) {
			t.Errorf("%v: %d atoms, want %d", c, len(got), len(want))
		}
	}
	shared := append(make([]Atom, 0, 8), list(0, 2)...)
	first, second := union(shared, list(2, 3)), union(shared, list(3, 4))
	if first[2].Site != &sites[2] || second[2].Site != &sites[3] {
		t.Error("what was added to one list is in the other")
	}
}

// TestSiteSet checks that a set counts each site once, also after a join with a longer set.
func TestSiteSet(t *testing.T) {
	var s, u siteSet
	k, far := &Site{number: 3}, &Site{number: 200}
	if !s.add(k) || s.add(k) || s.has(far) || !u.add(k) || !u.add(far) {
		t.Error("a site is not new in it once")
	}
	had := s.clone()
	if !s.join(u) || s.join(u) || s.size != 2 || !s.has(far) || had.has(far) || had.join(siteSet{}) {
		t.Errorf("it holds %+v", s)
	}
}

// TestStore checks that a store adds all atoms of a value to the parts that they are for.
func TestStore(t *testing.T) {
	budget := 1000
	s, k, a, b := newState(&budget), &Site{number: 2}, Atom{Site: &Site{number: 4}}, Atom{Site: &Site{number: 6}}
	s.store(k, "f0;", nil, value{{"", a}, {"", b}, {"f1;", b}}, false)
	s.store(k, "f0;", nil, value{{"f1;", a}, {"", b}}, false)
	for off, want := range map[string][]Atom{"f0;": {a, b}, "f0;f1;": {b, a}} {
		if got, _ := s.at(k, off); !slices.Equal(got, want) {
			t.Errorf("%s holds %v, want %v", off, got, want)
		}
	}
}

// TestSameInAnyOrder checks that summaries with the same members are equal.
func TestSameInAnyOrder(t *testing.T) {
	if !same([]int{1, 2, 3}, []int{3, 1, 2}) || same([]int{1, 2}, []int{1, 3}) || same([]int{1}, []int{1, 2}) {
		t.Error("lists with the same members are not the same, or others are")
	}
}
