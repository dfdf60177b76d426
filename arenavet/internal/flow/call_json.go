package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

const jsonPath = catalog.ArenaPath + "/arenajson"

// jsonCall is a call of a function of package arenajson: what it reads into a value
// lies in the arena, and so does the text that it writes.
func (f *function) jsonCall(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, name string, args []value) (value, bool) {
	switch name {
	case "Marshal", "MarshalWrite", "Unmarshal", "UnmarshalRead", "NewDecoder", "Decoder.Decode", "Decoder.More":
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
		return f.allocate(st, instr, name, args[0]).under(tuple(0)), true
	case "MarshalWrite":
		f.useHandle(st, args[0], f.position(instr))
		f.writes(st, instr, common, args)
	case "Unmarshal", "UnmarshalRead":
		f.useHandle(st, args[0], f.position(instr))
		f.decode(st, instr, common.Args[2], args[2], args[0])
	case "NewDecoder":
		f.useHandle(st, args[0], f.position(instr))
		if call, ok := instr.(*ssa.Call); ok {
			return f.holding(st, call, "", element, args[0]), true
		}
	case "Decoder.Decode":
		var arena value
		for _, a := range args[0].atoms() {
			for _, b := range st.load(a.Site, a.off+element, []leaf{{}}).atoms() {
				if mayBeHandle(b.Site) && b.Region == nil {
					arena = arena.add(entry{"", b})
				}
			}
		}
		f.useHandle(st, arena, f.position(instr))
		f.decode(st, instr, common.Args[1], args[1], arena)
		for _, a := range args[0].atoms() { // a Decoder of callers, who know its arena
			if at, ok := f.place(a.Site); ok && a.Site.Kind == SymbolSite {
				at.Path += deref + a.off + element
				f.decodeLater(st, common.Args[1], at)
			}
		}
	}
	return nil, true
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

// decode fills what into leads to with memory of an arena. It is given as an
// interface. Where the pointer in it is known to the function's callers only, it is they
// for whom that is done.
func (f *function) decode(st *state, instr ssa.CallInstruction, given ssa.Value, into, arena value) {
	given = unboxed(given)
	p, ok := given.Type().Underlying().(*types.Pointer)
	known := ok && !isGeneric(p.Elem())
	if !known {
		for _, b := range arena.atoms() {
			if at, ok := f.place(b.Site); ok && b.Site.Kind == SymbolSite {
				f.decodeLater(st, given, at)
			}
		}
	}
	if p == nil {
		return
	}
	d := decoded{f: f, st: st, instr: instr, arena: arena, known: map[string]value{}}
	for _, l := range leaves(p.Elem()) {
		v := d.of(l.typ)
		for _, a := range into.atoms() {
			f.put(st, a.Site, a.off+l.path, nil, v, false, f.position(instr))
		}
	}
	f.touch(st, into)
}

// decodeLater notes that callers are to decode with the arena at a place, if what is given
// is a parameter.
func (f *function) decodeLater(st *state, given ssa.Value, at Place) {
	if p, ok := unboxed(given).(*ssa.Parameter); ok {
		to := Source{Kind: Same, At: Place{Param: slices.Index(f.fn.Params, p)}}
		f.effectAt(st, OpDecode, at, Place{}, to, true, token.NoPos)
	}
}

// unboxed returns what an interface was made of.
func unboxed(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		default:
			return v
		}
	}
}

// isComposite reports whether a value of type t has parts that may lie in an arena.
func isComposite(t types.Type) bool {
	all := leaves(t)
	return len(all) > 1 || len(all) == 1 && all[0].path != ""
}

func isGeneric(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// applyDecode is decode by a function that is called.
func (f *function) applyDecode(st *state, instr ssa.CallInstruction, e Effect, args []value, arena value) {
	common, n := instr.Common(), e.From.At.Param
	given := n
	if fn := common.StaticCallee(); fn == nil || n >= len(args) {
		return
	} else if strings.HasPrefix(fn.Synthetic, "bound method wrapper") {
		given-- // a method value has its receiver captured
	}
	if given < len(common.Args) {
		f.decode(st, instr, common.Args[given], args[n], arena)
	}
}

// decoded makes the objects that a decoder makes, one for each type.
type decoded struct {
	f     *function
	st    *state
	instr ssa.CallInstruction
	arena value
	known map[string]value
}

// of is a value of type t that was decoded.
func (d *decoded) of(t types.Type) value {
	if ofProtobuf(t) {
		return nil
	}
	name := catalog.TypeName(t)
	if v, ok := d.known[name]; ok {
		return v
	}
	k := d.f.site(d.instr, "decoded "+name, MemorySite, token.NoPos) // it has not the name of the call's result
	k.typ = catalog.TypeName(typeAlong(t, deref))
	d.st.remake(k)
	v := d.f.memory(d.st, k, d.arena)
	d.known[name] = v
	fill := func(off string, t types.Type) {
		for _, l := range leaves(t) {
			d.st.store(k, off+l.path, nil, d.of(l.typ), false)
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		fill("", u.Elem())
	case *types.Slice:
		fill(element, u.Elem())
	case *types.Map:
		fill(keyStep, u.Key())
		fill(element, u.Elem())
	case *types.Interface: // a string, or a map or slice of such
		d.st.store(k, keyStep, nil, v, false)
		d.st.store(k, element, nil, v, false)
	case *types.Signature, *types.Chan:
		delete(d.known, name)
		return nil
	}
	return v
}
