package flow

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// use reports v if it is stale.
func (f *function) use(st *state, v value, instr ssa.Instruction) {
	f.useBy(st, v, instr, ssaform.UnlocksBy(instr))
}

// useBy is use for an instruction that may unlock a mutex.
func (f *function) useBy(st *state, v value, instr ssa.Instruction, unlock bool) {
	f.noteRead(st, v, unlock)
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
		switch {
		case depth == 0:
		case b.Region != nil:
			f.use(st, one(b), instr)
		default:
			f.noteRead(st, one(b), false) // a captured variable's, which a deferred literal reads late
		}
	})
}

// noteEnd notes that an arena of callers was taken back. by is nil if the arena is nil.
func (f *function) noteEnd(st *state, k *Site, by *Event) {
	if _, ok := f.place(k); ok && k.Kind == SymbolSite && len(st.ended) < maxUses {
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
			f.noteUse(st, useKey{arena, atoms[0].Site}, use{by.Op, unlock, pos, by.Pos})
		}
	}
}

// noteRead notes a use of memory behind an argument. An argument itself is used at the call.
func (f *function) noteRead(st *state, v value, unlock bool) {
	atoms := v.atoms()
	if len(atoms) != 1 {
		return
	}
	k := atoms[0].Site
	if k.Kind == SymbolSite && atoms[0].Stale == nil && !summarySymbol(k) && strings.Contains(k.Path, access.Deref) {
		f.noteUse(st, useKey{used: k}, use{unlock: unlock})
	}
}

func (f *function) noteUse(st *state, key useKey, u use) {
	if had, ok := st.uses[key]; ok && (had.unlock || !u.unlock) || !ok && len(st.uses) >= maxUses {
		return
	}
	st.uses[key] = u
}
