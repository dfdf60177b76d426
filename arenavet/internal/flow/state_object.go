package flow

import (
	"maps"
	"slices"
)

// object is what lies in the objects of a site, by path. States share those that they
// have not changed since they were one.
type object struct {
	parts map[string][]Atom
	sites []*Site // those that parts mention, each once; nil where that is to be found yet
}

// mentions reports whether what lies in o leads to a site that is meant, or was allocated
// from it, and adds to cost what it takes to find that.
func (o *object) mentions(meant func(*Site) bool, cost *int) bool {
	if o.sites == nil {
		seen := map[*Site]bool{nil: true}
		o.sites = []*Site{}
		for _, atoms := range o.parts {
			*cost += 1 + len(atoms)
			for _, a := range atoms {
				for _, k := range []*Site{a.Site, a.Region} {
					if !seen[k] {
						seen[k] = true
						o.sites = append(o.sites, k)
					}
				}
			}
		}
	}
	*cost += len(o.sites)
	return slices.ContainsFunc(o.sites, meant)
}

// parts are what lies in k, to be read.
func (s *state) parts(k *Site) map[string][]Atom {
	if o := s.cells[k]; o != nil {
		return o.parts
	}
	return nil
}

// write are the parts of k, to be written.
func (s *state) write(k *Site) map[string][]Atom {
	o := s.cells[k]
	switch {
	case o == nil:
		o = &object{parts: map[string][]Atom{}}
	case s.own[k]:
		o.sites = nil
		return o.parts
	default:
		*s.budget -= len(o.parts)
		o = &object{parts: maps.Clone(o.parts)}
	}
	s.cells[k], s.own[k] = o, true
	return o.parts
}

// joinCells is join for what lies in objects.
func (s *state) joinCells(t *state) bool {
	changed := false
	for k, o := range t.cells {
		mine := s.cells[k]
		if mine == o {
			continue
		}
		if mine == nil && k.Kind != SymbolSite {
			s.cells[k] = o
			delete(s.own, k)
			delete(t.own, k)
			changed = true
			continue
		}
		*s.budget -= 4 * len(o.parts) // what is there is compared with what comes
		for off, atoms := range o.parts {
			before, had := s.parts(k)[off]
			after := before
			if !had {
				after = k.initial(off)
			}
			for _, a := range atoms {
				after = addAtom(after, a)
			}
			if !had || len(after) != len(before) {
				s.write(k)[off] = after
				changed = true
			}
		}
	}
	// What only s has seen still has its first content where t comes from.
	for k, mine := range s.cells {
		o := t.cells[k]
		if mine == o || k.Kind != SymbolSite {
			continue
		}
		*s.budget -= len(mine.parts)
		for off, before := range mine.parts {
			if _, ok := t.parts(k)[off]; ok {
				continue
			}
			after := before
			for _, a := range k.initial(off) {
				after = addAtom(after, a)
			}
			if len(after) != len(before) {
				s.write(k)[off] = after
				changed = true
			}
		}
	}
	return changed
}
