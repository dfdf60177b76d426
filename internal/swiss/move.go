package swiss

// maxEntries bounds the entries of a table, so that sums of sizes do not overflow.
const maxEntries = int(^uint(0)>>1) / 16

// quadruple is the largest number of groups that grows fourfold. Growing to 1,000 entries reinserts 1.8
// entries per entry by doubling and 0.6 by quadrupling, which also needs less memory in total. Tables above
// some 50 KB double, because after quadrupling up to three quarters of the last table stay empty.
const quadruple = 64

// capacityOf returns the maximum number of entries in n groups. One in eight slots stays empty so that
// searches end, except in a table of one group, which is always searched as a whole.
func capacityOf(n int) int {
	if n == 1 {
		return slots
	}
	return n * (slots - 1)
}

// GroupsFor returns the number of groups of a table for n entries: a power of two.
func GroupsFor(n int) int {
	g := 1
	for capacityOf(g) < n && g <= maxEntries {
		g *= 2
	}
	return g
}

// Wants returns how many groups the table should move to when it has no capacity left: four times as many up
// to 256, twice as many above, or the same number if deleted entries have used enough capacity to pay for the
// move.
func (t *Table[K, V]) Wants() int {
	switch n := len(t.groups); {
	case n == 0:
		return 1
	case t.used <= n*slots/8*5:
		return n
	case n <= quadruple:
		return 4 * n
	default:
		return 2 * n
	}
}

// Spare returns n empty groups left from an earlier move, or nil.
func (t *Table[K, V]) Spare(n int) []Group[K, V] {
	if len(t.spare) == n {
		return t.spare
	}
	return nil
}

// Walked reports whether a walk that began in the current groups is in progress. If so, Move needs an Old.
func (t *Table[K, V]) Walked() bool { return t.walks.Load() > 0 }

// Move moves the entries to groups, which must be zero and large enough. If Walked reports true, old must be
// a zero Old. pointers reports whether groups may contain pointers.
func (t *Table[K, V]) Move(groups []Group[K, V], old *Old[K, V], pointers bool) {
	from := t.groups
	t.groups, t.growthLeft = groups, capacityOf(len(groups))-t.used
	if len(from) <= 1 {
		t.hasher.begin(len(groups))
	}
	t.enterAll(from)
	t.spare = nil
	switch {
	case t.Walked():
		// The walks still need the former groups. The last of them clears the groups.
		old.groups, old.walks, old.next = from, t.walks.Load(), t.old
		t.walks.Store(0)
		t.old = old
	case len(from) == len(groups):
		clear(from)
		t.spare = from
	case pointers:
		clear(from) // they would keep values alive that are deleted later
	}
}

// enterAll inserts all entries of from. None of the keys may be in the table.
func (t *Table[K, V]) enterAll(from []Group[K, V]) {
	groups := t.groups
	mask := uint(len(groups)) - 1
	for n := range from {
		g := &from[n]
		for s := g.ctrl.taken(); s != 0; s = s.rest() {
			j := s.first()
			h := t.hasher.hash(g.keys[j])
			to := &groups[placeOf(h)&mask]
			for i, step := placeOf(h), uint(0); to.ctrl.free() == 0 && step < mask; to = &groups[i&mask] {
				step++
				i += step
			}
			free := to.ctrl.free().first()
			to.ctrl = to.ctrl.with(free, tagOf(h))
			to.keys[free], to.vals[free] = g.keys[j], g.vals[j]
		}
	}
}

// Copied completes t, a shallow copy of a table, after its groups and whatever its keys point to were copied.
// Keys whose hash may depend on addresses are hashed again.
func (t *Table[K, V]) Copied(pointers bool) {
	t.spare, t.old = nil, nil
	t.walks.Store(0)
	if len(t.groups) == 0 || !pointers || t.hasher.kind == text {
		return
	}
	from := t.groups
	t.groups = make([]Group[K, V], len(from))
	t.enterAll(from)
	t.growthLeft = capacityOf(len(from)) - t.used
}
