package flow

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A function that reads memory of its caller's through the object that holds
// it, as a method does with a field, is at fault where the caller has reset the
// arena before: the caller reports it. Only what is read on every path counts,
// so that a function that looks first whether there is anything is not meant.

// maxReads bounds what is noted of one function.
const maxReads = 16

// Read is memory that a function reads.
type Read struct {
	At     Place
	Unlock bool // to give back a mutex
}

// noteRead notes that v is read here: memory that callers know, if it lies
// behind what the function was given. The argument itself is read where the
// call stands.
func (s *state) noteRead(v value, unlock bool) {
	atoms := v.atoms()
	if len(atoms) != 1 || len(s.reads) >= maxReads {
		return
	}
	k := atoms[0].Site
	if k.Kind != SymbolSite || atoms[0].Stale != nil || summarySymbol(k) || !strings.Contains(k.Path, deref) {
		return
	}
	s.reads[k] = s.reads[k] || unlock
}

// joinReads leaves what both paths have read.
func (s *state) joinReads(t *state) bool {
	changed := false
	for k := range s.reads {
		if unlock, ok := t.reads[k]; !ok {
			delete(s.reads, k)
			changed = true
		} else if unlock && !s.reads[k] {
			s.reads[k] = true
			changed = true
		}
	}
	return changed
}

// readsOf are the places that a function has read when it returns.
func (f *function) readsOf(exit *state) []Read {
	var out []Read
	for k, unlock := range exit.reads {
		if p, ok := f.place(k); ok {
			out = append(out, Read{p, unlock})
		}
	}
	slices.SortFunc(out, func(a, b Read) int { return strings.Compare(a.At.key(), b.At.key()) })
	return out
}

// applyReads is what a callee reads, done here, before anything else that it
// does: it may reset the arena afterwards.
func (f *function) applyReads(st *state, instr ssa.CallInstruction, s *Summary, args []value) {
	for _, r := range s.Reads {
		var memory value
		for _, a := range f.resolve(st, instr, r.At, args).atoms() {
			if a.Region != nil || a.Stale == nil {
				memory = memory.add(entry{"", a})
			}
		}
		f.useBy(st, memory, instr, r.Unlock)
	}
}
