// Package access has access paths: how a place is reached from a value, and which types
// lie along the way.
package access

import (
	"go/types"
	"strconv"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// A path is a chain of steps, each of which ends with a semicolon, so that a
// prefix of the text is a prefix of the chain:
//
//	f2;  field 2 of a struct
//	t1;  result 1 of a call
//	b0;  variable 0 that a closure has captured
//	e;   an element of an array, slice or map
//	k;   a key of a map
//	i;   what an iterator walks through, so that a range over it is a use of that
//	*;   what is behind a pointer, slice, map or interface
//	r1;  the last pointer of the path again, any number of times: see Fold
//	?;   anything that can be reached from here: paths have a limited depth
const (
	Deref    = "*;"
	Element  = "e;"
	Key      = "k;"
	Source   = "i;"
	Anything = "?;"
	Recur    = "r"
)

// Field is the step to field i of a struct.
func Field(i int) string { return "f" + strconv.Itoa(i) + ";" }

// Tuple is the step to result i of a call.
func Tuple(i int) string { return "t" + strconv.Itoa(i) + ";" }

// Binding is the step to variable i that a closure has captured.
func Binding(i int) string { return "b" + strconv.Itoa(i) + ";" }

// Leaf is a part of a type that can hold a pointer.
type Leaf struct {
	Path string
	Type types.Type
}

// Leaves lists the parts of t that can hold pointers, structs and arrays
// taken apart.
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

// PointerFree reports whether a value of type t leads nowhere.
func PointerFree(t types.Type) bool { return len(Leaves(t)) == 0 }

// TypeAlong is the type of what path leads to from a value of type t, or nil where
// that is not known, as behind an interface. A slice or a map stands for the memory
// of its elements.
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
				t = m // which the stream holds
			} else if m == nil || step != "*" {
				return nil
			}
		default:
			return nil
		}
	}
	return t
}

// Received is the type of the messages that a handler gets from a stream of type t; nil
// where t is something else, as a client's stream is.
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

// IsInterceptor reports whether t is a function with the parameters of a grpc.UnaryServerInterceptor.
func IsInterceptor(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	if !ok || sig.Params().Len() != 4 || sig.Results().Len() != 2 || !IsAny(sig.Params().At(1).Type()) || !IsAny(sig.Results().At(0).Type()) {
		return false
	}
	next, ok := sig.Params().At(3).Type().Underlying().(*types.Signature)
	return ok && next.Params().Len() == 2 && IsAny(next.Params().At(1).Type())
}

// IsAny reports whether t is an interface without methods.
func IsAny(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	_, generic := types.Unalias(t).(*types.TypeParam)
	return ok && !generic && i.NumMethods() == 0
}

// Requested is the message of a request of connect-go, and where in the request it is.
func Requested(t types.Type) (path string, message types.Type) {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return "", nil
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok || n.Obj().Name() != "Request" || catalog.PackagePath(n.Obj().Pkg()) != "connectrpc.com/connect" {
		return "", nil
	}
	s, ok := n.Underlying().(*types.Struct)
	for i := 0; ok && i < s.NumFields(); i++ {
		if s.Field(i).Name() == "Msg" {
			return Field(i), s.Field(i).Type()
		}
	}
	return "", nil
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

// Inside returns what a slice, map or iterator holds or yields, and what its keys
// are. Both are nil for other types.
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
