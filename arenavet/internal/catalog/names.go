// Package catalog knows what analyzed code calls but is not analyzed itself: the names of
// package arena and its like, and what functions of the standard library do.
package catalog

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// The packages of the library.
const (
	ArenaPath     = "github.com/ebbpool/arena"
	FixedpoolPath = ArenaPath + "/fixedpool"
	ConnectOption = ArenaPath + "/adapters/connect.Option" // has handlers read messages into an arena
)

// PackagePath is a package's path without what builds add to it: the name of
// the test that it is built for, and the folder that it is vendored in.
func PackagePath(p *types.Package) string {
	if p == nil {
		return ""
	}
	path, _, _ := strings.Cut(p.Path(), " ")
	if i := strings.LastIndex(path, "/vendor/"); i >= 0 {
		path = path[i+len("/vendor/"):]
	}
	return path
}

// ArenaType is the name of a type of package arena or fixedpool, or of a pointer to
// one: "Arena", "fixedpool.Pool". It is empty for other types.
func ArenaType(t types.Type) string {
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
	switch PackagePath(n.Obj().Pkg()) {
	case ArenaPath:
		return n.Obj().Name()
	case FixedpoolPath:
		return "fixedpool." + n.Obj().Name()
	}
	return ""
}

// IsHandle reports whether t is a pointer to an arena, or an Allocator, which is
// as good as its arena.
func IsHandle(t types.Type) bool {
	if t == nil {
		return false
	}
	if IsLane(t) {
		return true
	}
	if _, ok := types.Unalias(t).(*types.Pointer); !ok {
		return false
	}
	return ArenaType(t) == "Arena"
}

// IsLane reports whether t is the handle to an arena's memory for one type: a
// struct, of which the analysis sees no fields.
func IsLane(t types.Type) bool {
	_, isPointer := types.Unalias(t).(*types.Pointer)
	return !isPointer && ArenaType(t) == "Allocator"
}

// IsBoxed reports whether an interface that holds a t leads to it in memory: BoxOf takes
// some then. It does not where t is one pointer, or a byte, or an interface itself.
func IsBoxed(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature, *types.Interface, *types.Tuple:
		return false
	case *types.Basic:
		return u.Kind() != types.UnsafePointer && u.Info()&types.IsBoolean == 0 && u.Kind() != types.Int8 && u.Kind() != types.Uint8 && u.Info()&types.IsUntyped == 0 && u.Kind() != types.Invalid
	case *types.Struct:
		return u.NumFields() > 1 || u.NumFields() == 1 && IsBoxed(u.Field(0).Type())
	case *types.Array:
		return u.Len() > 1 || u.Len() == 1 && IsBoxed(u.Elem())
	}
	return true
}

// IsReflected reports whether t is reflect.Value, which stands for the pointer or slice
// in it.
func IsReflected(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "Value" && PackagePath(n.Obj().Pkg()) == "reflect"
}

// IsMark reports whether t is a Mark.
func IsMark(t types.Type) bool { return ArenaType(t) == "Mark" }

// FunctionName names a function as package path, receiver's type and name:
// "github.com/ebbpool/arena.Arena.Reset", "strings.Clone". A generic method of Arena has the name of
// the function of which it is a form, and a method of KeyedPool that of ArenaPool's method.
func FunctionName(obj *types.Func) string {
	obj = obj.Origin()
	name := obj.Name()
	if recv := obj.Signature().Recv(); recv != nil {
		t := types.Unalias(recv.Type())
		if p, ok := t.(*types.Pointer); ok {
			t = types.Unalias(p.Elem())
		}
		if n, ok := t.(*types.Named); ok {
			switch of := ArenaType(n); {
			case of == "Arena" && obj.Signature().TypeParams().Len() != 0:
			case of == "KeyedPool":
				name = "ArenaPool." + name
			default:
				name = n.Obj().Name() + "." + name
			}
		}
	}
	return PackagePath(obj.Pkg()) + "." + name
}

// CalleeName is functionName of a function that a call is known to reach.
func CalleeName(fn *ssa.Function) string {
	if obj, ok := fn.Object().(*types.Func); ok {
		return FunctionName(obj)
	}
	return ""
}

// PackageOf is the package path of what functionName returned.
func PackageOf(name string) string {
	slash := strings.LastIndex(name, "/") + 1
	pkg, _, _ := strings.Cut(name[slash:], ".")
	return name[:slash] + pkg
}

// IsStandard reports whether a path is one of Go's own packages: they have no
// dot in their first element. A module may lack one too, so the driver's word
// counts where it has one.
func IsStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// Origin is the generic function that fn is an instance of, or fn.
func Origin(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

// IsError reports whether t is the type error.
func IsError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// IsText reports whether t is a kind of string.
func IsText(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// TypeName names a type for comparison; it is empty for one that is not known.
func TypeName(t types.Type) string {
	if t == nil {
		return ""
	}
	return types.TypeString(t, nil)
}

// Simple reports whether e is a name, or names with dots between them.
func Simple(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return Simple(e.X)
	}
	return false
}
