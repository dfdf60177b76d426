// Package life finds what in a program may live longer than a call of one function, its root:
// for each place that allocates, and for each call, by what its callee makes.
//
// Each function is looked at once for all of its callers, callees first. Its values are sets of
// references to objects: its own allocations, what a call made (one object for each type), what
// a parameter led to when it was called (one object for each type, and one more for what it refers
// to itself), and what lives for long:
// globals, channels, other goroutines, errors, panics. An object has cells by the path of a
// field; what is stored in a cell that lives for long, lives for long, and so does what that
// leads to. Order within a function does not count.
//
// What a function does to others is its summary, in the same terms. So a caller that keeps what
// a call has made learns that of this call alone, and another call of the same function may lie
// in an arena.
package life

import (
	"fmt"
	"go/token"
	"go/types"
	"strconv"
	"sync"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// kind is where an object comes from.
type kind uint8

const (
	site   kind = iota // an instruction of the function makes it
	fresh              // a call has made it; in a summary: the function has
	param              // a parameter or captured variable led to it
	global             // it lives for long
)

// object is one or several that are not told apart.
type object struct {
	kind kind
	at   ssa.Instruction // that makes it
	n    int             // of the parameter
	deep bool            // the parameter led to it by way of another
	typ  string          // what it is; empty: unknown
}

// instance is a function, as calls reach it that give it the same functions: those that take a
// callback are looked at once for each, since what one callback stores is not where another does.
type instance struct {
	fn    *ssa.Function
	bound [2]bound
}

// bound is a parameter that is a known function.
type bound struct {
	n  int
	fn *ssa.Function
}

// behind names the methods that a package of the standard library may call of values of a type.
type behind struct {
	typ types.Type
	pkg string
}

// Reason is why something outlives the root.
type Reason struct {
	What string
	Pos  token.Pos
}

// OfError is the reason of what is an error.
const OfError = "is an error, or part of one"

// key names the type of what a value refers to. Of what lies in an interface it is the
// interface's, after a question mark; it is empty where nothing is known.
func key(t types.Type) string {
	if k, ok := keys.Load(t); ok {
		return k.(string)
	}
	k := keyOf(t)
	keys.Store(t, k)
	return k
}

// Names of types and their leaves are asked for again and again, and take long to make.
var keys, parts sync.Map

func keyOf(t types.Type) string {
	if generic(t) {
		return "" // a caller has another name for it
	}
	if deferStack(t) {
		return "deferStack"
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		return nameOf(u.Elem())
	case *types.Slice:
		return "[]" + nameOf(u.Elem())
	case *types.Basic:
		if u.Kind() == types.UnsafePointer {
			return ""
		}
		return "string"
	case *types.Map, *types.Chan:
		return nameOf(u)
	case *types.Signature:
		text := "func("
		for v := range u.Params().Variables() {
			text += nameOf(v.Type()) + ","
		}
		text += ")"
		for v := range u.Results().Variables() {
			text += nameOf(v.Type()) + ","
		}
		return text
	case *types.Interface:
		if _, ok := types.Unalias(t).(*types.TypeParam); ok {
			return ""
		}
		return "?" + nameOf(u)
	}
	return ""
}

var named = struct {
	sync.Mutex
	typeutil.Map
	locals int
}{}

// TypeName is how Made and Outward name what a pointer to a type leads to.
func TypeName(t types.Type) string { return nameOf(t) }

// nameOf names a type, as it was written first: an alias and what it stands for, or an interface and one
// that gets the same methods by embedding, are one type.
func nameOf(t types.Type) string {
	named.Lock()
	defer named.Unlock()
	name, ok := named.At(t).(string)
	if !ok {
		name = types.TypeString(types.Unalias(t), nil)
		if contains(t, local) { // there may be others of that name, as in each instance of a generic function
			named.locals++
			name += "#" + itoa(named.locals)
		}
		named.Set(t, name)
	}
	return name
}

// generic reports whether a type's name has a type parameter in it.
func generic(t types.Type) bool {
	return contains(t, func(t types.Type) bool {
		_, ok := t.(*types.TypeParam)
		return ok
	})
}

// local reports whether a type is declared in a function.
func local(t types.Type) bool {
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Parent() != n.Obj().Pkg().Scope()
}

// contains reports whether a type, or one in its name, is such a type.
func contains(t types.Type, is func(types.Type) bool) bool {
	t = types.Unalias(t)
	if is(t) {
		return true
	}
	switch t := t.(type) {
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if contains(arg, is) {
				return true
			}
		}
	case *types.TypeParam:
	case *types.Map:
		return contains(t.Key(), is) || contains(t.Elem(), is)
	case interface{ Elem() types.Type }: // a pointer, slice, array or channel
		return contains(t.Elem(), is)
	case *types.Signature:
		return contains(t.Params(), is) || contains(t.Results(), is)
	case *types.Interface:
		for m := range t.Methods() {
			if contains(m.Signature(), is) {
				return true
			}
		}
	case *types.Tuple:
		for v := range t.Variables() {
			if contains(v.Type(), is) {
				return true
			}
		}
	case *types.Struct:
		for v := range t.Fields() {
			if contains(v.Type(), is) {
				return true
			}
		}
	}
	return false
}

// leaf is a part of a type that refers to something.
type leaf struct {
	path string
	typ  types.Type
}

// leaves are the parts of a type that refer to something: itself, for a pointer.
func leaves(t types.Type) []leaf {
	if all, ok := parts.Load(t); ok {
		return all.([]leaf)
	}
	all := leavesOf(t)
	parts.Store(t, all)
	return all
}

func leavesOf(t types.Type) (all []leaf) {
	switch u := types.Unalias(t).(type) {
	case *types.TypeParam:
		return []leaf{{"", t}}
	case *types.Tuple:
		for v := range u.Variables() {
			all = append(all, leaves(v.Type())...)
		}
		return all
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 || u.Kind() == types.UnsafePointer {
			all = []leaf{{"", t}}
		}
	case *types.Struct:
		for v := range u.Fields() {
			for _, l := range leaves(v.Type()) {
				all = append(all, leaf{"." + v.Name() + l.path, l.typ})
			}
		}
	case *types.Array:
		for _, l := range leaves(u.Elem()) {
			all = append(all, leaf{"[]" + l.path, l.typ})
		}
	default:
		if !deferStack(t) {
			all = []leaf{{"", t}}
		}
	}
	return all
}

// deferStack reports whether a value has the deferred calls of a function, for a loop over another that defers
// one: it is of the SSA form's own, and no value leads to it.
func deferStack(t types.Type) bool {
	for ptr, ok := t.(*types.Pointer); ok; ptr, ok = t.(*types.Pointer) {
		t = ptr.Elem()
	}
	return fmt.Sprintf("%T", t) == "*ssa.opaqueType"
}

// unknown reports whether a key tells of no type.
func unknown(k string) bool { return k == "" || k[0] == '?' }

func itoa(n int) string { return strconv.Itoa(n) }

var errorType = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
