package flow

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// position is where an instruction stands in the source, or the expression
// that it belongs to.
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
	// The nearest instruction before it that has one.
	b := instr.Block()
	for i := slices.Index(b.Instrs, instr); i >= 0; i-- {
		if b.Instrs[i].Pos().IsValid() {
			return b.Instrs[i].Pos()
		}
	}
	return f.fn.Pos()
}

// within reports whether pos stands in the source of the function, its literals
// included.
func (f *function) within(pos token.Pos) bool {
	body := f.fn.Syntax()
	return body != nil && body.Pos() <= pos && pos < body.End()
}
