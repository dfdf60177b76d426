package flow

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// A path is a chain of steps, each of which ends with a semicolon, so that a
// prefix of the text is a prefix of the chain:
//
//	f2;  field 2 of a struct
//	t1;  result 1 of a call
//	e;   an element of an array, slice or map, or a key
//	*;   what is behind a pointer, slice, map or interface
//	r1;  the last pointer of the path again, any number of times: see fold
//	?;   anything that can be reached from here: paths have a limited depth
const (
	deref   = "*;"
	element = "e;"
	any_    = "?;"
	recur   = "r"
)

func field(i int) string { return "f" + itoa(i) + ";" }
func tuple(i int) string { return "t" + itoa(i) + ";" }

func itoa(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return itoa(i/10) + itoa(i%10)
}

// maxDerefs is how many pointers of a path from an argument are told apart, though
// they are of the same kind.
const maxDerefs = 3

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

// Event is a call that takes memory back.
type Event struct {
	Op       Op
	Pos      token.Pos
	Deferred bool
	Name     string // of the function that was called
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

// entry says that the part of a value at path may be a.
type entry struct {
	path string
	a    Atom
}

// value is all that an SSA value may be. Nil is a value without pointers, or
// one that nothing is known of.
type value []entry

// maxEntries bounds a value: what is beyond is forgotten.
const maxEntries = 16

func (v value) add(e entry) value {
	for _, x := range v {
		if x == e {
			return v
		}
	}
	if len(v) >= maxEntries {
		return v
	}
	return append(v[:len(v):len(v)], e)
}

func (v value) union(w value) value {
	for _, e := range w {
		v = v.add(e)
	}
	return v
}

// sel is the part of v at path.
func (v value) sel(path string) value {
	if path == "" {
		return v
	}
	var out value
	for _, e := range v {
		if rest, ok := strings.CutPrefix(e.path, path); ok {
			out = out.add(entry{rest, e.a})
		}
	}
	return out
}

// under is v as the part at path of something larger.
func (v value) under(path string) value {
	if path == "" {
		return v
	}
	out := make(value, 0, len(v))
	for _, e := range v {
		out = out.add(entry{path + e.path, e.a})
	}
	return out
}

// at moves the pointers of v to a place within what they point to.
func (v value) at(off string) value {
	if off == "" {
		return v
	}
	var out value
	for _, e := range v {
		if e.path == "" {
			e.a.off += off
			out = out.add(e)
		}
	}
	return out
}

// atoms are what v itself may be, without its fields.
func (v value) atoms() []Atom {
	var out []Atom
	for _, e := range v {
		if e.path == "" {
			out = append(out, e.a)
		}
	}
	return out
}

func one(a Atom) value { return value{{"", a}} }

// leaf is a part of a type that can hold a pointer.
type leaf struct {
	path string
	typ  types.Type
}

// leaves lists the parts of t that can hold pointers, structs and arrays
// taken apart.
func leaves(t types.Type) []leaf {
	var out []leaf
	var walk func(t types.Type, path string, depth int)
	walk = func(t types.Type, path string, depth int) {
		if depth > 4 || len(out) >= 64 {
			return
		}
		switch u := types.Unalias(t).Underlying().(type) {
		case *types.Basic:
			if u.Kind() == types.String || u.Kind() == types.UntypedString || u.Kind() == types.UnsafePointer {
				out = append(out, leaf{path, t})
			}
		case *types.Struct:
			if catalog.IsMark(t) || catalog.IsLane(t) || catalog.IsReflected(t) {
				out = append(out, leaf{path, t})
				return
			}
			for i := range u.NumFields() {
				walk(u.Field(i).Type(), path+field(i), depth+1)
			}
		case *types.Array:
			walk(u.Elem(), path+element, depth+1)
		case *types.Tuple:
			for i := range u.Len() {
				walk(u.At(i).Type(), path+tuple(i), depth+1)
			}
		default:
			out = append(out, leaf{path, t})
		}
	}
	if t != nil {
		walk(t, "", 0)
	}
	return out
}

// PointerFree reports whether a value of type t leads nowhere.
func PointerFree(t types.Type) bool { return len(leaves(t)) == 0 }
