package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// mapCall is arenaCall for an arena's Map. Its keys and values lie at the same
// places as a builtin map's, the map itself in the arena.
func (f *function) mapCall(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, name string, args []value) (value, bool) {
	if name == "NewMap" {
		f.useArgs(st, instr, common, args, nil)
		return f.allocate(st, instr, name, args[0]), true
	}
	key, elem := mapTypes(common)
	if elem == nil || len(args) == 0 {
		return nil, false
	}
	m, pos := args[0], f.position(instr)
	for _, a := range args {
		f.use(st, a, instr)
	}
	switch name {
	case "Map.Set":
		for _, a := range m.atoms() {
			f.put(st, a.Site, a.off+keyStep, leaves(key), args[1], false, pos)
			f.put(st, a.Site, a.off+element, leaves(elem), args[2], false, pos)
		}
	case "Map.Get":
		return f.at(st, m, element, elem).under(tuple(0)), true
	case "Map.Ptr":
		return m.at(element), true
	case "Map.All", "Map.Keys", "Map.Values":
		call, ok := instr.(*ssa.Call)
		if !ok {
			return nil, true
		}
		walk := f.holding(st, call, "", sourceStep, m)
		k := walk[0].a.Site
		switch name {
		case "Map.Keys":
			st.store(k, element, nil, f.at(st, m, keyStep, key), false)
		case "Map.All":
			st.store(k, keyStep, nil, f.at(st, m, keyStep, key), false)
			fallthrough
		case "Map.Values":
			st.store(k, element, nil, f.at(st, m, element, elem), false)
		}
		return walk, true
	case "Map.Clear":
		f.emptied(st, m, types.NewMap(key, elem))
	}
	return nil, true
}

// mapTypes are the types of the keys and values of the Map that a call is a
// method of.
func mapTypes(common *ssa.CallCommon) (key, elem types.Type) {
	if len(common.Args) == 0 || catalog.ArenaType(common.Args[0].Type()) != "Map" {
		return nil, nil
	}
	p, ok := types.Unalias(common.Args[0].Type()).(*types.Pointer)
	if !ok {
		return nil, nil
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok || n.TypeArgs().Len() != 2 {
		return nil, nil
	}
	return n.TypeArgs().At(0), n.TypeArgs().At(1)
}
