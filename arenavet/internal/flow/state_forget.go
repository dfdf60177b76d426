package flow

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
)

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
	maps.DeleteFunc(s.handed, func(k *Site, _ token.Pos) bool { return gone(k) })
	maps.DeleteFunc(s.lent, func(k *Site, _ lending) bool { return gone(k) })
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
