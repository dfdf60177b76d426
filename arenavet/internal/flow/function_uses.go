package flow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// use sees v if it was taken back.
func (f *function) use(st *state, v value, instr ssa.Instruction) {
	f.useBy(st, v, instr, ssaform.UnlocksBy(instr))
}

// useBy is use, and sees whether it is by giving back a mutex.
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

// read is use, and sees v if it was never written.
func (f *function) read(st *state, v value, instr ssa.Instruction) {
	f.use(st, v, instr)
	for _, a := range v.atoms() {
		if st.unread[a.Site] {
			f.see(Fault{Kind: FaultUnwritten, Of: a, Pos: f.position(instr)})
		}
	}
}

// unboxed is the value in an interface, where its box is read.
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

// useDeep is a use of v and of all that it leads to.
func (f *function) useDeep(st *state, v value, instr ssa.Instruction) {
	f.use(st, v, instr)
	st.reach(v, func(b Atom, depth int) {
		if depth > 0 && b.Region != nil {
			f.use(st, one(b), instr)
		}
	})
}

// noteEnd notes that an arena that callers know was taken back; by is nil where
// there is none to take back.
func (f *function) noteEnd(st *state, k *Site, by *Event) {
	if _, ok := f.place(k); ok && k.Kind == SymbolSite && len(st.ended) < maxReads {
		st.ended[k] = by
	}
}

// noteLate notes a use of v, if callers may know that it lies in an arena that
// was taken back before. What lies behind a field is not meant: code that is
// not known may have put something else there.
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
