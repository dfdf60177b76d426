package convert

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A pointer to a part of an owned object has another type, such as *string for &n.Name. It may be used to
// load and store, and passed to functions that do no more.

// checkInterior warns of a field's address that may outlive the arena, or through which a callee may change a
// holder.
func (p *program) checkInterior(f *ssa.Function, i *ssa.FieldAddr) {
	st := structOf(i)
	if p.bearing(i.Type()) {
		if why, token := p.place(i); why != "" && p.escapes(i, map[ssa.Value]bool{}) && !isGlobalPart(i) {
			p.warn(f, i.Pos(), token, "the address of a %s is passed on", why)
		}
		return
	}
	if p.insideOwned(i) && p.escapes(i, map[ssa.Value]bool{}) {
		token := ""
		if n, ok := types.Unalias(i.Type().Underlying().(*types.Pointer).Elem()).(*types.Named); ok && p.inModule(n.Obj().Pkg()) {
			token = "-own " + n.Obj().Name()
		}
		p.warn(f, i.Pos(), token, "the address of a part of %s may be kept", typeText(st))
	}
}

func isGlobalPart(v ssa.Value) bool { b, _ := base(v); return isGlobal(b) }

func (p *program) insideOwned(i *ssa.FieldAddr) bool {
	_, fields := base(i)
	for _, f := range fields {
		if p.isOwned(structOf(f)) {
			return true
		}
	}
	return false
}

// escapes reports whether an address, or a slice of the array at it, may be used after the function returns.
func (p *program) escapes(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef, *ssa.BinOp, *ssa.Range, *ssa.Lookup:
		case *ssa.Store:
			if r.Val == v {
				return true
			}
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice, *ssa.ChangeType, *ssa.Phi:
			if p.escapes(r.(ssa.Value), seen) {
				return true
			}
		case *ssa.Call:
			if p.escapesCall(r, v, seen) {
				return true
			}
		case *ssa.Defer:
			if g := r.Call.StaticCallee(); g == nil || g.Blocks != nil || p.effectOf(calleeName(g)) != copies {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// escapesCall reports whether a call may keep an argument that is an address.
func (p *program) escapesCall(r *ssa.Call, v ssa.Value, seen map[ssa.Value]bool) bool {
	c := &r.Call
	if c.IsInvoke() {
		_, isSlice := v.Type().Underlying().(*types.Slice)
		return !isSlice || !copiesArgument(c.Method)
	}
	if b, ok := c.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "len", "cap", "copy", "clear", "min", "max", "print", "println":
			return false
		case "append": // its first argument may be the result
			return c.Args[0] == v && p.escapes(r, seen)
		}
		return true
	}
	g := c.StaticCallee()
	if g == nil {
		return true
	}
	if g.Blocks == nil {
		switch p.effectOf(calleeName(g)) {
		case copies:
			return false
		case aliases:
			return p.escapes(r, seen)
		}
		return true
	}
	for k, a := range c.Args {
		if a == v && (k >= len(g.Params) || p.escapes(g.Params[k], seen)) {
			return true
		}
	}
	return false
}
