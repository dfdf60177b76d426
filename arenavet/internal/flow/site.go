package flow

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// SiteKind is what a Site stands for.
type SiteKind uint8

const (
	LocalSite  SiteKind = iota // an object of Go's own memory that the function makes, or a closure
	MemorySite                 // an object in an arena, a slab or a slot
	HandleSite                 // an arena or slab that the function makes or gets
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
	Slab     bool      // memory of a slab, which has no Append
	uninit   bool      // memory that is not zeroed
	Slot     bool      // a slot of a fixedpool: its own region
	bit      uint64    // of a mark
	id       int       // of a handle: number within the function, from 1
	owner    ssa.Value // memory: the argument that the arena was given as
	typ      string    // of the object, where it is known
	Parent   *Site     // of a handle that is a fork

	// older stands for those that the same instruction made in earlier turns
	// of a loop. Nothing is known of which of them is meant, so nothing is
	// reported that depends on it.
	older *Site
	isOld bool
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
	return k.Kind == SymbolSite && (strings.Contains(k.Path, element) || strings.Contains(k.Path, any_) || strings.Contains(k.Path, keyStep) || strings.Contains(k.Path, recur))
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

func addAtom(list []Atom, a Atom) []Atom {
	for _, x := range list {
		if x == a {
			return list
		}
	}
	if len(list) >= maxEntries {
		return list
	}
	return append(list[:len(list):len(list)], a)
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
