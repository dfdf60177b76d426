package flow

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

const jsonPath = catalog.ArenaPath + "/arenajson"

// jsonCall models a call of package arenajson. Decoded values and marshaled text are memory of the arena.
func (f *function) jsonCall(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, name string, args []value) (value, bool) {
	switch name {
	case "Marshal", "MarshalWrite", "Unmarshal", "UnmarshalRead", "NewDecoder", "Decoder.Decode", "Decoder.More", "Value.Object", "Value.Array":
	default:
		return nil, false
	}
	for i, a := range args {
		if !catalog.IsHandle(common.Args[i].Type()) {
			f.useDeep(st, a, instr)
		}
	}
	switch name {
	case "Marshal":
		return f.allocate(st, instr, name, args[0]).under(access.Tuple(0)), true
	case "MarshalWrite":
		f.useHandle(st, args[0], f.position(instr))
		f.writes(st, instr, common, args)
	case "Value.Object", "Value.Array":
		call, ok := instr.(*ssa.Call)
		if !ok {
			return nil, true
		}
		walk := f.holding(st, call, "", access.Element, args[0])
		var names value
		st.reach(args[0], func(a Atom, _ int) {
			if a.Region != nil {
				names = names.add(entry{"", a})
			}
		})
		st.store(walk[0].a.Site, access.Key, nil, names, false)
		return walk, true
	case "Unmarshal", "UnmarshalRead":
		f.useHandle(st, args[0], f.position(instr))
		f.decode(st, instr, common.Args[2], args[2], args[0])
	case "NewDecoder":
		f.useHandle(st, args[0], f.position(instr))
		if call, ok := instr.(*ssa.Call); ok {
			return f.holding(st, call, "", access.Element, args[0]), true
		}
	case "Decoder.Decode":
		var arena value
		for _, a := range args[0].atoms() {
			for _, b := range st.load(a.Site, a.off+access.Element, []access.Leaf{{}}).atoms() {
				if mayBeHandle(b.Site) && b.Region == nil {
					arena = arena.add(entry{"", b})
				}
			}
		}
		f.useHandle(st, arena, f.position(instr))
		f.decode(st, instr, common.Args[1], args[1], arena)
		for _, a := range args[0].atoms() { // a Decoder of callers, who know its arena
			if at, ok := f.place(a.Site); ok && a.Site.Kind == SymbolSite {
				at.Path += access.Deref + a.off + access.Element
				f.decodeLater(st, common.Args[1], at)
			}
		}
	}
	return nil, true
}

const protobufPath = catalog.ArenaPath + "/adapters/protobuf"

// protobufCall models a call of package arenapb. Decoded messages and marshaled bytes are memory of the arena, and
// clones are on the heap.
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
	case "Marshal", "MarshalOptions.Marshal":
		n := len(args) - 2
		f.useDeep(st, args[n+1], instr)
		return f.allocate(st, instr, name, args[n]).under(access.Tuple(0)), true
	}
	return nil, false
}
