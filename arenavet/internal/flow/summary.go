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

// Place names something that callers also know: the end of a path from an argument, captured variable or global, or an
// arena that the function makes and hands out.
type Place struct {
	Param  int    // number of the parameter, or of the captured variable, which come after them; -1: none
	Global string // package path and name
	Fresh  int    // number of an arena of the function
	Path   string // from there
	Off    string // if set, the address of this part of the object at Path; of Called, the part of the results
}

// SourceKind is the relation of a Source to its place.
type SourceKind uint8

const (
	Same   SourceKind = iota + 1 // the value at the place
	Memory                       // memory of the arena at the place
	Handle                       // the arena of the function
	Taken                        // a Mark of the arena at the place
	Body                         // a function literal with its captured variables, in this package
	Called                       // a result of the function at the place
	Again                        // the objects at another path of the same flows: shared, or the next of a recursive type
)

// Source is the origin of a value.
type Source struct {
	Kind   SourceKind
	At     Place
	Gotten bool          // of Handle: it must be put back; of OpYields: the function takes it back
	Older  bool          // of Memory: allocated in an earlier iteration of a loop
	Type   string        // of the object of a Memory, or empty
	fn     *ssa.Function // of a Body
}

// Flow says that the part of a result, or of a write, at Path may come from a source. A path through a pointer
// describes the object behind it, which callers make for themselves.
type Flow struct {
	Path string // begins with the number of the result; empty is the written place
	From Source
}

// Write is the possible contents of a place when the function returns.
type Write struct {
	To     Place
	Strong bool // on every path
	From   []Flow
	pos    token.Pos // of the store, in this package
}

// Effect is an effect of the function on an arena.
type Effect struct {
	Op     Op
	At     Place
	Mark   Place // of OpRewind; of OpYields the number of the argument; of OpServe the registrar
	Must   bool  // on every path
	Locked bool  // only while holding a mutex
	From   Source
	pos    token.Pos
}

// Summary describes a function to its callers. It is a fact.
type Summary struct {
	Results []Flow
	Writes  []Write
	Effects []Effect
	Reads   []Read // memory that is read on every path
	Late    []LateUse
	Makes   bool   // it allocates the string or slice it returns; set with -heap only
	Twin    string // see Package.Twin
}

// AFact marks a Summary as a fact of package analysis.
func (*Summary) AFact() {}

func (s *Summary) String() string {
	return fmt.Sprintf("%d flows, %d writes, %d effects", len(s.Results), len(s.Writes), len(s.Effects))
}

func (s *Summary) empty() bool {
	return len(s.Results) == 0 && len(s.Writes) == 0 && len(s.Effects) == 0 && !s.unlocks() && !s.Makes && s.Twin == ""
}

// unlocks reports whether a mutex of callers is unlocked.
func (s *Summary) unlocks() bool {
	return slices.ContainsFunc(s.Reads, func(r Read) bool { return r.Unlock })
}

// aboutArenas reports whether callers deal with arenas by calling the function.
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

// key orders flows, so that equal summaries have equal lists.
func (f Flow) key() string { return f.Path + " " + f.From.key() }

func (s *Summary) equal(t *Summary) bool {
	return same(s.Results, t.Results) && same(s.Reads, t.Reads) && same(s.Late, t.Late) &&
		slices.EqualFunc(s.Effects, t.Effects, func(a, b Effect) bool { return a == b }) &&
		slices.EqualFunc(s.Writes, t.Writes, func(a, b Write) bool {
			return a.To == b.To && a.Strong == b.Strong && slices.Equal(a.From, b.From)
		})
}

// adds reports whether s says more than t, an earlier summary of the same function. The flows of a full summary vary
// from round to round in mutually recursive functions. Then only new sources count.
func (s *Summary) adds(t *Summary) bool {
	return !t.full() || !same(s.Reads, t.Reads) || !same(s.Late, t.Late) || !slices.Equal(s.Effects, t.Effects) || moreSources(s.Results, t.Results) ||
		slices.ContainsFunc(s.Writes, func(w Write) bool {
			i := slices.IndexFunc(t.Writes, func(x Write) bool { return x.To == w.To && x.Strong == w.Strong })
			return i < 0 || moreSources(w.From, t.Writes[i].From)
		})
}

// full reports whether s may have dropped flows.
func (s *Summary) full() bool {
	return len(s.Results) >= maxSummary || slices.ContainsFunc(s.Writes, func(w Write) bool { return len(w.From) >= maxSummary })
}

// moreSources reports whether flows have a source that earlier do not have, in the same result.
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

// same reports whether s and t have the same members. Members are unique.
func same[T comparable](s, t []T) bool {
	return slices.Equal(s, t) || len(s) == len(t) && !slices.ContainsFunc(s, func(x T) bool { return !slices.Contains(t, x) })
}

// maxSummary bounds each list of a summary. maxOthers bounds the lists of summaries that do not involve arenas: a
// function that moves more of its arguments is no simple helper.
const (
	maxSummary = 48
	maxOthers  = 6
)

// Read is a read of memory of callers.
type Read struct {
	At     Place
	Unlock bool // it unlocks a mutex
}

// LateUse is a use after the function has taken an arena back.
type LateUse struct {
	At     Place
	Arena  Place
	By     Op
	Unlock bool      // it unlocks a mutex
	pos    token.Pos // of the use
	ended  token.Pos
}

// maxReads bounds the reads of a summary.
const maxReads = 16

// withoutBodies returns s for other packages, which cannot see the bodies of function literals.
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

// empties reports whether w overwrites all elements or keys on every path.
func (w *Write) empties() bool {
	within := w.To.Path[strings.LastIndex(w.To.Path, access.Deref)+len(access.Deref):] // the object behind the last pointer
	return w.Strong && (strings.Contains(within, access.Element) || strings.Contains(within, access.Key))
}

// flowsOnly returns the number of flows that are not references to others.
func flowsOnly(flows []Flow) int {
	n := 0
	for _, fl := range flows {
		if fl.From.Kind != Again {
			n++
		}
	}
	return n
}

// weakWrites returns the writes of a function that may not be called.
func weakWrites(s *Summary) []Write {
	list := make([]Write, len(s.Writes))
	for i, w := range s.Writes {
		w.Strong = false
		list[i] = w
	}
	return list
}
