// Package catalog describes code that is not analyzed: the library's own packages, and the standard library.
package catalog

import (
	"go/ast"
	"go/types"
	"iter"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const (
	ArenaPath     = "github.com/ebbpool/arena"
	FixedpoolPath = ArenaPath + "/fixedpool"
	ConnectOption = ArenaPath + "/adapters/connect.Option" // lets handlers decode messages into an arena
	ConnectPath   = "connectrpc.com/connect"
)

// PackagePath returns a package's path without the test suffix and the vendor directory that builds add.
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

// NameOf returns the package path and the name of a named type, or of the target of a pointer to one. They are "" for
// other types.
func NameOf(t types.Type) (pkg, name string) {
	if t == nil {
		return "", ""
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return PackagePath(n.Obj().Pkg()), n.Obj().Name()
	}
	return "", ""
}

// ArenaType returns the name of a type of package arena or fixedpool, such as "Arena" or "fixedpool.Pool", or "" for
// other types. A pointer has the name of its target.
func ArenaType(t types.Type) string {
	switch pkg, name := NameOf(t); pkg {
	case ArenaPath:
		return name
	case FixedpoolPath:
		return "fixedpool." + name
	}
	return ""
}

// IsConnect reports whether t is a type of connect-go with a name, or a pointer to it.
func IsConnect(t types.Type, name string) bool {
	pkg, is := NameOf(t)
	return pkg == ConnectPath && is == name
}

// ofRequest lists the types of values that belong to one request. A function with a parameter of a type with true is a
// handler.
var ofRequest = map[string]bool{
	"net/http.ResponseWriter": true, "net/http.Request": false, ArenaPath + ".Arena": false,
	"github.com/valyala/fasthttp.RequestCtx": true, "github.com/gin-gonic/gin.Context": true, "github.com/labstack/echo/v4.Context": true,
	"github.com/gofiber/fiber/v2.Ctx": true, "github.com/gofiber/fiber/v3.Ctx": true,
}

// IsHandler reports whether a function handles requests of a server.
func IsHandler(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		if pkg, name := NameOf(v.Type()); ofRequest[pkg+"."+name] {
			return true
		}
	}
	return false
}

// OfRequest reports whether one of the parameters or fields belongs to one request.
func OfRequest(vars iter.Seq[*types.Var]) bool {
	for v := range vars {
		pkg, name := NameOf(v.Type())
		if _, ok := ofRequest[pkg+"."+name]; ok {
			return true
		}
	}
	return false
}

// IsHandle reports whether t is a pointer to an arena, or an Allocator, which stands for its arena.
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

// IsLane reports whether t is an Allocator. The analysis does not look at its fields.
func IsLane(t types.Type) bool {
	_, isPointer := types.Unalias(t).(*types.Pointer)
	return !isPointer && ArenaType(t) == "Allocator"
}

// IsBoxed reports whether an interface holds a value of type t in memory, so that BoxOf allocates. Pointers, bytes and
// interfaces need no memory.
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

// IsReflected reports whether t is reflect.Value, which stands for the pointer or slice in it.
func IsReflected(t types.Type) bool {
	pkg, name := NameOf(t)
	return pkg == "reflect" && name == "Value"
}

func IsMark(t types.Type) bool { return ArenaType(t) == "Mark" }

// FunctionName returns a function's package path, receiver type and name, such as "strings.Clone" or
// "github.com/ebbpool/arena.Arena.Reset". A generic method of Arena has the name of its function, and a method of
// KeyedPool the name of ArenaPool's method.
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

// CalleeName returns the FunctionName of fn, or "".
func CalleeName(fn *ssa.Function) string {
	if obj, ok := fn.Object().(*types.Func); ok {
		return FunctionName(obj)
	}
	return ""
}

// PackageOf returns the package path of a FunctionName.
func PackageOf(name string) string {
	slash := strings.LastIndex(name, "/") + 1
	pkg, _, _ := strings.Cut(name[slash:], ".")
	return name[:slash] + pkg
}

// IsStandard reports whether a path is one of the standard library: its first element has no dot. Modules may also have
// such paths; see flow.OfStandard.
func IsStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// Origin returns the generic function of an instance, or fn.
func Origin(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

func IsError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// IsText reports whether t is a string type.
func IsText(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// TypeName names a type for comparison. It is "" for a nil type.
func TypeName(t types.Type) string {
	if t == nil {
		return ""
	}
	return types.TypeString(t, nil)
}

// Simple reports whether e is a name or a selector of names.
func Simple(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return Simple(e.X)
	}
	return false
}
