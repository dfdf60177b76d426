package flow

import (
	"math/bits"
	"slices"
	"strings"
)

// object is the contents of a site's objects. States share unchanged objects.
type object struct {
	site  *Site
	own   *int    // of the state that may change it, or nil
	parts []part  // sorted by path
	sites []*Site // sites in parts, each once; nil if not computed
	hints uint64  // a superset of their hints
}

// part is the contents at a path within an object. Lists of atoms are shared and never changed.
type part struct {
	off   string
	atoms []Atom
}

// find returns the index of the part at off, or where it belongs.
func (o *object) find(off string) (int, bool) { return o.findNear(0, off) }

// findNear is find with a guess.
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

// below returns the parts whose paths begin with off.
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

// mentions reports whether o leads to a meant site, or to memory allocated from one. It adds its cost to cost. hint has
// the hints of all meant sites, or is 0 if they are unknown.
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

// add adds k and reports whether it is new.
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

// join adds t and reports whether a site is new.
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
