package flow

// join adds t to s, and reports whether s has changed.
func (s *state) join(t *state) bool {
	*s.budget -= t.size()
	changed := s.joinCells(t)
	s.stale = s.stale || t.stale
	for k, v := range t.regs {
		if u := s.regs[k].union(v); len(u) != len(s.regs[k]) {
			s.regs[k] = u
			changed = true
		}
	}
	changed = joinMap(s.open, t.open) || changed
	changed = joinMap(s.handed, t.handed) || changed
	changed = joinMap(s.lent, t.lent) || changed
	changed = joinMust(s.defers, t.defers) || changed
	changed = joinMust(s.done, t.done) || changed
	changed = s.joinReads(t) || changed
	changed = s.joinLate(t) || changed
	for k := range s.unread {
		if !t.unread[k] && t.made.has(k) {
			delete(s.unread, k)
			changed = true
		}
	}
	for k := range t.unread {
		if !s.unread[k] && !s.made.has(k) {
			s.unread[k] = true
			changed = true
		}
	}
	changed = s.made.join(t.made) || changed // after unread, which needs the old s.made
	for k, v := range t.marks {
		if s.marks[k]|v != s.marks[k] {
			s.marks[k] |= v
			changed = true
		}
	}
	if s.dirty|t.dirty != s.dirty {
		s.dirty |= t.dirty
		changed = true
	}
	if s.locked && !t.locked {
		s.locked = false
		changed = true
	}
	return changed
}

// joinCells joins the contents of objects.
func (s *state) joinCells(t *state) bool {
	changed := false
	for n, o := range t.cells {
		if o == nil || n < len(s.cells) && s.cells[n] == o {
			continue
		}
		k := o.site
		mine := s.object(k)
		if mine == nil && k.Kind != SymbolSite {
			o.own = nil
			s.keep(o)
			changed = true
			continue
		}
		*s.budget -= 4 * len(o.parts) // the cost of the comparison
		for i, p := range o.parts {
			var before []Atom
			at, had := mine.findNear(i, p.off)
			if had {
				before = mine.parts[at].atoms
			}
			after := before
			if !had {
				after = k.initial(p.off)
			}
			after = addAtoms(after, p.atoms)
			if !had || len(after) != len(before) {
				mine = s.write(k)
				mine.set(p.off, after)
				changed = true
			}
		}
	}
	// An object that only s has seen has its initial contents in t.
	for mine := range s.objects() {
		k := mine.site
		o := t.object(k)
		if mine == o || k.Kind != SymbolSite {
			continue
		}
		*s.budget -= len(mine.parts)
		for i, p := range mine.parts {
			if _, ok := o.findNear(i, p.off); ok {
				continue
			}
			after := addAtoms(p.atoms, k.initial(p.off))
			if len(after) != len(p.atoms) {
				s.write(k).set(p.off, after)
				changed = true
			}
		}
	}
	return changed
}

// joinLate keeps the late uses of both paths.
func (s *state) joinLate(t *state) bool {
	changed := false
	for k, by := range s.ended {
		other, ok := t.ended[k]
		if !ok {
			delete(s.ended, k)
			changed = true
		} else if by == nil && other != nil {
			s.ended[k] = other
			changed = true
		}
	}
	for k := range s.late {
		if _, ok := t.late[k]; !ok {
			delete(s.late, k)
			changed = true
		}
	}
	return changed
}

// joinReads keeps the reads of both paths.
func (s *state) joinReads(t *state) bool {
	changed := false
	for k := range s.reads {
		if unlock, ok := t.reads[k]; !ok {
			delete(s.reads, k)
			changed = true
		} else if unlock && !s.reads[k] {
			s.reads[k] = true
			changed = true
		}
	}
	return changed
}

func joinMap[K comparable, V any](s, t map[K]V) bool {
	changed := false
	for k, v := range t {
		if _, ok := s[k]; !ok {
			s[k] = v
			changed = true
		}
	}
	return changed
}

// joinMust joins sets whose values say whether a member is on every path.
func joinMust[K comparable](s, t map[K]bool) bool {
	changed := false
	for k, must := range t {
		if have, ok := s[k]; !ok {
			s[k] = false
			changed = true
		} else if have && !must {
			s[k] = false
			changed = true
		}
	}
	for k, must := range s {
		if _, ok := t[k]; !ok && must {
			s[k] = false
			changed = true
		}
	}
	return changed
}
