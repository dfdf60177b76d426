package swiss

import "math/rand/v2"

// Old is a table's former groups while walks that began in them are under way.
type Old[K comparable, V any] struct {
	groups []Group[K, V]
	walks  int32
	next   *Old[K, V]
}

// Walk calls yield for each entry until it returns false. The table may be
// changed meanwhile.
//
// Entries stay where they are until the table moves, so a walk over groups that
// are the table's is right whatever is entered and deleted. When the table has
// moved, what was walked stays as it was and says which keys are still to come;
// whether they are still there, and with which value, the new groups say.
func (t *Table[K, V]) Walk(yield func(K, V) bool) {
	if t.used == 0 {
		return
	}
	groups, clears := t.groups, t.clears
	t.walks.Add(1)
	defer t.walked(groups)

	// Each walk begins elsewhere, or programs would come to count on an order.
	from := uint(rand.Uint64())
	mask := uint(len(groups)) - 1
	for n := range groups {
		g := &groups[(from/slots+uint(n))&mask]
		for i := range uint(slots) {
			j := (from + i) % slots
			if g.ctrl.at(j) < full {
				continue
			}
			if &t.groups[0] == &groups[0] {
				if !yield(g.keys[j], g.vals[j]) {
					return
				}
				continue
			}
			k := g.keys[j]
			if k != k {
				// It can't be found, and so neither be deleted nor changed, but
				// by Clear.
				if t.clears == clears && !yield(k, g.vals[j]) {
					return
				}
			} else if to, j := t.find(k); to != nil && !yield(to.keys[j], to.vals[j]) {
				return
			}
		}
	}
}

// walked ends a walk that began in groups: the last one clears them if they are
// not the table's any more.
func (t *Table[K, V]) walked(groups []Group[K, V]) {
	if &t.groups[0] == &groups[0] {
		t.walks.Add(-1)
		return
	}
	for at := &t.old; *at != nil; at = &(*at).next {
		if o := *at; &o.groups[0] == &groups[0] {
			if o.walks--; o.walks == 0 {
				clear(groups)
				*at, o.groups = o.next, nil
			}
			return
		}
	}
}
