// Package access describes how a place is reached from a value, and the types on the way.
package access

import (
	"go/types"
	"iter"
	"strconv"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// A path is a chain of steps. Each step ends with a semicolon, so a prefix of the string is a prefix of the chain:
//
//	f2;  field 2 of a struct
//	t1;  result 1 of a call
//	b0;  captured variable 0 of a closure
//	e;   an element of an array, slice or map
//	k;   a key of a map
//	i;   the operand of an iterator, so that a range over the iterator uses it
//	*;   the target of a pointer, slice, map or interface
//	r1;  the last pointer of the path repeated any number of times; see Fold
//	?;   anything reachable from here, because paths have a limited depth
const (
	Deref    = "*;"
	Element  = "e;"
	Key      = "k;"
	Source   = "i;"
	Anything = "?;"
	Recur    = "r"
)

// Field returns the step to field i of a struct.
func Field(i int) string { return "f" + strconv.Itoa(i) + ";" }

// Tuple returns the step to result i of a call.
func Tuple(i int) string { return "t" + strconv.Itoa(i) + ";" }

// Binding returns the step to captured variable i of a closure.
func Binding(i int) string { return "b" + strconv.Itoa(i) + ";" }

// Leaf is a part of a type that can hold a pointer.
type Leaf struct {
	Path string
	Type types.Type
}

// Leaves returns the leaves of t. Structs and arrays are taken apart.
func Leaves(t types.Type) []Leaf {
	var out []Leaf
	var walk func(t types.Type, path string, depth int)
	walk = func(t types.Type, path string, depth int) {
		if depth > 4 || len(out) >= 64 {
			return
		}
		switch u := types.Unalias(t).Underlying().(type) {
		case *types.Basic:
			if u.Kind() == types.String || u.Kind() == types.UntypedString || u.Kind() == types.UnsafePointer {
				out = append(out, Leaf{path, t})
			}
		case *types.Struct:
			if catalog.IsMark(t) || catalog.IsLane(t) || catalog.IsReflected(t) {
				out = append(out, Leaf{path, t})
				return
			}
			for i := range u.NumFields() {
				walk(u.Field(i).Type(), path+Field(i), depth+1)
			}
		case *types.Array:
			walk(u.Elem(), path+Element, depth+1)
		case *types.Tuple:
			for i := range u.Len() {
				walk(u.At(i).Type(), path+Tuple(i), depth+1)
			}
		default:
			out = append(out, Leaf{path, t})
		}
	}
	if t != nil {
		walk(t, "", 0)
	}
	return out
}

// PointerFree reports whether t has no leaves.
func PointerFree(t types.Type) bool { return len(Leaves(t)) == 0 }

// TypeAlong returns the type at the end of a path from a value of type t, or nil if it is unknown. A slice or a map
// stands for the memory of its elements.
func TypeAlong(t types.Type, path string) types.Type {
	for path != "" && t != nil {
		step, rest, _ := strings.Cut(path, ";")
		path = rest
		n, _ := strconv.Atoi(step[1:])
		if step[0] == 'r' {
			continue
		}
		switch u := types.Unalias(t).Underlying().(type) {
		case *types.Pointer:
			if step != "*" {
				return nil
			}
			t = u.Elem()
		case *types.Slice:
			if step == "e" {
				t = u.Elem()
			}
		case *types.Map:
			switch step {
			case "e":
				t = u.Elem()
			case "k":
				t = u.Key()
			}
		case *types.Array:
			t = u.Elem()
		case *types.Struct:
			if step[0] != 'f' || n >= u.NumFields() {
				return nil
			}
			t = u.Field(n).Type()
		case *types.Tuple:
			if n >= u.Len() {
				return nil
			}
			t = u.At(n).Type()
		case *types.Interface:
			if m := Received(t); step == "e" && m != nil {
				t = m // the messages of a stream
			} else if m == nil || step != "*" {
				return nil
			}
		default:
			return nil
		}
	}
	return t
}

// Received returns the type of the messages that a handler receives from a stream of type t, or nil. Client streams are
// no such streams.
func Received(t types.Type) types.Type {
	if t == nil || !types.IsInterface(t) {
		return nil
	}
	recv := types.NewMethodSet(t).Lookup(nil, "Recv")
	if recv == nil || !IsServerStream(t) {
		return nil
	}
	sig, ok := recv.Type().(*types.Signature)
	if !ok || sig.Params().Len() != 0 || sig.Results().Len() != 2 || !IsMessage(sig.Results().At(0).Type()) {
		return nil
	}
	return sig.Results().At(0).Type()
}

// IsServerStream reports whether t is an interface with a grpc.ServerStream's methods.
func IsServerStream(t types.Type) bool {
	if !types.IsInterface(t) {
		return false
	}
	methods := types.NewMethodSet(t)
	return methods.Lookup(nil, "RecvMsg") != nil && methods.Lookup(nil, "SetTrailer") != nil
}

// IsInterceptor reports whether t has the signature of a grpc.UnaryServerInterceptor.
func IsInterceptor(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	if !ok || sig.Params().Len() != 4 || sig.Results().Len() != 2 || !IsAny(sig.Params().At(1).Type()) || !IsAny(sig.Results().At(0).Type()) {
		return false
	}
	next, ok := sig.Params().At(3).Type().Underlying().(*types.Signature)
	return ok && next.Params().Len() == 2 && IsAny(next.Params().At(1).Type())
}

// Intercepts reports whether t is an interface of interceptors, of connect-go, or of a stream that one passes on.
func Intercepts(t types.Type) bool { return IsServerStream(t) || catalog.IsConnect(t, "Interceptor") }

// IsAny reports whether t is an interface without methods.
func IsAny(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	_, generic := types.Unalias(t).(*types.TypeParam)
	return ok && !generic && i.NumMethods() == 0
}

// Message reports whether a parameter of type t of a handler leads to messages, and returns the path to them.
func Message(t types.Type) (path string, ok bool) {
	if Received(t) != nil {
		return Deref + Element, true
	}
	if pkg, _ := catalog.NameOf(t); IsMessage(t) && pkg == catalog.ConnectPath {
		s := t.Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		for i := range s.NumFields() { // of a Request or ClientStream
			if strings.EqualFold(s.Field(i).Name(), "msg") {
				return Deref + Field(i), true
			}
		}
		return "", false
	}
	return "", IsMessage(t)
}

// IsMessage reports whether t is a pointer to a struct, as generated messages are.
func IsMessage(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	_, ok = p.Elem().Underlying().(*types.Struct)
	return ok
}

// Inside returns the types of the elements and keys of a slice, map or iterator, or nil.
func Inside(t types.Type) (elem, key types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem(), nil
	case *types.Map:
		return u.Elem(), u.Key()
	case *types.Signature:
		if u.Params().Len() != 1 {
			return nil, nil
		}
		yield, ok := u.Params().At(0).Type().Underlying().(*types.Signature)
		if !ok {
			return nil, nil
		}
		switch p := yield.Params(); p.Len() {
		case 1:
			return p.At(0).Type(), nil
		case 2:
			return p.At(1).Type(), p.At(0).Type()
		}
	}
	return nil, nil
}

// Parts yields the types of the parts of a value: fields, results, keys, elements and the target of a pointer.
func Parts(t types.Type) iter.Seq[types.Type] {
	return func(yield func(types.Type) bool) {
		var vars iter.Seq[*types.Var]
		switch u := t.Underlying().(type) {
		case *types.Struct:
			vars = u.Fields()
		case *types.Tuple:
			vars = u.Variables()
		case *types.Map:
			_ = yield(u.Key()) && yield(u.Elem())
			return
		case interface{ Elem() types.Type }:
			yield(u.Elem())
			return
		default:
			return
		}
		for v := range vars {
			if !yield(v.Type()) {
				return
			}
		}
	}
}

// Reaches reports whether visit returns found for a type that a value of type t is or leads to. It looks for parts of a
// type if visit returns enter.
func Reaches(t types.Type, visit func(types.Type) (found, enter bool)) bool {
	seen := map[types.Type]bool{}
	var walk func(t types.Type) bool
	walk = func(t types.Type) bool {
		t = types.Unalias(t)
		if seen[t] {
			return false
		}
		seen[t] = true
		found, enter := visit(t)
		if found || !enter {
			return found
		}
		for p := range Parts(t) {
			if walk(p) {
				return true
			}
		}
		return false
	}
	return walk(t)
}
