package flow

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// Place names something that a function's caller knows, too: what a path
// leads to from an argument, a captured variable or a global, or an arena that
// the function itself makes and hands out.
type Place struct {
	Param  int    // number of the parameter; captured variables come after them; -1: none
	Global string // package path and name of a global
	Fresh  int    // number of an arena that the function makes
	Path   string // from there
	Off    string // the place is an address: that of this part of the object at Path
}

// SourceKind says how a Source relates to its place.
type SourceKind uint8

const (
	Same   SourceKind = iota + 1 // the value at the place
	Memory                       // memory of the arena at the place
	Handle                       // the arena that the function makes
	Taken                        // a Mark of the arena at the place
	Body                         // a function with its captured variables, in this package
	Again                        // the objects at another path of the same flows: a shared one, or a recursive type's next
)

// Source says where a value comes from.
type Source struct {
	Kind   SourceKind
	At     Place
	Gotten bool          // a Handle that must be put back
	Slab   bool          // Memory of a slab
	Older  bool          // Memory of an earlier turn of a loop
	Type   string        // of the object, where a Memory's is known
	fn     *ssa.Function // of a Body
}

// Flow says that a part of a result, or of what is written to a place, may come
// from a source. A path that goes through a pointer tells of the object behind
// it: callers make one of their own for each object of the function itself.
type Flow struct {
	Path string // of a result it begins with its number, of what is written it is empty at the place
	From Source
}

// Write says what a place may hold when the function returns.
type Write struct {
	To     Place
	Strong bool // it is overwritten on every path
	From   []Flow
	pos    token.Pos // where it is stored, in this package
}

// Effect says what the function does to an arena.
type Effect struct {
	Op     Op
	At     Place
	Mark   Place // of a Rewind
	Must   bool  // on every path
	Locked bool  // only while a mutex is held
	From   Source
	pos    token.Pos
}

// Summary is what callers need to know of a function. It is a fact, so that
// callers in other packages have it, too.
type Summary struct {
	Results []Flow
	Writes  []Write
	Effects []Effect
	Reads   []Read // memory that is read on every path, which the places lead to
	Late    []LateUse
	Makes   bool // a text or a slice that it returns lies on the heap, and the function made it; known with -heap only
}

// AFact marks a Summary as a fact of package analysis.
func (*Summary) AFact() {}

func (s *Summary) String() string {
	return fmt.Sprintf("%d flows, %d writes, %d effects", len(s.Results), len(s.Writes), len(s.Effects))
}

func (s *Summary) empty() bool {
	return len(s.Results) == 0 && len(s.Writes) == 0 && len(s.Effects) == 0 && !s.unlocks() && !s.Makes
}

// unlocks reports whether a mutex is unlocked that callers may know.
func (s *Summary) unlocks() bool {
	return slices.ContainsFunc(s.Reads, func(r Read) bool { return r.Unlock })
}

// aboutArenas reports whether an arena is involved, so that callers are
// concerned, too.
func (s *Summary) aboutArenas() bool {
	isArenas := func(f Flow) bool {
		return f.From.Kind != Same && f.From.Kind != Body && f.From.Kind != Again
	}
	return slices.ContainsFunc(s.Results, isArenas) ||
		slices.ContainsFunc(s.Effects, func(e Effect) bool { return e.Op < OpUnknown || e.Op == OpGoroutine || e.Op == OpDecode }) ||
		slices.ContainsFunc(s.Writes, func(w Write) bool {
			return slices.ContainsFunc(w.From, isArenas)
		})
}

func (p Place) key() string {
	return itoa(p.Param+1) + " " + p.Global + " " + itoa(p.Fresh) + " " + p.Path + " " + p.Off
}

func (s Source) key() string { return itoa(int(s.Kind)) + " " + s.At.key() + " " + s.Type }

// key orders flows, so that equal summaries look equal.
func (f Flow) key() string { return f.Path + " " + f.From.key() }

func (s *Summary) equal(t *Summary) bool {
	return slices.Equal(s.Results, t.Results) && slices.Equal(s.Reads, t.Reads) && slices.Equal(s.Late, t.Late) &&
		slices.EqualFunc(s.Effects, t.Effects, func(a, b Effect) bool { return a == b }) &&
		slices.EqualFunc(s.Writes, t.Writes, func(a, b Write) bool {
			return a.To == b.To && a.Strong == b.Strong && slices.Equal(a.From, b.From)
		})
}

// maxSummary bounds each list of a summary, maxOthers the lists of those that
// no arena is involved in: they only say where arguments go, and a function
// that moves that many is no simple helper.
const (
	maxSummary = 48
	maxOthers  = 6
)

// place is how a caller would name the symbol k.
func (f *function) place(k *Site) (Place, bool) {
	if k == nil {
		return Place{}, false
	}
	switch k.Kind {
	case HandleSite:
		return Place{Param: -1, Fresh: k.id}, k.id != 0
	case SymbolSite:
		switch root := k.root.(type) {
		case *ssa.Parameter:
			return Place{Param: slices.Index(f.fn.Params, root), Path: k.Path}, true
		case *ssa.FreeVar:
			return Place{Param: len(f.fn.Params) + slices.Index(f.fn.FreeVars, root), Path: k.Path}, true
		case *ssa.Global:
			return Place{Param: -1, Global: catalog.PackagePath(root.Pkg.Pkg) + "." + root.Name(), Path: k.Path}, true
		}
	}
	return Place{}, false
}

// source is how a caller would name what a is.
func (f *function) source(a Atom) (Source, bool) {
	if a.Stale != nil {
		return Source{}, false
	}
	switch {
	case a.Site.Kind == MarkSite:
		p, ok := f.place(a.Region)
		return Source{Kind: Taken, At: p}, ok
	case a.Region != nil:
		if a.Site.Slot {
			return Source{}, false
		}
		region := a.Region
		for region.Parent != nil {
			region = region.Parent // whose end is that of its forks' memory
		}
		p, ok := f.place(region)
		return Source{Kind: Memory, At: p, Slab: a.Site.Slab, Older: a.Site.isOld, Type: a.Site.typ}, ok
	case a.Site.Kind == HandleSite:
		p, ok := f.place(a.Site)
		return Source{Kind: Handle, At: p, Gotten: a.Site.gotten && !f.kept[a.Site]}, ok
	case a.Site.Kind == SymbolSite:
		p, ok := f.place(a.Site)
		p.Off = a.off
		return Source{Kind: Same, At: p}, ok
	}
	return Source{}, false
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// summarize describes what holds where the function returns. More than one
// return is joined by the caller of this. It returns nil for a function that
// does too much with its arguments.
func (f *function) summarize(exit *state, results []value) *Summary {
	s := &Summary{Reads: f.readsOf(exit), Late: f.lateOf(exit)}
	for i, v := range results {
		s.Results = append(s.Results, f.flows(exit, v, tuple(i))...)
	}
	for k, o := range exit.cells {
		if k.Kind != SymbolSite {
			continue
		}
		base, ok := f.place(k)
		if !ok {
			continue
		}
		for off, atoms := range o.parts {
			w := Write{To: base, Strong: true}
			w.To.Path += deref + off
			self := k.initial(off)
			for _, a := range atoms {
				if len(self) > 0 && a.Site == self[0].Site && a.off == "" {
					w.Strong = false
					continue
				}
				var from []Flow
				if src, ok := f.source(a); ok && a.Site.Kind != MemorySite {
					from = []Flow{{"", src}}
				} else if a.Site.Kind == LocalSite || a.Site.Kind == MemorySite {
					// An object of the function itself: what it holds counts,
					// and how deep, so that an object on Go's heap that leads
					// to an arena does not seem to lie in it.
					from = f.flows(exit, one(a), "")
				}
				for _, fl := range from {
					if !slices.Contains(w.From, fl) && len(w.From) < maxSummary {
						w.From = append(w.From, fl)
					}
				}
				if at, ok := f.stored[storeKey{k, off, a.Site}]; ok && w.pos == token.NoPos {
					w.pos = at
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
			continue // done to an arena that is nil
		}
		e.Must = must
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
			emptying++ // one for each part of the elements: that is no sign of much being moved
		}
	}
	if !s.aboutArenas() && (len(s.Writes)-emptying > maxOthers || flowsOnly(s.Results) > maxOthers || len(s.Effects) > maxOthers) {
		return nil
	}
	return s
}
