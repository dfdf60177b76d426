package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// decode stores memory of an arena in the object that given, an interface, leads to. If only callers know that object,
// they do it.
func (f *function) decode(st *state, instr ssa.CallInstruction, given ssa.Value, into, arena value) {
	given = ssaform.Unboxed(given)
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
	for _, l := range access.Leaves(p.Elem()) {
		f.putIn(st, into, l.Path, d.of(l.Type), f.position(instr))
	}
	f.touch(st, into)
}

// decodeLater lets callers decode if given is a parameter.
func (f *function) decodeLater(st *state, given ssa.Value, at Place) {
	if p, ok := ssaform.Unboxed(given).(*ssa.Parameter); ok {
		to := Source{Kind: Same, At: Place{Param: slices.Index(f.fn.Params, p)}}
		f.effectAt(st, OpDecode, at, Place{}, to, true, token.NoPos)
	}
}

// applyDecode applies the decoding that a callee leaves to its caller.
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

// decoded makes the objects of a decoder, one for each type.
type decoded struct {
	f     *function
	st    *state
	instr ssa.CallInstruction
	arena value
	known map[string]value
}

// of returns a decoded value of type t.
func (d *decoded) of(t types.Type) value {
	if ofProtobuf(t) {
		return nil
	}
	name := catalog.TypeName(t)
	if v, ok := d.known[name]; ok {
		return v
	}
	k := d.f.site(d.instr, "decoded "+name, MemorySite, token.NoPos) // no position: it has no name in the source
	k.typ = catalog.TypeName(access.TypeAlong(t, access.Deref))
	d.st.remake(k)
	v := d.f.memory(d.st, k, d.arena)
	d.known[name] = v
	fill := func(off string, t types.Type) {
		for _, l := range access.Leaves(t) {
			d.st.store(k, off+l.Path, nil, d.of(l.Type), false)
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		fill("", u.Elem())
	case *types.Slice:
		fill(access.Element, u.Elem())
	case *types.Map:
		fill(access.Key, u.Key())
		fill(access.Element, u.Elem())
	case *types.Interface: // a string, or a map or slice
		d.st.store(k, access.Key, nil, v, false)
		d.st.store(k, access.Element, nil, v, false)
	case *types.Signature, *types.Chan:
		delete(d.known, name)
		return nil
	}
	return v
}

func isGeneric(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// ofProtobuf reports whether t is the internal state of a generated message, which leads to all types of package proto
// and to no decoded value.
func ofProtobuf(t types.Type) bool {
	pkg, _ := catalog.NameOf(t)
	return strings.HasPrefix(pkg, "google.golang.org/protobuf/internal/")
}
