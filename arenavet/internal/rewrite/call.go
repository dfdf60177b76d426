package rewrite

import (
	"go/types"
	"go/version"
	"slices"
)

// A Call writes calls of one function of package arena, or of the method that Go 1.27 has for it.
type Call struct {
	Pkg, Arena string // as the source writes them
	Method     bool
}

// CallOf returns the call of a function in a package, as the go line of its module allows it.
func CallOf(in *types.Package, name, pkg, arena string) Call {
	return Call{pkg, arena, version.Compare(in.GoVersion(), "go1.27") >= 0 && slices.Contains(methods, name)}
}

var methods = []string{"New", "NewOf", "MakeSlice", "MakeSliceUninit", "Append", "SliceOf", "CloneSlice", "Collect", "Escape", "BoxOf", "NewMap", "AllocatorFor"}

// Func is what is called.
func (c Call) Func(name string) string {
	if c.Method {
		return c.Arena + "." + name
	}
	return c.Pkg + "." + name
}

// First begins the arguments, if there are others than the arena.
func (c Call) First() string {
	if c.Method {
		return "("
	}
	return "(" + c.Arena + ", "
}

// Only is the arguments, if there are no others.
func (c Call) Only() string {
	if c.Method {
		return "()"
	}
	return "(" + c.Arena + ")"
}
