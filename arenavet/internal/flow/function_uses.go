package flow

import "golang.org/x/tools/go/ssa"

// use sees v if it was taken back.
func (f *function) use(st *state, v value, instr ssa.Instruction) {
	f.useBy(st, v, instr, unlocksBy(instr))
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
