package swiss

import "sync/atomic"

// Table is a hash table in memory of the caller: Wants returns how many groups it needs, and Move supplies
// them. The zero Table is empty.
type Table[K comparable, V any] struct {
	groups     []Group[K, V] // none, or a power of two
	hasher     hasher[K]
	used       int // entries
	growthLeft int // empty slots that may be filled before the table must move

	clears uint32        // calls of Clear
	walks  atomic.Int32  // walks in progress that began in groups
	spare  []Group[K, V] // as many empty groups as the table has, for a move without growth
	old    *Old[K, V]    // former groups that are still walked
}

// Len returns the number of entries.
func (t *Table[K, V]) Len() int { return t.used }

// A search visits groups in steps that grow by one, which reaches each of a power of two of groups once. It
// ends at a group with an empty slot, or after all groups. The second case occurs in a full table of one
// group. It also occurs in a stale table whose memory holds other data, so that the search ends there as
// well.

// Get returns the value of k and whether it exists. t may be nil.
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

// Find returns a pointer to the value of k, or nil. t may be nil.
func (t *Table[K, V]) Find(k K) *V {
	if g, j := t.find(k); g != nil {
		return &g.vals[j]
	}
	return nil
}

// find returns the group and slot of k, or a nil group.
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

// Slot returns a pointer to the value of k, and inserts k with a zero value if it is missing. If there is no
// capacity left, it returns nil and changes nothing: the table must move first.
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
	var free *Group[K, V] // the first group on the way with a free slot
	for i, step := placeOf(h), uint(0); ; {
		g := &t.groups[i&mask]
		c := g.ctrl
		for s := c.match(tag); s != 0; s = s.rest() {
			if j := s.first(); g.keys[j] == k {
				// Equal keys may differ, like 0 and -0, or point to different memory, of which only the newer
				// key's may be kept alive by the caller.
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

// Delete deletes the entry of k and reports whether it existed.
func (t *Table[K, V]) Delete(k K) bool {
	g, j := t.find(k)
	if g == nil {
		return false
	}
	// Zero the slot so that it keeps nothing alive.
	var (
		key K
		val V
	)
	g.keys[j], g.vals[j] = key, val
	t.used--
	if g.ctrl.hasEmpty() {
		// No search continues past this group, so no deletion mark is needed.
		g.ctrl = g.ctrl.with(j, empty)
		t.growthLeft++
	} else {
		g.ctrl = g.ctrl.with(j, deleted)
	}
	return true
}

// Clear deletes all entries and keeps the memory. It zeroes the whole table. It also draws a new secret, so
// that an attacker cannot use what it learned by observing the table.
func (t *Table[K, V]) Clear() {
	if len(t.groups) == 0 {
		return
	}
	clear(t.groups)
	t.clears++
	t.used, t.growthLeft = 0, capacityOf(len(t.groups))
	t.hasher.begin(len(t.groups))
}
