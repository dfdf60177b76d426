package convert

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// escapes reports whether a value may be used after its function returns. The value is an address, a slice of the array at
// it, or a function, which may be called.
func (p *program) escapes(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.BinOp, *ssa.Range, *ssa.Lookup:
			return false
		case *ssa.UnOp: // it loads a value from a variable, or a part of an object
			switch v.(type) {
			case *ssa.Alloc, *ssa.FreeVar:
				return p.escapes(r, seen)
			}
			return false
		case *ssa.Store:
			a, isLocal := r.Addr.(*ssa.Alloc)
			return r.Val == v && (!isLocal || p.escapes(a, seen))
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice, *ssa.ChangeType, *ssa.Phi:
			return p.escapes(r.(ssa.Value), seen)
		case *ssa.MakeClosure: // of the function v, or of a function that has captured the variable v
			if g := r.Fn.(*ssa.Function); v != ssa.Value(g) && p.escapes(g.FreeVars[slices.Index(r.Bindings, v)], seen) {
				return true
			}
			return p.escapes(r, seen)
		case *ssa.Call:
			return p.escapesCall(r, v, seen)
		case *ssa.Defer:
			return p.escapesCall(r, v, seen)
		}
		return true
	})
}

// escapesCall reports whether a call may keep a value that escapes is asked about.
func (p *program) escapesCall(r ssa.CallInstruction, v ssa.Value, seen map[ssa.Value]bool) bool {
	c := r.Common()
	if !slices.Contains(c.Args, v) {
		return false // it is the function that is called
	}
	inResult := func() bool { return r.Value() != nil && p.escapes(r.Value(), seen) }
	_, isFunc := v.Type().Underlying().(*types.Signature)
	switch g := c.StaticCallee(); {
	case c.IsInvoke():
		_, isSlice := v.Type().Underlying().(*types.Slice)
		return !isSlice || !copiesArgument(c.Method)
	case g == nil:
		b, ok := c.Value.(*ssa.Builtin)
		if !ok {
			return true
		}
		switch b.Name() {
		case "len", "cap", "copy", "clear", "min", "max", "print", "println":
			return false
		case "append": // its first argument may be the result
			return c.Args[0] == v && inResult()
		}
		return true
	case g.Blocks == nil && isFunc:
		return !callsOnly(calleeName(g))
	case g.Blocks == nil:
		effect := p.effectOf(calleeName(g))
		return effect == retains || effect == aliases && inResult()
	default:
		for k, a := range c.Args {
			if a == v && p.escapes(g.Params[k], seen) {
				return true
			}
		}
		return false
	}
}
