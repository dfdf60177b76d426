package flow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// madeCall models the functions of package arena that copy values, text or input into an arena.
func (f *function) madeCall(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, name string, args []value) (value, bool) {
	arg := func(i int) value { return nth(args, i) }
	reads := func() {
		for _, a := range args[min(1, len(args)):] {
			f.read(st, a, instr)
		}
	}
	pos := f.position(instr)
	switch name {
	case "NewOf":
		reads()
		p := f.allocate(st, instr, name, arg(0))
		f.put(st, p[0].a.Site, "", nil, arg(1), false, pos)
		return p, true
	case "BoxOf":
		reads()
		if len(common.Args) > 1 && !catalog.IsBoxed(common.Args[1].Type()) {
			return arg(1), true
		}
		box := f.allocate(st, instr, name, arg(0))
		return box.union(arg(1)), true
	case "SliceOf", "CloneSlice", "Collect":
		f.useArgs(st, instr, common, "", args, nil)
		items := value(nil)
		if len(common.Args) > 1 {
			items = f.contents(st, arg(1), common.Args[1].Type())
		}
		f.callArguments(st, instr, args)
		s := f.allocate(st, instr, name, arg(0))
		f.put(st, s[0].a.Site, access.Element, nil, items, false, pos)
		return s, true

	case "Arena.Sprintf", "Arena.Concat", "Arena.Join", "Arena.ToLower", "Arena.ToUpper":
		for _, a := range args[min(1, len(args)):] {
			f.useDeep(st, a, instr)
		}
		return f.allocate(st, instr, name, arg(0)).union(f.uncopied(st, common, name, args)), true
	case "ReadAll":
		f.useArgs(st, instr, common, "", args, nil)
		f.touchArgs(st, args)
		return f.allocate(st, instr, name, arg(0)).under(access.Tuple(0)), true

	case "Buffer.Bytes", "Buffer.String":
		f.use(st, arg(0), instr)
		return arg(0), true // which share the buffer's memory

	case "Escape":
		f.useHandle(st, arg(0), pos)
		f.useDeep(st, arg(1), instr)
		return escaped(arg(1), arg(0)), true

	case "AllocatorFor":
		f.useHandle(st, arg(0), pos)
		return arg(0), true // an Allocator stands for its arena
	case "NewContext":
		ctx := f.standardResult(st, instr, catalog.Of(catalog.Holder, 0, 1), args)
		for _, a := range ctx.atoms() {
			st.store(a.Site, access.Source, nil, arg(1), false)
		}
		return ctx, true
	case "FromContext":
		if own := f.at(st, arg(0), access.Source, common.Signature().Results().At(0).Type()); len(own) > 0 {
			return own, true
		}
		return f.unknownInstr(st, instr), true
	}
	if name == "NewMap" || strings.HasPrefix(name, "Map.") {
		return f.mapCall(st, instr, common, name, args)
	}
	if strings.HasPrefix(name, "Buffer.") {
		// It copies its arguments.
		f.useArgs(st, instr, common, "", args, nil)
		f.touchArgs(st, args[min(1, len(args)):])
		return nil, true
	}
	return nil, false
}

// uncopied returns the operands that a function may return unchanged: nothing in them changes, or all others are empty.
func (f *function) uncopied(st *state, common *ssa.CallCommon, name string, args []value) value {
	if len(common.Args) < 2 {
		return nil
	}
	switch name {
	case "Arena.ToLower", "Arena.ToUpper":
		return args[1]
	case "Arena.Concat", "Arena.Join":
		list := ssaform.Operands(common.Args[1])
		if len(list) == 0 {
			return f.contents(st, args[1], common.Args[1].Type())
		}
		if name == "Arena.Join" && len(list) > 1 {
			return nil
		}
		var out value
		for i, v := range list {
			alone := true
			for j, w := range list {
				alone = alone && (i == j || w == nil || !ssaform.NotEmpty(w))
			}
			if v != nil && alone {
				out = out.union(f.eval(st, v))
			}
		}
		return out
	}
	return nil
}

// mapCall models NewMap and the methods of Map. Keys and values have the paths of a builtin map's.
func (f *function) mapCall(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, name string, args []value) (value, bool) {
	if name == "NewMap" {
		f.useArgs(st, instr, common, "", args, nil)
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
		f.putIn(st, m, access.Key, args[1], pos)
		f.putIn(st, m, access.Element, args[2], pos)
	case "Map.Get":
		return f.at(st, m, access.Element, elem).under(access.Tuple(0)), true
	case "Map.Ptr":
		return m.at(access.Element), true
	case "Map.All", "Map.Keys", "Map.Values":
		call, ok := instr.(*ssa.Call)
		if !ok {
			return nil, true
		}
		walk := f.holding(st, call, "", access.Source, m)
		k := walk[0].a.Site
		switch name {
		case "Map.Keys":
			st.store(k, access.Element, nil, f.at(st, m, access.Key, key), false)
		case "Map.All":
			st.store(k, access.Key, nil, f.at(st, m, access.Key, key), false)
			fallthrough
		case "Map.Values":
			st.store(k, access.Element, nil, f.at(st, m, access.Element, elem), false)
		}
		return walk, true
	case "Map.Clear":
		f.emptied(st, m, types.NewMap(key, elem))
	}
	return nil, true
}

// mapTypes returns the types of the keys and values of the receiver.
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
