package flow

import (
	"slices"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// keptByCleanup notes the arenas that a, if it is a function that leaves with
// them, puts back or gives to unknown code: who calls it needs no other Put.
func (f *function) keptByCleanup(st *state, a Atom) {
	if a.Site.fn == nil {
		return
	}
	keep := func(v value) {
		st.reach(v, func(b Atom, _ int) {
			if b.Site.gotten && b.Region == nil {
				f.kept[b.Site] = true
			}
		})
	}
	for _, t := range f.closures(st, one(a), make([]value, a.Site.fn.Signature.Params().Len())) {
		s := f.c.Summary(t.fn)
		if s == nil {
			keep(one(a))
			continue
		}
		for _, e := range s.Effects {
			if e.Op == OpPut || e.Op == OpUnknown {
				keep(f.resolve(st, nil, e.At, t.args))
			}
		}
	}
}

// carries reports whether callers should know the body of k, a function that is
// returned or stored: if it does something to arenas, or unlocks a mutex.
func (f *function) carries(k *Site) bool {
	if s := f.c.Summary(k.fn); s != nil {
		return s.aboutArenas() || s.unlocks()
	}
	return unlocks(catalog.CalleeName(k.fn))
}

// withoutBodies is s as other packages get it, who don't see what a function
// that they are given does.
func (s *Summary) withoutBodies() *Summary {
	out := *s
	out.Results = withoutBodies(s.Results)
	out.Writes = nil
	for _, w := range s.Writes {
		had := len(w.From)
		if w.From = withoutBodies(w.From); len(w.From) > 0 || had == 0 || w.Strong {
			out.Writes = append(out.Writes, w)
		}
	}
	return &out
}

func withoutBodies(flows []Flow) []Flow {
	return slices.DeleteFunc(slices.Clone(flows), func(fl Flow) bool {
		return slices.ContainsFunc(flows, func(body Flow) bool {
			return body.From.Kind == Body && (fl == body || strings.HasPrefix(fl.Path, body.Path+deref))
		})
	})
}
