package swiss

import "math/rand/v2"

// Old holds a table's former groups while walks that began in them are in progress.
type Old[K comparable, V any] struct {
	groups []Group[K, V]
	walks  int32
	next   *Old[K, V]
}

// Walk calls yield for each entry until yield returns false. The table may change during the walk.
//
// While the table has not moved, entries stay in their slots, so walking the current groups is correct. After
// a move, the former groups no longer change and list the remaining keys; the new groups tell whether a key
// still exists, and its value.
func (t *Table[K, V]) Walk(yield func(K, V) bool) {
	if t.used == 0 {
		return
	}
	groups, clears := t.groups, t.clears
	t.walks.Add(1)
	defer t.walked(groups)

	// Start at a random group, so that programs do not depend on the order.
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
				// A key that is not equal to itself cannot be looked up. So it cannot be deleted or changed,
				// except by Clear.
				if t.clears == clears && !yield(k, g.vals[j]) {
					return
				}
			} else if to, j := t.find(k); to != nil && !yield(to.keys[j], to.vals[j]) {
				return
			}
		}
	}
}

// walked ends a walk that began in groups. The last walk of former groups clears them.
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
