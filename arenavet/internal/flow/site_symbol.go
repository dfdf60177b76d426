package flow

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// SymbolName is how the source would write what a symbol stands for.
func SymbolName(k *Site, names map[token.Pos]string) string {
	name := k.root.Name()
	switch k.root.(type) {
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Global:
	default:
		if name = names[k.root.Pos()]; name == "" {
			return ""
		}
	}
	fields, _, ok := symbolType(k)
	if !ok || strings.Contains(k.Path, recur) {
		return ""
	}
	return name + fields
}

// mayBeHandle reports whether a site may be an arena or a slab. Values that went
// through interfaces and summaries may seem to lead to one where their types
// say that they don't.
func mayBeHandle(k *Site) bool {
	if k.Kind != SymbolSite {
		return k.Kind == HandleSite
	}
	_, t, ok := symbolType(k)
	if !ok {
		return t != nil && types.IsInterface(t) // behind which it may be one
	}
	return catalog.IsHandle(t) || types.IsInterface(t)
}

// symbolType follows a symbol's path through the types, and returns the fields
// on the way, as the source writes them, and the type at its end.
func symbolType(k *Site) (fields string, t types.Type, ok bool) {
	t = k.root.Type()
	for step := range strings.SplitSeq(strings.TrimSuffix(k.Path, ";"), ";") {
		switch {
		case step == "", step[0] == 'r':
		case step == "*":
			p, ok := types.Unalias(t).Underlying().(*types.Pointer)
			if !ok {
				return "", t, false
			}
			t = p.Elem()
		case step[0] == 'f':
			s, ok := types.Unalias(t).Underlying().(*types.Struct)
			n := 0
			for _, r := range step[1:] {
				n = 10*n + int(r-'0')
			}
			if !ok || n >= s.NumFields() {
				return "", nil, false
			}
			fields += "." + s.Field(n).Name()
			t = s.Field(n).Type()
		case step[0] == 't':
			s, ok := t.(*types.Tuple)
			n := int(step[1] - '0')
			if !ok || n >= s.Len() {
				return "", nil, false
			}
			t = s.At(n).Type()
		default:
			return "", nil, false
		}
	}
	return fields, t, true
}

// isFunction reports whether a symbol is a function itself, not one that some
// object holds.
func isFunction(k *Site) bool {
	if k.Kind != SymbolSite {
		return false
	}
	fields, t, ok := symbolType(k)
	if !ok || fields != "" {
		return false
	}
	_, ok = t.Underlying().(*types.Signature)
	return ok
}

// coordinates reports whether a symbol is there to be shared, as a WaitGroup is, or an
// arena, whose users are counted elsewhere.
func coordinates(k *Site) bool {
	_, t, ok := symbolType(k)
	if !ok || catalog.IsHandle(t) {
		return ok
	}
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && catalog.PackagePath(named.Obj().Pkg()) == "sync"
}

// typeAt is the type of what a callee calls p, by the caller's arguments: those
// of a generic function tell more than its parameters. It is nil where the
// arguments don't say.
func typeAt(args []ssa.Value, p Place) types.Type {
	if p.Param < 0 || p.Param >= len(args) {
		return nil
	}
	_, t, ok := symbolType(&Site{Kind: SymbolSite, root: args[p.Param], Path: p.Path})
	if !ok {
		return nil
	}
	return t
}

// isGiven reports whether k is an argument, or a captured variable's content.
func isGiven(k *Site) bool {
	if k.Kind != SymbolSite {
		return false
	}
	switch k.root.(type) {
	case *ssa.Parameter:
		return !strings.Contains(k.Path, deref)
	case *ssa.FreeVar:
		return k.Path == deref
	}
	return false
}
