package flow

import "golang.org/x/tools/go/ssa"

// fixedpoolCall models a call of package fixedpool: a slot is a region of its own,
// from Allocate to Deallocate.
func (f *function) fixedpoolCall(st *state, instr ssa.CallInstruction, name string, args []value, deferred bool) (value, bool) {
	pos := f.position(instr)
	switch name {
	case "New", "NewSync":
		return f.unknownInstr(st, instr), true
	case "Pool.Allocate", "SyncPool.Allocate":
		k := f.site(instr, "", MemorySite, pos)
		k.Slot = true
		st.remake(k)
		return one(Atom{Site: k, Region: k}), true
	case "Pool.Deallocate", "SyncPool.Deallocate":
		f.takeBack(st, args[1], OpDeallocate, pos, true, deferred, "Deallocate")
		return nil, true
	}
	return nil, false
}
