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

// Op is an effect of a call on an arena.
type Op uint8

const (
	OpReset Op = iota + 1
	OpRelease
	OpPut
	OpRewind
	OpDeallocate
	OpUse       // allocates, or does something else that only the owner may do
	OpUnknown   // passes it to unknown code
	OpGoroutine // a goroutine goes on using it
	OpSent      // sends the value on a channel, or a goroutine goes on using it
	OpRuns      // a goroutine goes on that may call the function
	OpWait      // waits for other goroutines
	OpFinalizer // passes the value to runtime.SetFinalizer
	OpCleanup   // to runtime.AddCleanup
	OpWeak      // to weak.Make
	OpUnique    // to unique.Make
	OpBody      // uses the value as the body of a client's request
	OpDecode    // decodes a document into the value, with memory of the arena
	OpKeep      // takes ownership of the arena of its gRPC call
	OpServe     // registers, with the registrar at Mark, the service at At, or handlers that keep requests: From.Type
	OpYields    // calls the function at At with the value
)

func (o Op) String() string {
	return [...]string{OpReset: "Reset", OpRelease: "Release", OpPut: "Put", OpRewind: "Rewind", OpDeallocate: "Deallocate", OpUse: "use"}[min(o, OpUse)]
}

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
	Tagged                       // an object or function with the tag Type
	Again                        // the objects at another path of the same flows: shared, or the next of a recursive type
)

// Source is the origin of a value.
type Source struct {
	Kind   SourceKind
	At     Place
	Gotten bool          // of Handle: it must be put back; of OpYields: the function takes it back
	Older  bool          // of Memory: allocated in an earlier iteration of a loop
	Type   string        // of the object of a Memory, or empty; of Tagged: the tag
	fn     *ssa.Function // of a Body
}

// tagAdapter is the tag of registrars and options of adapters, which decode requests into arenas. Other tags name
// functions that keep their requests.
const tagAdapter = "an adapter"

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
	Uses    []Access
	Twin    string // see Package.Twin
}

// AFact marks a Summary as a fact of package analysis.
func (*Summary) AFact() {}

func (s *Summary) String() string {
	return fmt.Sprintf("%d flows, %d writes, %d effects", len(s.Results), len(s.Writes), len(s.Effects))
}

func (s *Summary) empty() bool {
	return len(s.Results) == 0 && len(s.Writes) == 0 && len(s.Effects) == 0 && !s.unlocks() && s.Twin == ""
}

// unlocks reports whether a mutex of callers is unlocked.
func (s *Summary) unlocks() bool {
	return slices.ContainsFunc(s.Uses, func(u Access) bool { return u.By == 0 && u.Unlock })
}

// aboutArenas reports whether callers deal with arenas by calling the function.
func (s *Summary) aboutArenas() bool {
	isArenas := func(f Flow) bool {
		return f.From.Kind != Same && f.From.Kind != Body && f.From.Kind != Again && (f.From.Kind != Tagged || f.From.Type == tagAdapter)
	}
	return slices.ContainsFunc(s.Results, isArenas) ||
		slices.ContainsFunc(s.Effects, func(e Effect) bool {
			return e.Op < OpUnknown || e.Op == OpGoroutine || e.Op == OpDecode || e.Op == OpServe || e.Op == OpYields && e.From.Kind != Same
		}) ||
		slices.ContainsFunc(s.Writes, func(w Write) bool {
			return slices.ContainsFunc(w.From, isArenas)
		})
}

// ofContext reports whether s is memory of the arena of a context.
func (s Source) ofContext() bool {
	return s.Kind == Memory && strings.HasSuffix(s.At.Path, access.Deref+access.Source)
}

func (p Place) key() string {
	return strconv.Itoa(p.Param+1) + " " + p.Global + " " + strconv.Itoa(p.Fresh) + " " + p.Path + " " + p.Off
}

func (s Source) key() string { return strconv.Itoa(int(s.Kind)) + " " + s.At.key() + " " + s.Type }

// key orders flows, so that equal summaries have equal lists.
func (f Flow) key() string { return f.Path + " " + f.From.key() }

func (s *Summary) equal(t *Summary) bool {
	return same(s.Results, t.Results) && same(s.Uses, t.Uses) &&
		slices.EqualFunc(s.Effects, t.Effects, func(a, b Effect) bool { return a == b }) &&
		slices.EqualFunc(s.Writes, t.Writes, func(a, b Write) bool {
			return a.To == b.To && a.Strong == b.Strong && slices.Equal(a.From, b.From)
		})
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

// Access is a use of memory of callers on every path: before the function takes an arena back, or after it has taken back
// Arena.
type Access struct {
	At     Place
	Arena  Place
	By     Op        // that took Arena back, or 0
	Unlock bool      // it unlocks a mutex
	pos    token.Pos // of a use after that
	ended  token.Pos
}

// maxUses bounds the uses of a summary.
const maxUses = 32

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

// keeps reports whether a handler keeps the part at path of parameter param beyond the call, or the parameter itself, or
// memory of the arena of a context. A stream may be kept, but not its messages. An interceptor may pass the whole request
// to a goroutine, because a handler that goes on keeps its arena. pos is the position of the store in this package.
func (s *Summary) keeps(param int, path string, handler bool) (pos token.Pos, ok bool) {
	request := func(src Source) bool {
		return src.ofContext() || src.Kind == Same && src.At.Param == param && (strings.HasPrefix(src.At.Path, path) || src.At.Path == "" && !strings.HasSuffix(path, access.Element))
	}
	for _, w := range s.Writes {
		if w.To.Param != param && slices.ContainsFunc(w.From, func(fl Flow) bool { return request(fl.From) }) {
			return w.pos, true
		}
	}
	for _, e := range s.Effects {
		if e.Op >= OpSent && e.Op <= OpUnique && request(e.From) && (handler || e.From.At.Path != "") {
			return e.pos, true
		}
	}
	return token.NoPos, false
}

// weak returns the summary of a function that may not be called: its writes, and the effects that count then.
func (s *Summary) weak(counts func(Effect) bool) *Summary {
	out := new(Summary)
	for _, w := range s.Writes {
		w.Strong = false
		out.Writes = append(out.Writes, w)
	}
	for _, e := range s.Effects {
		if counts(e) {
			e.Must = false
			out.Effects = append(out.Effects, e)
		}
	}
	return out
}
