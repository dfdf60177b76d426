package flow

import (
	"slices"
	"strings"
)

// object holds the contents of a site's objects. States share those that they
// have not changed since they were one.
type object struct {
	parts []part  // by path: those that begin alike stand together
	sites []*Site // those that parts mention, each once; nil where that is to be found yet
	hints uint64  // the hints of those, and maybe of more
}

// part is what lies at a path within an object. Lists of atoms are never changed, and shared.
type part struct {
	off   string
	atoms []Atom
}

// find is where the part at off is, or belongs.
func (o *object) find(off string) (int, bool) {
	if o == nil {
		return 0, false
	}
	i, j := 0, len(o.parts)
	for i < j {
		if m := (i + j) / 2; o.parts[m].off < off {
			i = m + 1
		} else {
			j = m
		}
	}
	return i, i < len(o.parts) && o.parts[i].off == off
}

// below are the parts whose paths begin with off.
func (o *object) below(off string) []part {
	i, _ := o.find(off)
	if o == nil {
		return nil
	}
	j := i
	for j < len(o.parts) && strings.HasPrefix(o.parts[j].off, off) {
		j++
	}
	return o.parts[i:j:j]
}

// set puts atoms at off.
func (o *object) set(off string, atoms []Atom) {
	if i, ok := o.find(off); ok {
		o.parts[i].atoms = atoms
	} else {
		o.parts = slices.Insert(o.parts, i, part{off, atoms})
	}
	o.sites = nil
	o.note(atoms)
}

func (o *object) note(atoms []Atom) {
	for i := range atoms {
		if o.hints |= atoms[i].Site.hint; atoms[i].Region != nil {
			o.hints |= atoms[i].Region.hint
		}
	}
}

// mentions reports whether what lies in o leads to a site that is meant, or was allocated
// from it, and adds to cost what it takes to find that. hint has those of all sites that
// are meant, and is 0 where they are not known.
func (o *object) mentions(meant func(*Site) bool, hint uint64, cost *int) bool {
	if hint != 0 && o.hints&hint == 0 {
		*cost++
		return false
	}
	if o.sites == nil {
		o.sites, o.hints = make([]*Site, 0, len(o.parts)), 0
		for _, p := range o.parts {
			*cost += 1 + len(p.atoms)
			o.note(p.atoms)
			for i := range p.atoms {
				for _, k := range [2]*Site{p.atoms[i].Site, p.atoms[i].Region} {
					if k != nil && !slices.Contains(o.sites, k) {
						o.sites = append(o.sites, k)
					}
				}
			}
		}
	}
	*cost += len(o.sites)
	return slices.ContainsFunc(o.sites, meant)
}
