package flow

import (
	"math/bits"
	"slices"
	"strings"
)

// object holds the contents of a site's objects. States share those that they
// have not changed since they were one.
type object struct {
	site  *Site
	own   *int    // that of the state which may change it, if any
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
func (o *object) find(off string) (int, bool) { return o.findNear(0, off) }

// findNear is find; the part may well be number i.
func (o *object) findNear(near int, off string) (int, bool) {
	if o == nil {
		return 0, false
	}
	if near < len(o.parts) && o.parts[near].off == off {
		return near, true
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

// siteSet is a set of sites.
type siteSet struct {
	words []uint64 // a bit for each number
	size  int
}

func (s *siteSet) has(k *Site) bool {
	n := k.number / 64
	return n < len(s.words) && s.words[n]&(1<<(k.number%64)) != 0
}

// add reports whether k is new in it.
func (s *siteSet) add(k *Site) bool {
	if s.has(k) {
		return false
	}
	if n := k.number/64 + 1; n > len(s.words) {
		s.words = append(s.words, make([]uint64, n-len(s.words))...)
	}
	s.words[k.number/64] |= 1 << (k.number % 64)
	s.size++
	return true
}

// join adds those of t, and reports whether any is new.
func (s *siteSet) join(t siteSet) bool {
	if n := len(t.words) - len(s.words); n > 0 {
		s.words = append(s.words, make([]uint64, n)...)
	}
	had := s.size
	for n, w := range t.words {
		s.size += bits.OnesCount64(w &^ s.words[n])
		s.words[n] |= w
	}
	return s.size > had
}

func (s *siteSet) clone() siteSet { return siteSet{slices.Clone(s.words), s.size} }
