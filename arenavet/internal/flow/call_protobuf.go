package flow

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

const protobufPath = catalog.ArenaPath + "/adapters/protobuf"

// protobufCall is a call of a function of package arenapb: a message that it reads
// lies in the arena, and a clone on the heap.
func (f *function) protobufCall(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, name string, args []value) (value, bool) {
	switch name {
	case "Clone":
		f.useDeep(st, args[0], instr)
		return nil, true
	case "Unmarshal", "UnmarshalOptions.Unmarshal":
		n := len(args) - 3
		f.useHandle(st, args[n], f.position(instr))
		f.use(st, args[n+1], instr) // which is copied
		f.useDeep(st, args[n+2], instr)
		f.decode(st, instr, common.Args[n+2], args[n+2], args[n])
		return nil, true
	}
	return nil, false
}
