package flow

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
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
	Called                       // what the function at the place returned, Off of its results
	Again                        // the objects at another path of the same flows: a shared one, or a recursive type's next
)

// Source says where a value comes from.
type Source struct {
	Kind   SourceKind
	At     Place
	Gotten bool          // a Handle that must be put back
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
	Mark   Place // of a Rewind; of OpYields the number of the argument
	Must   bool  // on every path
	Locked bool  // only while a mutex is held
	From   Source
	pos    token.Pos
}

// Summary tells callers about a function. It is a fact, so that
// callers in other packages have it, too.
type Summary struct {
	Results []Flow
	Writes  []Write
	Effects []Effect
	Reads   []Read // memory that is read on every path, which the places lead to
	Late    []LateUse
	Makes   bool   // a text or a slice that it returns lies on the heap, and the function made it; known with -heap only
	Twin    string // the function that it is, with a nil arena
}

// AFact marks a Summary as a fact of package analysis.
func (*Summary) AFact() {}

func (s *Summary) String() string {
	return fmt.Sprintf("%d flows, %d writes, %d effects", len(s.Results), len(s.Writes), len(s.Effects))
}

func (s *Summary) empty() bool {
	return len(s.Results) == 0 && len(s.Writes) == 0 && len(s.Effects) == 0 && !s.unlocks() && !s.Makes && s.Twin == ""
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
		slices.ContainsFunc(s.Effects, func(e Effect) bool {
			return e.Op < OpUnknown || e.Op == OpGoroutine || e.Op == OpDecode || e.Op == OpYields || e.Op == OpServe
		}) ||
		slices.ContainsFunc(s.Writes, func(w Write) bool {
			return slices.ContainsFunc(w.From, isArenas)
		})
}

func (p Place) key() string {
	return strconv.Itoa(p.Param+1) + " " + p.Global + " " + strconv.Itoa(p.Fresh) + " " + p.Path + " " + p.Off
}

func (s Source) key() string { return strconv.Itoa(int(s.Kind)) + " " + s.At.key() + " " + s.Type }

// key orders flows, so that equal summaries look equal.
func (f Flow) key() string { return f.Path + " " + f.From.key() }

func (s *Summary) equal(t *Summary) bool {
	return same(s.Results, t.Results) && same(s.Reads, t.Reads) && same(s.Late, t.Late) &&
		slices.EqualFunc(s.Effects, t.Effects, func(a, b Effect) bool { return a == b }) &&
		slices.EqualFunc(s.Writes, t.Writes, func(a, b Write) bool {
			return a.To == b.To && a.Strong == b.Strong && slices.Equal(a.From, b.From)
		})
}

// adds reports whether s tells callers more than t, an earlier summary of the same function.
// Where t names as many flows as it may, these are others each time that functions which call
// each other are looked at: then only sources that t has not count, and not how deep they lie.
func (s *Summary) adds(t *Summary) bool {
	return !t.full() || !same(s.Reads, t.Reads) || !same(s.Late, t.Late) || !slices.Equal(s.Effects, t.Effects) || moreSources(s.Results, t.Results) ||
		slices.ContainsFunc(s.Writes, func(w Write) bool {
			i := slices.IndexFunc(t.Writes, func(x Write) bool { return x.To == w.To && x.Strong == w.Strong })
			return i < 0 || moreSources(w.From, t.Writes[i].From)
		})
}

// full reports whether s may have more flows than it names.
func (s *Summary) full() bool {
	return len(s.Results) >= maxSummary || slices.ContainsFunc(s.Writes, func(w Write) bool { return len(w.From) >= maxSummary })
}

// moreSources reports whether a source of flows is none of those of earlier ones, in the same
// result if they are of results.
func moreSources(flows, earlier []Flow) bool {
	sources := func(list []Flow) map[Flow]bool {
		out := map[Flow]bool{}
		for _, fl := range list {
			if fl.From.Kind != Again {
				part, _, _ := strings.Cut(fl.Path, access.Deref)
				out[Flow{part, Source{Kind: fl.From.Kind, At: fl.From.At, fn: fl.From.fn}}] = true
			}
		}
		return out
	}
	had := sources(earlier)
	for fl := range sources(flows) {
		if !had[fl] {
			return true
		}
	}
	return false
}

// same reports whether s and t have the same members, each once.
func same[T comparable](s, t []T) bool {
	return slices.Equal(s, t) || len(s) == len(t) && !slices.ContainsFunc(s, func(x T) bool { return !slices.Contains(t, x) })
}

// maxSummary bounds each list of a summary, maxOthers the lists of those that
// no arena is involved in: they only say where arguments go, and a function
// that moves that many is no simple helper.
const (
	maxSummary = 48
	maxOthers  = 6
)

// Read is memory that a function reads.
type Read struct {
	At     Place
	Unlock bool // to give back a mutex
}

// LateUse says that the function uses what is at a place after it has taken an
// arena back.
type LateUse struct {
	At     Place
	Arena  Place
	By     Op
	Unlock bool      // by giving back a mutex
	pos    token.Pos // of the use
	ended  token.Pos
}

// maxReads bounds what is noted of one function.
const maxReads = 16

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
			return body.From.Kind == Body && (fl == body || strings.HasPrefix(fl.Path, body.Path+access.Deref))
		})
	})
}

// empties reports whether w does as emptied, seen by a caller: elements or
// keys that are all overwritten on every path.
func (w *Write) empties() bool {
	within := w.To.Path[strings.LastIndex(w.To.Path, access.Deref)+len(access.Deref):] // the object that the last pointer leads to
	return w.Strong && (strings.Contains(within, access.Element) || strings.Contains(within, access.Key))
}

// flowsOnly is how many of flows are more than a way back to the others.
func flowsOnly(flows []Flow) int {
	n := 0
	for _, fl := range flows {
		if fl.From.Kind != Again {
			n++
		}
	}
	return n
}

// weakWrites returns what a function may write that may be called or not.
func weakWrites(s *Summary) []Write {
	list := make([]Write, len(s.Writes))
	for i, w := range s.Writes {
		w.Strong = false
		list[i] = w
	}
	return list
}
