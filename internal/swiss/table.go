package swiss

import "sync/atomic"

// Table is a hash table in memory that others bring: it says how many groups it
// needs (Wants), and is given them (Move). The zero Table is empty.
type Table[K comparable, V any] struct {
	groups     []Group[K, V] // 0 of them, or a power of two
	hasher     hasher[K]
	used       int // entries
	growthLeft int // empty slots that may be filled before the table must move

	clears uint32        // how often Clear was called
	walks  atomic.Int32  // how many walks that began in groups are under way
	spare  []Group[K, V] // empty, as many as groups: what the next move to no more of them takes
	old    *Old[K, V]    // what was moved from and is still walked
}

// Len is the number of entries.
func (t *Table[K, V]) Len() int { return t.used }

// A search looks at one group after the other, the steps growing by one: over a
// power of two of groups that comes to each of them once. It ends at a group with
// an empty slot, or when all were seen. The latter happens in a table of one
// group, which may be full, and in one whose memory others have got since,
// where anything may stand: the search must not go on for ever there.

// Get returns the value of k, and whether there is one. t may be nil.
func (t *Table[K, V]) Get(k K) (v V, ok bool) {
	if t == nil || len(t.groups) == 0 {
		refuse(k)
		return v, false
	}
	var h uint64
	if sizeOf[K]() <= 8 && t.hasher.kind == word {
		h = t.hasher.secret.word(wordAt(&k))
	} else if sizeOf[K]() <= 8 && t.hasher.kind == few {
		h = wordAt(&k) * last
	} else if sizeOf[K]() == sizeOf[string]() && t.hasher.kind == text {
		h = t.hasher.secret.text(as[string](&k))
	} else {
		h = t.hasher.hashLong(k)
	}
	tag := tagOf(h)
	mask := uint(len(t.groups)) - 1
	for i, step := placeOf(h), uint(0); ; {
		g := &t.groups[i&mask]
		c := g.ctrl
		for s := c.match(tag); s != 0; s = s.rest() {
			if j := s.first(); g.keys[j] == k {
				return g.vals[j], true
			}
		}
		if step++; step > mask || c.hasEmpty() {
			return v, false
		}
		i += step
	}
}

// Find returns where the value of k is, nil if there is none. t may be nil.
func (t *Table[K, V]) Find(k K) *V {
	if g, j := t.find(k); g != nil {
		return &g.vals[j]
	}
	return nil
}

// find returns the entry of k, nil if there is none.
func (t *Table[K, V]) find(k K) (*Group[K, V], uint) {
	if t == nil || len(t.groups) == 0 {
		refuse(k)
		return nil, 0
	}
	h := t.hasher.hash(k)
	tag := tagOf(h)
	mask := uint(len(t.groups)) - 1
	for i, step := placeOf(h), uint(0); ; {
		g := &t.groups[i&mask]
		c := g.ctrl
		for s := c.match(tag); s != 0; s = s.rest() {
			if j := s.first(); g.keys[j] == k {
				return g, j
			}
		}
		if step++; step > mask || c.hasEmpty() {
			return nil, 0
		}
		i += step
	}
}

// Slot returns where the value of k belongs, and enters k with a zero value if
// it was not there. It returns nil, and has changed nothing, where there is no
// capacity left: the table must move first.
func (t *Table[K, V]) Slot(k K) *V {
	if len(t.groups) == 0 {
		return nil
	}
	var h uint64
	if sizeOf[K]() <= 8 && t.hasher.kind == word {
		h = t.hasher.secret.word(wordAt(&k))
	} else if sizeOf[K]() <= 8 && t.hasher.kind == few {
		h = wordAt(&k) * last
	} else if sizeOf[K]() == sizeOf[string]() && t.hasher.kind == text {
		h = t.hasher.secret.text(as[string](&k))
	} else {
		h = t.hasher.hashLong(k)
	}
	tag := tagOf(h)
	mask := uint(len(t.groups)) - 1
	var free *Group[K, V] // the first on the way with a slot that is not full
	for i, step := placeOf(h), uint(0); ; {
		g := &t.groups[i&mask]
		c := g.ctrl
		for s := c.match(tag); s != 0; s = s.rest() {
			if j := s.first(); g.keys[j] == k {
				// What equals may differ, as 0 and -0 do, or point to other
				// memory, which the newer key keeps alive and the older may not.
				g.keys[j] = k
				return &g.vals[j]
			}
		}
		if free == nil && c.free() != 0 {
			free = g
		}
		if step++; step > mask || c.hasEmpty() {
			break
		}
		i += step
	}
	if free == nil {
		return nil
	}
	c := free.ctrl
	j := c.free().first()
	if c.at(j) == empty {
		if t.growthLeft == 0 {
			return nil
		}
		t.growthLeft--
	}
	free.ctrl = c.with(j, tag)
	free.keys[j] = k
	t.used++
	return &free.vals[j]
}

// Delete takes out the entry of k, and reports whether there was one.
func (t *Table[K, V]) Delete(k K) bool {
	g, j := t.find(k)
	if g == nil {
		return false
	}
	// The slot is zero again, so that it keeps nothing alive.
	var (
		key K
		val V
	)
	g.keys[j], g.vals[j] = key, val
	t.used--
	if g.ctrl.hasEmpty() {
		// No search goes on behind this group, so none needs to know.
		g.ctrl = g.ctrl.with(j, empty)
		t.growthLeft++
	} else {
		g.ctrl = g.ctrl.with(j, deleted)
	}
	return true
}

// Clear takes out all entries and keeps the memory. It costs the clearing of the
// whole table. Keys are hashed with another secret afterwards, so that
// what was learned of the old one by watching is of no use.
func (t *Table[K, V]) Clear() {
	if len(t.groups) == 0 {
		return
	}
	clear(t.groups)
	t.clears++
	t.used, t.growthLeft = 0, capacityOf(len(t.groups))
	t.hasher.begin(len(t.groups))
}
