package flow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// use reports v if it is stale.
func (f *function) use(st *state, v value, instr ssa.Instruction) {
	f.useBy(st, v, instr, ssaform.UnlocksBy(instr))
}

// useBy is use for an instruction that may unlock a mutex.
func (f *function) useBy(st *state, v value, instr ssa.Instruction, unlock bool) {
	st.noteRead(v, unlock)
	f.noteLate(st, v, unlock, f.position(instr))
	for _, a := range v.atoms() {
		if a.Stale == nil {
			continue
		}
		if a.Region == nil {
			f.see(Fault{Kind: FaultHandle, Of: a, Pos: f.position(instr)})
		} else if a.Site.Kind != MarkSite {
			f.see(Fault{Kind: FaultUse, Of: a, Pos: f.position(instr), Unlock: unlock})
		}
	}
}

// read is use, and also reports memory that was never written.
func (f *function) read(st *state, v value, instr ssa.Instruction) {
	f.use(st, v, instr)
	for _, a := range v.atoms() {
		if st.unread[a.Site] {
			f.see(Fault{Kind: FaultUnwritten, Of: a, Pos: f.position(instr)})
		}
	}
}

// unboxed reads the box of an interface, and returns the value in it.
func (f *function) unboxed(st *state, x value, instr ssa.Instruction) (out value) {
	for _, e := range x {
		if e.a.Site.box {
			f.use(st, one(e.a), instr)
		} else {
			out = append(out, e)
		}
	}
	return out
}

// useDeep is use of v and everything it leads to.
func (f *function) useDeep(st *state, v value, instr ssa.Instruction) {
	f.use(st, v, instr)
	st.reach(v, func(b Atom, depth int) {
		if depth > 0 && b.Region != nil {
			f.use(st, one(b), instr)
		}
	})
}

// noteEnd notes that an arena of callers was taken back. by is nil if the arena is nil.
func (f *function) noteEnd(st *state, k *Site, by *Event) {
	if _, ok := f.place(k); ok && k.Kind == SymbolSite && len(st.ended) < maxReads {
		st.ended[k] = by
	}
}

// noteLate notes a use of v if it may be memory of an arena that callers know and that was taken back. Memory behind a
// field does not count, because unknown code may have replaced it.
func (f *function) noteLate(st *state, v value, unlock bool, pos token.Pos) {
	atoms := v.atoms()
	if len(st.ended) == 0 || len(atoms) != 1 || atoms[0].Region != nil || atoms[0].Stale != nil || !isGiven(atoms[0].Site) {
		return
	}
	for arena, by := range st.ended {
		if by != nil {
			f.late(st, lateKey{arena, atoms[0].Site}, lateUse{by.Op, unlock, pos, by.Pos})
		}
	}
}

func (f *function) late(st *state, key lateKey, use lateUse) {
	if had, ok := st.late[key]; ok && (had.unlock || !use.unlock) || !ok && len(st.late) >= maxReads {
		return
	}
	st.late[key] = use
}
