package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// SiteKind tells objects apart by how they come to be.
type SiteKind uint8

const (
	LocalSite  SiteKind = iota // an object of Go's own memory that the function makes, or a closure
	MemorySite                 // an object in an arena or a slot
	HandleSite                 // an arena that the function makes or gets
	MarkSite                   // a Mark
	SymbolSite                 // what a parameter, captured variable, global or unknown value leads to
)

// Site is an object as the analysis sees it: all objects that one instruction
// makes, or all that one path from a parameter leads to.
type Site struct {
	Kind  SiteKind
	root  ssa.Value              // of a symbol
	Path  string                 // of a symbol: how it is reached from the root
	child func(off string) *Site // of a symbol: what it holds at first

	Pos      token.Pos // where it is made
	fn       *ssa.Function
	bindings int       // how many variables the closure captures
	gotten   bool      // a handle that must be put back
	uninit   bool      // memory that is not zeroed
	box      bool      // of an interface: what is asserted of that is copied from it
	Slot     bool      // a slot of a fixedpool: its own region
	bit      uint64    // of a mark
	id       int       // of a handle: number within the function, from 1
	owner    ssa.Value // memory: the argument that the arena was given as
	typ      string    // of the object, where it is known
	Parent   *Site     // of a handle that is a fork
	number   int       // within the function; the one after it is that of older
	called   *Source   // memory: what an argument returned, which may be anything
	wrapped  bool      // a registrar that arenagrpc.Wrap returned
	hint     uint64    // one bit, which other sites may have as well: a quick way to tell that they are not in a set

	// older stands for those that the same instruction made in earlier turns
	// of a loop. Nothing is known of which of them is meant, so nothing is
	// reported that depends on it.
	older  *Site
	isOld  bool
	remade bool // while older takes the place of it
}

// initial returns what a cell holds before anything was stored into it.
func (k *Site) initial(off string) []Atom {
	if k.Kind != SymbolSite || k.child == nil {
		return nil
	}
	return []Atom{{Site: k.child(off)}}
}

// endsWith reports whether an arena is k, or a fork of it.
func endsWith(arena, k *Site) bool {
	for ; arena != nil; arena = arena.Parent {
		if arena == k {
			return true
		}
	}
	return false
}

// summarySymbol reports whether a symbol stands for several objects.
func summarySymbol(k *Site) bool {
	return k.Kind == SymbolSite && (strings.Contains(k.Path, access.Element) || strings.Contains(k.Path, access.Anything) || strings.Contains(k.Path, access.Key) || strings.Contains(k.Path, access.Recur))
}

// Atom is one thing that a value may be: a pointer (slice, string, map,
// interface) to a place in a site.
type Atom struct {
	Site   *Site
	off    string // a path within the site
	Region *Site  // the arena's handle if it is memory of an arena, or a mark of one
	Stale  *Event // what took it back, nil while it is good
	after  uint64 // the marks that were taken before it was allocated
}

// Event is a call that takes memory back.
type Event struct {
	Op       Op
	Pos      token.Pos
	Deferred bool
	Name     string // of the function that was called
}

func (e *Event) name() string {
	if e == nil {
		return ""
	}
	return e.Name
}

// addAtoms adds each of more to a list, which is not changed.
func addAtoms(list, more []Atom) []Atom {
	switch {
	case len(more) == 0 || len(list) > 0 && len(list) >= len(more) && &list[0] == &more[0]:
		return list
	case len(list) == 0:
		return more
	}
	had := len(list)
	for i := range more {
		switch {
		case i < had && list[i] == more[i], slices.Contains(list, more[i]):
		case len(list) >= maxEntries:
			return list
		case len(list) == had:
			list = append(make([]Atom, 0, min(maxEntries, had+len(more)-i)), list...)
			fallthrough
		default:
			list = append(list, more[i])
		}
	}
	return list
}

// ofEarlierTurns returns what a was in the turns of a loop before this one.
func (a Atom) ofEarlierTurns() []Atom {
	var list []Atom
	if a.Site.older != nil {
		b := a
		b.Site = a.Site.older
		list = append(list, b)
	}
	if a.Region != nil && a.Region.older != nil {
		b := a
		b.Region = a.Region.older
		list = append(list, b)
	}
	return list
}

// maxEntries bounds a value: what is beyond is forgotten.
const maxEntries = 16

// SymbolName is how the source would write what a symbol stands for.
func SymbolName(k *Site, names map[token.Pos]string) string {
	name := k.root.Name()
	switch k.root.(type) {
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Global:
	default:
		if name = names[k.root.Pos()]; name == "" {
			return ""
		}
	}
	fields, _, ok := symbolType(k)
	if !ok || strings.Contains(k.Path, access.Recur) {
		return ""
	}
	return name + fields
}

// mayBeHandle reports whether a site may be an arena. Values that went
// through interfaces and summaries may seem to lead to one where their types
// say that they don't.
func mayBeHandle(k *Site) bool {
	if k.Kind != SymbolSite {
		return k.Kind == HandleSite
	}
	_, t, ok := symbolType(k)
	if !ok {
		return t != nil && types.IsInterface(t) // behind which it may be one
	}
	return catalog.IsHandle(t) || types.IsInterface(t)
}

// symbolType follows a symbol's path through the types, and returns the fields
// on the way, as the source writes them, and the type at its end.
func symbolType(k *Site) (fields string, t types.Type, ok bool) {
	t = k.root.Type()
	for step := range strings.SplitSeq(strings.TrimSuffix(k.Path, ";"), ";") {
		switch {
		case step == "", step[0] == 'r':
		case step == "*":
			p, ok := types.Unalias(t).Underlying().(*types.Pointer)
			if !ok {
				return "", t, false
			}
			t = p.Elem()
		case step[0] == 'f':
			s, ok := types.Unalias(t).Underlying().(*types.Struct)
			n := 0
			for _, r := range step[1:] {
				n = 10*n + int(r-'0')
			}
			if !ok || n >= s.NumFields() {
				return "", nil, false
			}
			fields += "." + s.Field(n).Name()
			t = s.Field(n).Type()
		case step[0] == 't':
			s, ok := t.(*types.Tuple)
			n := int(step[1] - '0')
			if !ok || n >= s.Len() {
				return "", nil, false
			}
			t = s.At(n).Type()
		default:
			return "", nil, false
		}
	}
	return fields, t, true
}

// isFunction reports whether a symbol is a function itself, not one that some
// object holds.
func isFunction(k *Site) bool {
	if k.Kind != SymbolSite {
		return false
	}
	fields, t, ok := symbolType(k)
	if !ok || fields != "" {
		return false
	}
	_, ok = t.Underlying().(*types.Signature)
	return ok
}

// coordinates reports whether a symbol is there to be shared, as a WaitGroup is, or an
// arena, whose users are counted elsewhere.
func coordinates(k *Site) bool {
	_, t, ok := symbolType(k)
	if !ok || catalog.IsHandle(t) {
		return ok
	}
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && catalog.PackagePath(named.Obj().Pkg()) == "sync"
}

// isGiven reports whether k is an argument, or a captured variable's content.
func isGiven(k *Site) bool {
	if k.Kind != SymbolSite {
		return false
	}
	switch k.root.(type) {
	case *ssa.Parameter:
		return !strings.Contains(k.Path, access.Deref)
	case *ssa.FreeVar:
		return k.Path == access.Deref
	}
	return false
}
