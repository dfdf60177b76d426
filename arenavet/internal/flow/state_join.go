package flow

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
)

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
	changed = joinSteps(s.open, t.open, s.known, t.known) || changed
	changed = joinSteps(s.handed, t.handed, s.known, t.known) || changed
	changed = joinSteps(s.lent, t.lent, s.known, t.known) || changed
	changed = joinSteps(s.back, t.back, s.known, t.known) || changed
	if known := s.known.both(t.known); len(known) < len(s.known) {
		s.known = known
		changed = true
	}
	changed = joinMust(s.defers, t.defers) || changed
	changed = joinMust(s.done, t.done) || changed
	changed = joinBoth(s.ended, t.ended) || changed
	changed = joinBoth(s.uses, t.uses) || changed
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
			after = union(after, p.atoms)
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
			after := union(p.atoms, k.initial(p.off))
			if len(after) != len(p.atoms) {
				s.write(k).set(p.off, after)
				changed = true
			}
		}
	}
	return changed
}

// joinBoth keeps the members of both. A value that is not zero wins.
func joinBoth[K, V comparable](s, t map[K]V) bool {
	changed := false
	var zero V
	for k, v := range s {
		if w, ok := t[k]; !ok {
			delete(s, k)
			changed = true
		} else if v == zero && w != zero {
			s[k] = w
			changed = true
		}
	}
	return changed
}

// joinMust joins sets whose values say whether a member is on every path.
func joinMust[K comparable](s, t map[K]bool) bool {
	changed := false
	for k, must := range t {
		if have, ok := s[k]; !ok || have && !must {
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

// Objects that a function empties, and objects that nothing leads to any more, hold nothing stale. If a site stands for
// several objects, all count as emptied. That hides mistakes, but avoids false reports.

// forgetUnreachable drops stale memory from unreachable objects, and goroutines' uses of unreachable arenas. They are
// still in the state because another iteration or path may make or reach them again.
func (s *state) forgetUnreachable() {
	if s.stale {
		s.stale = s.holdsStale()
	}
	if !s.stale && len(s.handed)+len(s.lent) == 0 {
		return
	}
	*s.budget -= s.size()
	reached := s.reachable()
	gone := func(k *Site) bool { return k.Kind == HandleSite && !reached[k] }
	maps.DeleteFunc(s.handed, func(k *Site, _ step) bool { return gone(k) })
	maps.DeleteFunc(s.lent, func(k *Site, _ step) bool { return gone(k) })
	for o := range s.objects() {
		if reached[o.site] {
			continue
		}
		for _, p := range o.parts {
			good := slices.DeleteFunc(slices.Clone(p.atoms), func(a Atom) bool { return a.Stale != nil })
			if len(good) < len(p.atoms) {
				s.write(o.site).set(p.off, good)
			}
		}
	}
}

// holdsStale reports whether any object holds stale memory.
func (s *state) holdsStale() bool {
	for o := range s.objects() {
		*s.budget -= len(o.parts)
		for _, p := range o.parts {
			if slices.ContainsFunc(p.atoms, func(a Atom) bool { return a.Stale != nil }) {
				return true
			}
		}
	}
	return false
}

// reachable returns the objects reachable from registers and globals. A symbol whose parent is untouched keeps its
// initial contents, and an unknown value lives as long as its register.
func (s *state) reachable() map[*Site]bool {
	type parent struct {
		root ssa.Value
		path string
	}
	children := map[parent][]*Site{}
	present := map[parent]bool{}
	for o := range s.objects() {
		if k := o.site; k.Kind == SymbolSite {
			present[parent{k.root, k.Path}] = true
		}
	}
	reached := map[*Site]bool{}
	var walk func(k *Site)
	walk = func(k *Site) {
		if k == nil || reached[k] {
			return
		}
		reached[k] = true
		for _, p := range s.parts(k) {
			for _, a := range p.atoms {
				walk(a.Site)
			}
		}
		if k.Kind == SymbolSite {
			for _, child := range children[parent{k.root, k.Path}] {
				off, _, _ := strings.Cut(child.Path[len(k.Path)+len(access.Deref):], access.Recur)
				if _, seen := s.at(k, off); !seen {
					walk(child)
				}
			}
		}
	}
	var roots []*Site
	for o := range s.objects() {
		k := o.site
		if k.Kind != SymbolSite {
			continue
		}
		i := strings.LastIndex(k.Path, access.Deref)
		_, unknown := k.root.(ssa.Instruction)
		switch {
		case i < 0 && unknown:
		case i < 0 || strings.Contains(k.Path, access.Anything) || !present[parent{k.root, k.Path[:i]}]:
			roots = append(roots, k)
		default:
			p := parent{k.root, k.Path[:i]}
			children[p] = append(children[p], k)
		}
	}
	for _, k := range roots {
		walk(k)
	}
	for _, v := range s.regs {
		for _, e := range v {
			walk(e.a.Site)
		}
	}
	return reached
}
