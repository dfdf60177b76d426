package ssaform

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
)

// Liveness tells which registers are read in a block or after it. Other registers are dropped where paths meet.
// Otherwise their contents on different paths would be mixed, and contents of an earlier iteration would return.
type Liveness struct {
	in       []map[ssa.Value]bool // by block: registers defined before and read there or later; nil if there are too many
	deferred map[ssa.Value]bool   // arguments of deferred calls, which run at the end
	size     int                  // of in
}

// maxLive bounds the size of a Liveness. Larger functions keep all registers that may be read; see At.
const maxLive = 1_000_000

// LivenessOf computes the liveness of fn, from each use back to the definition.
func LivenessOf(fn *ssa.Function) *Liveness {
	l := &Liveness{in: make([]map[ssa.Value]bool, len(fn.Blocks)), deferred: map[ssa.Value]bool{}}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if phi, ok := instr.(*ssa.Phi); ok {
				for i, v := range phi.Edges {
					l.read(v, b.Preds[i])
				}
				continue
			}
			if v := sentBy(instr); v != nil {
				l.read(v, b) // a select reads what it sends in the case that was chosen
			}
			_, isDefer := instr.(*ssa.Defer)
			for _, p := range instr.Operands(nil) {
				if *p == nil {
					continue
				}
				if isDefer {
					l.deferred[*p] = true
				}
				l.read(*p, b)
			}
		}
	}
	if l.size > maxLive {
		l.in = nil
	}
	return l
}

// read notes that v is read in b.
func (l *Liveness) read(v ssa.Value, b *ssa.BasicBlock) {
	made, ok := v.(ssa.Instruction)
	if !ok || access.PointerFree(v.Type()) && !isBoolean(v.Type()) {
		return
	}
	for work := []*ssa.BasicBlock{b}; len(work) > 0 && l.size <= maxLive; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == made.Block() || l.in[b.Index][v] {
			continue
		}
		if l.in[b.Index] == nil {
			l.in[b.Index] = map[ssa.Value]bool{}
		}
		l.in[b.Index][v] = true
		l.size++
		work = append(work, b.Preds...)
	}
}

// At reports whether v must be known at the beginning of b. Arguments and captured variables always are.
func (l *Liveness) At(v ssa.Value, b *ssa.BasicBlock) bool {
	made, ok := v.(ssa.Instruction)
	switch {
	case !ok || l.deferred[v]:
		return true
	case l.in == nil:
		return made.Block().Dominates(b)
	}
	return l.in[b.Index][v]
}

// isBoolean reports whether a register may be a condition.
func isBoolean(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}
