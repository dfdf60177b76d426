package convert

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

// A pointer to a part of an owned object has another type, such as *string for &n.Name. It may be used to
// load and store, and passed to functions that do no more.

// checkInterior warns of a field's address that may outlive the arena, or through which a callee may change a
// holder.
func (p *program) checkInterior(f *ssa.Function, i *ssa.FieldAddr) {
	st := rewrite.StructOf(i)
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
		if p.isOwned(rewrite.StructOf(f)) {
			return true
		}
	}
	return false
}
