package arenavet

import "golang.org/x/tools/go/ssa"

const fixedpoolPath = arenaPath + "/fixedpool"

// fixedpoolCall models a call of package fixedpool: a slot is a region of its own,
// from Allocate to Deallocate.
func (f *function) fixedpoolCall(st *state, instr ssa.CallInstruction, name string, args []value, deferred bool) (value, bool) {
	pos := f.position(instr)
	switch name {
	case "New", "NewSync":
		return f.unknownInstr(st, instr), true
	case "Pool.Allocate", "SyncPool.Allocate":
		k := f.site(instr, "", memorySite, pos)
		k.slot = true
		st.remake(k)
		return one(atom{site: k, region: k}), true
	case "Pool.Deallocate", "SyncPool.Deallocate":
		f.takeBack(st, args[1], opDeallocate, pos, true, deferred, "Deallocate")
		return nil, true
	}
	return nil, false
}
