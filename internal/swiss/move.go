package swiss

// MaxGroups bounds the groups of a table, so that sums of sizes don't overflow.
const maxEntries = int(^uint(0)>>1) / 16

// quadruple is the most groups of a table that grows fourfold. Growth by two enters
// 1.8 entries anew for each of 1,000 that a map gets, by four 0.6, and its tables take
// less memory in sum; what grows beyond some 50 KB should not, since as much as three
// quarters of the last table stay empty.
const quadruple = 64

// capacityOf is how many entries n groups may have. One in eight slots stays empty,
// so that searches end; a table of one group is looked at as a whole anyway.
func capacityOf(n int) int {
	if n == 1 {
		return slots
	}
	return n * (slots - 1)
}

// GroupsFor returns how many groups a table of n entries has: a power of two.
func GroupsFor(n int) int {
	g := 1
	for capacityOf(g) < n && g <= maxEntries {
		g *= 2
	}
	return g
}

// Wants returns how many groups the table should move to, because it has no
// capacity left: four times as many as now up to 256, twice as many above, or as many
// as now where deleted entries have taken so much capacity that the move makes
// up for its cost.
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

// Spare returns n empty groups that the table has left from an earlier move, nil
// if it has none.
func (t *Table[K, V]) Spare(n int) []Group[K, V] {
	if len(t.spare) == n {
		return t.spare
	}
	return nil
}

// Walked reports whether a walk is under way that began in the present groups: Move
// then needs an Old.
func (t *Table[K, V]) Walked() bool { return t.walks.Load() > 0 }

// Move has the table go on in groups, which are zero and have capacity for its
// entries. old is a zero Old where Walked said that it is needed. pointers says
// whether there can be pointers in groups.
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
		// The walks need what they walk; when they end, it is cleared.
		old.groups, old.walks, old.next = from, t.walks.Load(), t.old
		t.walks.Store(0)
		t.old = old
	case len(from) == len(groups):
		clear(from)
		t.spare = from
	case pointers:
		clear(from) // or what is deleted from here on would be kept alive there
	}
}

// enterAll enters the entries of other groups, none of which the table has.
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

// Copied makes t, a copy of a table whose groups are a copy, too, and whose keys lead
// to copies, a table of its own. Keys that are hashed by what they point to, or may
// be, are hashed anew.
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
