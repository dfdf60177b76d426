package life

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// A generic function is analyzed by its instances: each has a body of its own, with types in place of
// parameters. The body with parameters stands for the instances that other code makes.

// Analyzed are packages of others whose generic functions are analyzed, too: they have no state, so
// that nobody else can do anything to what they make and get.
var Analyzed = map[string]bool{"slices": true, "maps": true, "cmp": true, "golang.org/x/exp/slices": true, "golang.org/x/exp/maps": true}

// PackageOf is the package that a function is written in, or nil.
func PackageOf(fn *ssa.Function) *ssa.Package {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if fn.Pkg == nil && fn.Object() != nil { // a method's value, or one by embedding
		return fn.Prog.Package(fn.Object().Pkg())
	}
	return fn.Pkg
}

// ofOthers reports whether a function is one of the packages in Analyzed.
func ofOthers(fn *ssa.Function) bool {
	pkg := PackageOf(fn)
	return pkg != nil && Analyzed[pkg.Pkg.Path()]
}

// Instance reports whether a function, or that around it, is an instance with a body of its own.
func Instance(fn *ssa.Function) bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn.Origin() != nil && len(fn.Blocks) > 0 && !wraps(fn)
}

// Parameterized reports whether a function, or that around it, has type parameters in its body.
func Parameterized(fn *ssa.Function) bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return wraps(fn) || fn.Origin() == nil && (fn.TypeParams().Len() > 0 || fn.Signature.RecvTypeParams().Len() > 0)
}

// wraps reports whether a function only calls a generic one, from another's body.
func wraps(fn *ssa.Function) bool { return strings.HasPrefix(fn.Synthetic, "instantiation wrapper") }

// origin is the function whose body a call runs.
func origin(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil && (wraps(fn) || len(fn.Blocks) == 0) {
		return o
	}
	return fn
}

// written reports whether a function's text is the program's.
func written(fn *ssa.Function) bool { return fn.Synthetic == "" || Instance(fn) }

// compared reports whether an address is taken as a number alone, by a package that compares those.
func compared(v ssa.Value) bool {
	for _, i := range *v.Referrers() {
		if c, ok := i.(*ssa.Convert); !ok || !types.Identical(c.Type(), types.Typ[types.Uintptr]) {
			return false
		}
	}
	return ofOthers(v.Parent())
}

// copiesMap reports whether a function is that behind maps.Clone, which gives what it is given.
func copiesMap(fn *ssa.Function) bool { return fn != nil && catalog.CalleeName(fn) == "maps.clone" }

// shortName is a function's name without type arguments, which have packages in them.
func shortName(fn *ssa.Function) string {
	name, args, generic := strings.Cut(fn.Name(), "[")
	if generic {
		name += args[strings.LastIndex(args, "]")+1:]
	}
	return name
}
