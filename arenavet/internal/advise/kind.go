package advise

import "strings"

// Kind names the values that a site allocates.
type Kind string

// The kinds of allocations, each with what takes its place.
const (
	kindNew       Kind = "value"
	kindSlice     Kind = "slice"
	kindAppend    Kind = "append"
	kindText      Kind = "text"
	kindMap       Kind = "map"
	kindBox       Kind = "box of an interface"
	kindClosure   Kind = "closure"
	kindMethod    Kind = "method value"
	kindArguments Kind = "variadic arguments"
	kindChan      Kind = "channel"
	kindGo        Kind = "goroutine"
	kindLibrary   Kind = "library"
	kindOther     Kind = "runtime"
)

// Outcome tells what becomes of a site's allocations in a conversion.
type Outcome int

// The outcomes of a site.
const (
	Stays  Outcome = iota // on the heap
	Likely                // an arena takes them after some rewriting
	Taken                 // an arena takes them
)

func (f Outcome) String() string { return [...]string{"stays", "rewrite", "taken"}[f] }

// decision is an outcome, and why or by what.
type decision struct {
	outcome Outcome
	use     string // what takes them, or why they stay
}

var byKind = map[Kind]decision{
	kindNew:       {Taken, "arena.New, NewOf"},
	kindSlice:     {Taken, "arena.MakeSlice, SliceOf"},
	kindAppend:    {Taken, "arena.Append"},
	kindText:      {Taken, "Concat, AllocString, AllocBytesToString"},
	kindMap:       {Taken, "arena.NewMap"},
	kindBox:       {Taken, "arena.BoxOf, or a Buffer in place of fmt"},
	kindClosure:   {Stays, "a closure"},
	kindMethod:    {Stays, "a method value is a closure"},
	kindArguments: {Stays, "the slice of variadic arguments"},
	kindChan:      {Stays, "a channel"},
	kindGo:        {Stays, "a goroutine"},
	kindOther:     {Stays, "the runtime's own"},
}

// kindOfEntry returns what a function of the runtime is called for. Where that may be many
// things it is kindNew, and the compiler knows more.
func kindOfEntry(entry string) Kind {
	has := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(entry, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("newobject", "mallocgc", "newarray"):
		return kindNew
	case has("makeslice"):
		return kindSlice
	case has("growslice", "moveSlice"):
		return kindAppend
	case has("concat", "slicebytetostring", "stringtoslice", "intstring", "slicerunetostring", "rawstring", "rawbyteslice"):
		return kindText
	case has("conv"):
		return kindBox
	case has("map", "makemap", "internal/runtime/maps"):
		return kindMap
	case has("makechan", "chan"):
		return kindChan
	case has("newproc"):
		return kindGo
	}
	return kindOther
}
