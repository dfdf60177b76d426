package flow

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// effect notes an effect on an arena that callers know.
func (f *function) effect(st *state, o Op, k *Site, mark Place, from Source, must bool, pos token.Pos) {
	var at Place
	if k != nil {
		p, ok := f.place(k)
		if !ok || k.Kind == HandleSite || strings.Contains(k.Path, access.Anything) {
			return
		}
		at = p
	}
	f.effectAt(st, o, at, mark, from, must, pos)
}

// effectAt is effect for an arena at a place.
func (f *function) effectAt(st *state, o Op, at, mark Place, from Source, must bool, pos token.Pos) {
	key := f.key(effectKey{o, at, mark, from})
	if len(st.done) >= maxSummary {
		return
	}
	e, ok := f.effects[key]
	if !ok {
		e = Effect{Op: o, At: at, Mark: mark, From: from, Locked: true, pos: pos}
	}
	e.Locked = e.Locked && st.locked && o != OpGoroutine // a goroutine does not hold its starter's mutex
	f.effects[key] = e
	st.done[key] = st.done[key] || must
}

// place returns the place of k in callers' terms.
func (f *function) place(k *Site) (Place, bool) {
	if k == nil {
		return Place{}, false
	}
	switch k.Kind {
	case HandleSite:
		return Place{Param: -1, Fresh: k.id}, k.id != 0
	case SymbolSite:
		switch root := k.root.(type) {
		case *ssa.Parameter:
			return Place{Param: slices.Index(f.fn.Params, root), Path: k.Path}, true
		case *ssa.FreeVar:
			return Place{Param: len(f.fn.Params) + slices.Index(f.fn.FreeVars, root), Path: k.Path}, true
		case *ssa.Global:
			return Place{Param: -1, Global: catalog.PackagePath(root.Pkg.Pkg) + "." + root.Name(), Path: k.Path}, true
		}
	}
	return Place{}, false
}

// source returns the origin of a in callers' terms.
func (f *function) source(a Atom) (Source, bool) {
	switch {
	case a.Site.called != nil:
		return *a.Site.called, true
	case a.Site.tag != "":
		return Source{Kind: Tagged, Type: a.Site.tag}, true
	case a.Stale != nil:
		return Source{}, false
	case a.Site.Kind == MarkSite:
		p, ok := f.place(a.Region)
		return Source{Kind: Taken, At: p}, ok
	case a.Region != nil:
		if a.Site.Slot {
			return Source{}, false
		}
		region := a.Region
		for region.Parent != nil {
			region = region.Parent // which ends its forks
		}
		p, ok := f.place(region)
		return Source{Kind: Memory, At: p, Older: a.Site.isOld, Type: a.Site.typ}, ok
	case a.Site.Kind == HandleSite:
		p, ok := f.place(a.Site)
		return Source{Kind: Handle, At: p, Gotten: a.Site.gotten && !a.Site.kept}, ok
	case a.Site.Kind == SymbolSite:
		p, ok := f.place(a.Site)
		p.Off = a.off
		return Source{Kind: Same, At: p}, ok
	}
	return Source{}, false
}

// position returns the position of an instruction, or of its expression.
func (f *function) position(instr ssa.Instruction) token.Pos {
	if instr.Pos().IsValid() {
		return instr.Pos()
	}
	for _, p := range instr.Operands(nil) {
		switch op := (*p).(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.UnOp, *ssa.Slice, *ssa.Call, *ssa.Convert:
			if pos := f.position(op.(ssa.Instruction)); pos.IsValid() {
				return pos
			}
		}
	}
	// The nearest instruction before it that has a position.
	b := instr.Block()
	for i := slices.Index(b.Instrs, instr); i >= 0; i-- {
		if b.Instrs[i].Pos().IsValid() {
			return b.Instrs[i].Pos()
		}
	}
	return f.fn.Pos()
}

// inside returns pos, which a callee has noted, if it is in a literal of this function. Otherwise it returns the position
// of the call, because the callee may be right for other callers.
func (f *function) inside(pos token.Pos, instr ssa.CallInstruction) token.Pos {
	if f.within(pos) {
		return pos
	}
	return f.position(instr)
}

// within reports whether pos is in the function's source, including its literals.
func (f *function) within(pos token.Pos) bool {
	body := f.fn.Syntax()
	return body != nil && body.Pos() <= pos && pos < body.End()
}
