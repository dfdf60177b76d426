package life

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// A set does what a map does.
func TestSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	type model = map[int]bool
	sets, models := make([]*set, 6), make([]model, 6)
	for i := range sets {
		sets[i], models[i] = &set{}, model{}
	}
	sets[5], models[5] = nil, nil // is read alone
	inAll := func(a, b model) bool {
		for n := range a {
			if !b[n] {
				return false
			}
		}
		return true
	}
	both := func(a, b model) model {
		all := model{}
		for n := range a {
			if b[n] {
				all[n] = true
			}
		}
		return all
	}
	for range 20000 {
		i, j, k := rng.IntN(5), rng.IntN(6), rng.IntN(6)
		s, m, n := sets[i], models[i], 1<<rng.IntN(9)+rng.IntN(70)
		before := len(m)
		switch rng.IntN(6) {
		case 0, 1:
			if s.has(n) != m[n] {
				t.Fatalf("has(%d) is %v", n, s.has(n))
			}
			changed := s.put(n)
			if m[n] = true; changed != (len(m) > before) {
				t.Fatalf("put(%d) is %v", n, changed)
			}
		case 2:
			changed := s.putAll(sets[j])
			if maps.Copy(m, models[j]); changed != (len(m) > before) {
				t.Fatalf("putAll is %v", changed)
			}
		case 3:
			changed := s.putIn(sets[j], sets[k])
			if maps.Copy(m, both(models[j], models[k])); changed != (len(m) > before) {
				t.Fatalf("putIn is %v", changed)
			}
		case 4:
			sets[i] = s.without(sets[j])
			maps.DeleteFunc(m, func(n int, _ bool) bool { return models[j][n] })
		case 5:
			if rng.IntN(20) == 0 {
				sets[i], models[i] = setOf(n), model{n: true}
			}
		}
		s, m = sets[i], models[i]
		if got, want := slices.Collect(s.all()), slices.Sorted(maps.Keys(m)); !slices.Equal(got, want) || s.empty() != (len(m) == 0) {
			t.Fatalf("a set has %v of %v, and is empty: %v", got, want, s.empty())
		}
		o, other := sets[j], models[j]
		if got, want := slices.Collect(s.both(o)), slices.Sorted(maps.Keys(both(m, other))); !slices.Equal(got, want) || s.len() != len(m) {
			t.Fatalf("%v and %v: both have %v; %d are %d", m, other, got, len(m), s.len())
		}
		if s.meets(o) != (len(both(m, other)) > 0) || s.within(o) != inAll(m, other) || o.within(s) != inAll(other, m) || s.equal(o) != (inAll(m, other) && inAll(other, m)) {
			t.Fatalf("%v and %v: meets %v, within %v, equal %v", m, other, s.meets(o), s.within(o), s.equal(o))
		}
	}
}
