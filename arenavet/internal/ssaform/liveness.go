package ssaform

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
)

// Liveness has which registers of a function are read in a block or after it.
// The others must not be carried into it: where paths meet, what a register
// led to on one of them would be mixed with what it leads to on the other, and
// what one turn of a loop has dropped would be there in the next.
type Liveness struct {
	in       []map[ssa.Value]bool // by block: what is read there or later, but made before; nil if that is too much
	deferred map[ssa.Value]bool   // what deferred calls are given: they come at the end
	size     int                  // of in
}

// maxLive bounds the size of a liveness. A function that has more registers
// in more blocks keeps those that could be read instead: see at.
const maxLive = 1_000_000

// LivenessOf finds what fn reads where, going back from each use to where the
// register is made.
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
				l.read(v, b) // what a select sends is looked at where it was chosen
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

// read notes that v is read in b, or at b's end.
func (l *Liveness) read(v ssa.Value, b *ssa.BasicBlock) {
	made, ok := v.(ssa.Instruction)
	if !ok || access.PointerFree(v.Type()) {
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

// At reports whether v has to be known where b begins. Arguments and captured
// variables always are.
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
