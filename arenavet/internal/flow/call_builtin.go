package flow

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// builtin models a call of a builtin function.
func (f *function) builtin(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, name string) value {
	args := f.evalAll(st, common.Args)
	switch name {
	case "append":
		return f.builtinAppend(st, instr, common, args)
	case "copy":
		f.use(st, args[0], instr)
		f.read(st, args[1], instr)
		for _, a := range args[0].atoms() {
			delete(st.unread, a.Site)
		}
		f.putIn(st, args[0], access.Element, f.contents(st, args[1], common.Args[1].Type()), f.position(instr))
	case "clear":
		f.use(st, args[0], instr)
		f.touch(st, args[0])
		f.emptied(st, args[0], common.Args[0].Type())
	case "print", "println":
		for _, a := range args {
			f.read(st, a, instr)
		}
	case "ssa:wrapnilchk", "String", "StringData", "Slice", "SliceData", "Add":
		return args[0]
	case "min", "max":
		var out value
		for _, a := range args {
			out = out.union(a)
		}
		return out
	}
	return nil
}

// builtinAppend models append(s, items...), which returns s or a copy of s on Go's heap.
func (f *function) builtinAppend(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, args []value) value {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return nil
	}
	f.use(st, args[0], instr)
	if len(args) > 1 {
		f.read(st, args[1], instr)
	}
	// s[:n:n] asks for a copy, and nothing is written to s.
	s, full := common.Args[0].(*ssa.Slice)
	copies := full && s.Max != nil && sameLength(s.High, s.Max)
	if !full || s.Max == nil {
		for _, a := range args[0].atoms() {
			if a.Region != nil && a.Stale == nil && !a.Site.Slot {
				f.c.Appended[call.Pos()] = true
				f.see(Fault{Kind: FaultAppend, Of: a, Pos: call.Pos(), Call: call})
				break
			}
		}
	}
	f.touch(st, args[0])
	var items value
	if len(args) > 1 && !catalog.IsText(common.Args[1].Type()) {
		items = f.contents(st, args[1], common.Args[1].Type())
	}
	old := f.contents(st, args[0], common.Args[0].Type())
	grown := f.object(st, call)
	if copies {
		f.put(st, grown[0].a.Site, access.Element, nil, old.union(items), false, instr.Pos())
		return grown
	}
	f.putIn(st, args[0], access.Element, items, instr.Pos())
	f.put(st, grown[0].a.Site, access.Element, nil, old.union(items), false, instr.Pos())
	return args[0].union(grown)
}

// sameLength reports whether two lengths are certainly equal: one value, the same number, or the length of one slice.
func sameLength(a, b ssa.Value) bool {
	length := func(v ssa.Value) (ssa.Value, bool) {
		if call, ok := v.(*ssa.Call); ok {
			if b, ok := call.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
				return call.Call.Args[0], true
			}
		}
		return nil, false
	}
	x, isLen := length(a)
	y, isLenToo := length(b)
	if isLen && isLenToo {
		return x == y
	}
	c, isConst := a.(*ssa.Const)
	d, isConstToo := b.(*ssa.Const)
	return a == b || isConst && isConstToo && c.Value != nil && d.Value != nil && c.Int64() == d.Int64()
}
