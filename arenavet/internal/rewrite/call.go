package rewrite

import (
	"go/types"
	"go/version"
	"slices"
)

// A Call writes calls of a function of package arena, or of the generic method that replaces it in Go 1.27.
type Call struct {
	Pkg, Arena string // source forms
	Method     bool
}

// CallOf returns a Call of the named function. It uses the method if the go line of the package's module allows it.
func CallOf(in *types.Package, name, pkg, arena string) Call {
	return Call{pkg, arena, version.Compare(in.GoVersion(), "go1.27") >= 0 && slices.Contains(methods, name)}
}

var methods = []string{"New", "NewOf", "MakeSlice", "MakeSliceUninit", "Append", "SliceOf", "CloneSlice", "Collect", "Escape", "BoxOf", "NewMap", "AllocatorFor"}

// Func returns the callee.
func (c Call) Func(name string) string {
	if c.Method {
		return c.Arena + "." + name
	}
	return c.Pkg + "." + name
}

// First returns the beginning of an argument list with more arguments than the arena.
func (c Call) First() string {
	if c.Method {
		return "("
	}
	return "(" + c.Arena + ", "
}

// Only returns an argument list without other arguments.
func (c Call) Only() string {
	if c.Method {
		return "()"
	}
	return "(" + c.Arena + ")"
}
