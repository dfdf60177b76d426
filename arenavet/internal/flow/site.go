package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// SiteKind is the origin of a site's objects.
type SiteKind uint8

const (
	LocalSite  SiteKind = iota // an object of the function on Go's heap or stack, or a closure
	MemorySite                 // an object in an arena or a slot
	HandleSite                 // an arena that the function makes or gets
	MarkSite                   // a Mark
	SymbolSite                 // an object that a parameter, captured variable, global or unknown value leads to
)

// Site stands for all objects that one instruction makes, or that one path from a parameter leads to.
type Site struct {
	Kind  SiteKind
	root  ssa.Value              // of a symbol
	Path  string                 // of a symbol: the path from the root
	child func(off string) *Site // of a symbol: its initial contents

	Pos      token.Pos // where it is made
	fn       *ssa.Function
	bindings int     // number of captured variables of a closure
	gotten   bool    // of a handle: it must be put back
	box      bool    // of an interface: values asserted from it are copies
	Slot     bool    // a slot of a fixedpool, which is its own region
	bit      uint64  // of a mark
	id       int     // of a handle: its number within the function, from 1
	typ      string  // type of the object, or empty
	Parent   *Site   // of a fork: its arena
	number   int     // within the function; older has the next number
	called   *Source // of memory: it is the result of an argument, and may be anything
	tag      string  // of a registrar or option, or the name of a function that keeps its requests; see tagAdapter
	hint     uint64  // one bit, which other sites may share: a quick test that a site is not in a set

	owned     bool      // an arena that a goroutine puts back
	kept      bool      // an arena that is returned and also held elsewhere
	ended     bool      // an arena that the function takes back, on some path
	fallible  ssa.Value // of an arena: its call, if that also returns an error or a flag
	firstPart string    // of an arena: its first place in the result of a call

	// older stands for the objects of the same instruction in earlier iterations of a loop. Nothing is reported of
	// them, because it is unknown which one is meant.
	older  *Site
	isOld  bool
	remade bool // set while older replaces it
}

// initial returns the contents of a cell before the first store.
func (k *Site) initial(off string) []Atom {
	if k.Kind != SymbolSite || k.child == nil {
		return nil
	}
	return []Atom{{Site: k.child(off)}}
}

// endsWith reports whether an arena is k or a fork of k.
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

// Atom is one possible value: a pointer (slice, string, map, interface) to a place in a site.
type Atom struct {
	Site   *Site
	off    string // path within the site
	Region *Site  // the handle of the arena, of memory or a mark
	Stale  *Event // the event that took it back, or nil
	after  uint64 // marks taken before it was allocated
}

// Event is a call that takes memory back.
type Event struct {
	Op       Op
	Pos      token.Pos
	Deferred bool
	Name     string // of the called function
}

// union returns list with more added, up to maxEntries. It does not change list.
func union[S ~[]E, E comparable](list, more S) S {
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
			list = append(make(S, 0, min(maxEntries, had+len(more)-i)), list...)
			fallthrough
		default:
			list = append(list, more[i])
		}
	}
	return list
}

// ofEarlierTurns returns a in earlier iterations of a loop.
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

// maxEntries is the maximum size of a value. Further entries are dropped.
const maxEntries = 16

// SymbolName returns the source form of a symbol, or "".
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

// mayBeHandle reports whether a site may be an arena. Values that went through interfaces and summaries may seem to
// lead to one in spite of their types.
func mayBeHandle(k *Site) bool {
	if k.Kind != SymbolSite || OfContext(k) {
		return k.Kind == HandleSite || OfContext(k)
	}
	_, t, ok := symbolType(k)
	if !ok {
		return t != nil && types.IsInterface(t) // it may hold an arena
	}
	return catalog.IsHandle(t) || types.IsInterface(t)
}

// symbolType follows a symbol's path through the types. It returns the fields on the way, as in the source, and the
// final type. ok is false if the path goes on behind an interface, whose type it returns then, or through elements.
func symbolType(k *Site) (fields string, t types.Type, ok bool) {
	t = k.root.Type()
	for step := range strings.SplitAfterSeq(k.Path, ";") {
		if step == "" || step[0] == 'r' {
			continue
		}
		switch u := types.Unalias(t).Underlying().(type) {
		case *types.Pointer, *types.Tuple:
		case *types.Struct:
			if n, err := strconv.Atoi(step[1 : len(step)-1]); err == nil && n < u.NumFields() {
				fields += "." + u.Field(n).Name()
			}
		default:
			if step != access.Deref {
				t = nil
			}
			return "", t, false
		}
		if t = access.TypeAlong(t, step); t == nil {
			return "", nil, false
		}
	}
	return fields, t, true
}

// isFunction reports whether a symbol is a function that no object holds.
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

// coordinates reports whether a symbol is an arena, whose users are counted elsewhere, or is meant to be shared, as a
// WaitGroup is.
func coordinates(k *Site) bool {
	_, t, ok := symbolType(k)
	if !ok || catalog.IsHandle(t) {
		return ok
	}
	pkg, _ := catalog.NameOf(t)
	return pkg == "sync"
}

// OfContext reports whether a symbol is the arena of a context, which ends with the request.
func OfContext(k *Site) bool {
	if k == nil || k.Kind != SymbolSite {
		return false
	}
	call, ok := k.root.(*ssa.Call)
	return strings.HasSuffix(k.Path, access.Deref+access.Source) ||
		ok && k.Path == "" && call.Call.StaticCallee() != nil && catalog.CalleeName(call.Call.StaticCallee()) == catalog.ArenaPath+".FromContext"
}

// isGiven reports whether k is an argument, or the content of a captured variable.
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

// FaultKind is the kind of a Fault.
type FaultKind uint8

const (
	FaultUse       FaultKind = iota + 1 // use of memory that Of.Stale took back
	FaultHandle                         // use of an arena that Of.Stale took back
	FaultLate                           // use of memory by a callee, Via, that took it back itself, by Op
	FaultReturn                         // result N is, or leads to, memory or an arena that Of.Stale took back
	FaultKept                           // memory that Of.Stale took back is stored in an object that outlives the function
	FaultLent                           // memory of Arena was given away, How, and By takes it back while it may be in use
	FaultTwice                          // second Put or Deallocate, Op, of an arena or slot that Of.Stale took back
	FaultLost                           // Arena is not put back on the path that returns at Pos, or before its Get runs again if Pos is invalid
	FaultMark                           // Rewind to a mark that Of.Stale made stale
	FaultShared                         // Arena is used by the goroutine started at Pos, or that received it (Given), and at Other or by the caller
	FaultFork                           // Of, a fork of Arena, is used by the goroutine started at Pos, and Arena is taken back at Other
	FaultForkPut                        // Put of a fork
	FaultUnwritten                      // read of memory that was never written
	FaultAppend                         // builtin append, Call, to memory of an arena
	FaultSink                           // memory is passed to the collector's API, or is the body of a client's request, Op, by Via
	FaultRequest                        // Via, one or more handlers, keep their requests
)

// Fault is the use of a dead value, or a flow of a live value to a place where it will be dead.
type Fault struct {
	Kind   FaultKind
	Pos    token.Pos // where to report it
	Of     Atom      // the value
	Arena  *Site     // the value's arena, or the arena itself
	Other  token.Pos // the other use, or invalid
	By     *Event    // what takes it back
	Op     Op
	Via    string    // the callee at fault, or empty
	How    string    // how it was given away, such as "sent on a channel"
	N      int       // number of the result
	Unlock bool      // the use unlocks a mutex
	Given  bool      // the arena was sent on a channel
	Call   *ssa.Call // of append
}
