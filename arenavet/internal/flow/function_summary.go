package flow

import (
	"go/token"
	"slices"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// summarize describes the joined state at the exit. It returns nil for a function that moves its arguments in too many
// ways.
func (f *function) summarize(exit *state, results []value) *Summary {
	s := &Summary{Uses: f.usesOf(exit)}
	for i, v := range results {
		s.Results = append(s.Results, f.flows(exit, v, access.Tuple(i))...)
	}
	known := map[Atom][]Flow{} // many places lead to one object
	for o := range exit.objects() {
		k := o.site
		if k.Kind != SymbolSite {
			continue
		}
		base, ok := f.place(k)
		if !ok {
			continue
		}
		for _, p := range o.parts {
			off, atoms := p.off, p.atoms
			w := Write{To: base, Strong: true}
			w.To.Path += access.Deref + off
			self := k.initial(off)
			for _, a := range atoms {
				if len(self) > 0 && a.Site == self[0].Site && a.off == "" {
					w.Strong = false
					continue
				}
				if at, ok := f.stored[storeKey{k, off, a.Site}]; ok && w.pos == token.NoPos {
					w.pos = at
				}
				if len(w.From) >= maxSummary {
					continue
				}
				var from []Flow
				if src, ok := f.source(a); ok && a.Site.Kind != MemorySite {
					from = []Flow{{"", src}}
				} else if a.Site.Kind == LocalSite || a.Site.Kind == MemorySite {
					// The contents of an object of the function count, and how deep they are: an object on Go's heap
					// that leads to an arena is not memory of that arena.
					var ok bool
					if from, ok = known[a]; !ok {
						from = f.flows(exit, one(a), "")
						known[a] = from
					}
				}
				for _, fl := range from {
					if !slices.Contains(w.From, fl) && len(w.From) < maxSummary {
						w.From = append(w.From, fl)
					}
				}
			}
			if len(w.From) > 0 || w.Strong {
				slices.SortFunc(w.From, func(a, b Flow) int { return strings.Compare(a.key(), b.key()) })
				s.Writes = append(s.Writes, w)
			}
		}
	}
	slices.SortFunc(s.Writes, func(a, b Write) int { return strings.Compare(a.To.key(), b.To.key()) })
	if len(s.Writes) > maxSummary {
		s.Writes = s.Writes[:maxSummary]
	}
	for k, must := range exit.done {
		e, ok := f.effects[k]
		if !ok {
			continue // done to a nil arena
		}
		e.Must = must
		e.From.Gotten = e.From.Gotten && (e.Op != OpYields || f.ends(e.From.At))
		s.Effects = append(s.Effects, e)
	}
	slices.SortFunc(s.Effects, func(a, b Effect) int {
		if a.Op != b.Op {
			return int(a.Op) - int(b.Op)
		}
		return strings.Compare(a.At.key()+a.From.key()+a.Mark.key(), b.At.key()+b.From.key()+b.Mark.key())
	})
	emptying := 0
	for _, w := range s.Writes {
		if w.empties() {
			emptying++ // one for each part of an element
		}
	}
	if !s.aboutArenas() && (len(s.Writes)-emptying > maxOthers || flowsOnly(s.Results) > maxOthers || len(s.Effects) > maxOthers) {
		return nil
	}
	return s
}

// flows describes v and the objects of the function that it leads to, near objects first. If there are too many, the
// far ones are lost. A path that repeats a hop continues where the first one led, so objects of a recursive type are
// merged. An object that was described is referred to by its first path.
func (f *function) flows(st *state, v value, path string) []Flow {
	var out []Flow
	note := func(fl Flow) {
		if len(out) < maxSummary && !slices.Contains(out, fl) {
			out = append(out, fl)
		}
	}
	type described struct{ path, off string }
	seen := map[*Site]described{}
	var queue []visit
	for _, e := range v {
		queue = append(queue, visit{atoms: []Atom{e.a}, at: path + e.path})
	}
	for len(queue) > 0 && len(out) < maxSummary {
		n := queue[0]
		queue = queue[1:]
		at := n.at
		for _, a := range n.atoms {
			if src, ok := f.source(a); ok {
				note(Flow{at, src})
			}
			k := a.Site
			body := k.fn != nil && f.carries(k)
			if body {
				note(Flow{at, Source{Kind: Body, fn: k.fn}})
			}
			if k.Kind != LocalSite && k.Kind != MemorySite {
				continue
			}
			if d, ok := seen[k]; ok {
				if d.off == a.off && d.path != at && !body {
					note(Flow{at, Source{Kind: Again, At: Place{Param: -1, Path: d.path}}})
				}
				continue
			}
			if len(n.hops) >= access.MaxHops {
				continue
			}
			seen[k] = described{at, a.off}
			for _, p := range st.object(k).below(a.off) {
				to, hop := at+access.Deref+p.off[len(a.off):], access.Hop{Type: k.typ, Off: p.off}
				if i := slices.IndexFunc(n.hops, func(h hopTo) bool { return h.hop == hop }); i >= 0 {
					note(Flow{to, Source{Kind: Again, At: Place{Param: -1, Path: n.hops[i].at}}})
					queue = append(queue, visit{p.atoms, n.hops[i].at, n.hops[: i+1 : i+1]})
				} else {
					queue = append(queue, visit{p.atoms, to, append(n.hops[:len(n.hops):len(n.hops)], hopTo{hop, to})})
				}
			}
		}
	}
	// A reference to a path that leads to no source says nothing.
	return slices.DeleteFunc(out, func(fl Flow) bool {
		return fl.From.Kind == Again && !slices.ContainsFunc(out, func(x Flow) bool {
			return x.From.Kind != Again && strings.HasPrefix(x.Path, fl.From.At.Path)
		})
	})
}

// visit is a place that flows has yet to describe.
type visit struct {
	atoms []Atom
	at    string
	hops  []hopTo
}

// hopTo is a hop and the path behind it.
type hopTo struct {
	hop access.Hop
	at  string
}

// ends reports whether the function takes back an arena that it makes.
func (f *function) ends(p Place) bool {
	for _, k := range f.sites {
		if at, ok := f.place(k); ok && k.ended && at == p {
			return true
		}
	}
	return false
}

// carries reports whether callers need the body of a function that is returned or stored: it has effects on arenas,
// unlocks a mutex, or keeps its requests.
func (f *function) carries(k *Site) bool {
	if s := f.c.Summary(k.fn); s != nil {
		_, keeps := f.c.keeps(k.fn, false, 0)
		return keeps || s.aboutArenas() || s.unlocks()
	}
	return ssaform.Unlocks(catalog.CalleeName(k.fn))
}
