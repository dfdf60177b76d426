package arenavet

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const arenaPath = "github.com/ebbpool/arena"

// packagePath is a package's path without what builds add to it: the name of
// the test that it is built for, and the folder that it is vendored in.
func packagePath(p *types.Package) string {
	if p == nil {
		return ""
	}
	path, _, _ := strings.Cut(p.Path(), " ")
	if i := strings.LastIndex(path, "/vendor/"); i >= 0 {
		path = path[i+len("/vendor/"):]
	}
	return path
}

// arenaType is the name of a type of package arena or fixedpool, or of a pointer to
// one: "Arena", "Slab", "fixedpool.Pool". It is empty for other types.
func arenaType(t types.Type) string {
	if t == nil {
		return ""
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	if !ok {
		return ""
	}
	switch packagePath(n.Obj().Pkg()) {
	case arenaPath:
		return n.Obj().Name()
	case fixedpoolPath:
		return "fixedpool." + n.Obj().Name()
	}
	return ""
}

// isHandle reports whether t is a pointer to an arena or a slab, or an Allocator, which is
// as good as its arena.
func isHandle(t types.Type) bool {
	if t == nil {
		return false
	}
	if isLane(t) {
		return true
	}
	if _, ok := types.Unalias(t).(*types.Pointer); !ok {
		return false
	}
	name := arenaType(t)
	return name == "Arena" || name == "Slab"
}

// isLane reports whether t is the handle to an arena's memory for one type: a
// struct, of which the analysis sees no fields.
func isLane(t types.Type) bool {
	_, isPointer := types.Unalias(t).(*types.Pointer)
	return !isPointer && arenaType(t) == "Allocator"
}

// isReflected reports whether t is reflect.Value, which stands for the pointer or slice
// in it.
func isReflected(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "Value" && packagePath(n.Obj().Pkg()) == "reflect"
}

func isMark(t types.Type) bool { return arenaType(t) == "Mark" }

// functionName names a function as package path, receiver's type and name:
// "github.com/ebbpool/arena.Arena.Reset", "strings.Clone".
func functionName(obj *types.Func) string {
	obj = obj.Origin()
	name := obj.Name()
	if recv := obj.Signature().Recv(); recv != nil {
		t := types.Unalias(recv.Type())
		if p, ok := t.(*types.Pointer); ok {
			t = types.Unalias(p.Elem())
		}
		if n, ok := t.(*types.Named); ok {
			name = n.Obj().Name() + "." + name
		}
	}
	return packagePath(obj.Pkg()) + "." + name
}

// calleeName is functionName of a function that a call is known to reach.
func calleeName(fn *ssa.Function) string {
	if obj, ok := fn.Object().(*types.Func); ok {
		return functionName(obj)
	}
	return ""
}

// packageOf is the package path of what functionName returned.
func packageOf(name string) string {
	slash := strings.LastIndex(name, "/") + 1
	pkg, _, _ := strings.Cut(name[slash:], ".")
	return name[:slash] + pkg
}

// isStandard reports whether a path is one of Go's own packages: they have no
// dot in their first element. A module may lack one too, so the driver's word
// counts where it has one.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
