package life

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// instruction adds what one does.
func (f *function) instruction(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
		f.make(i.(ssa.Value))
	case *ssa.MakeClosure:
		r := f.make(i)
		for n, b := range i.Bindings {
			f.store(r, "fv"+itoa(n), f.of(b), nil, Reason{})
		}
	case *ssa.FieldAddr:
		t := i.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct).Field(i.Field)
		f.add(i, f.part(f.of(i.X), "."+t.Name(), key(i.Type())))
	case *ssa.IndexAddr:
		f.add(i, f.part(f.of(i.X), "[]", key(i.Type())))
	case *ssa.Slice:
		f.add(i, f.part(f.of(i.X), "", key(i.Type())))
	case *ssa.SliceToArrayPointer:
		f.add(i, f.part(f.of(i.X), "", key(i.Type())))
	case *ssa.Store:
		if intoError(i.Addr) && f.border(i.Pos(), i.Val) {
			return
		}
		if f.copied(i.Pos(), f.of(i.Addr), f.of(inBox(i.Val))) {
			return
		}
		f.assign(f.of(i.Addr), "", f.of(i.Val), i.Val.Type(), Reason{"is stored in what outlives the root", i.Pos()})
	case *ssa.MapUpdate:
		why := Reason{"is stored in a map that outlives the root", i.Pos()}
		if m, ok := i.Value.(*ssa.MakeInterface); ok && ofError(i.Map) && f.border(i.Pos(), m.X) {
			return
		}
		f.assign(f.of(i.Map), "k", f.of(i.Key), i.Key.Type(), why)
		if f.copied(i.Pos(), f.of(i.Map), f.of(inBox(i.Value))) {
			return
		}
		f.assign(f.of(i.Map), "v", f.of(i.Value), i.Value.Type(), why)
	case *ssa.UnOp:
		switch i.Op {
		case token.MUL:
			f.add(i, f.read(f.of(i.X), "", i.X.Type().Underlying().(*types.Pointer).Elem()))
		case token.ARROW:
			f.addTo(i, f.read(f.of(i.X), "v", i.X.Type().Underlying().(*types.Chan).Elem()))
		}
	case *ssa.Lookup:
		if m, ok := i.X.Type().Underlying().(*types.Map); ok {
			f.addTo(i, f.read(f.of(i.X), "v", m.Elem()))
		}
	case *ssa.Next:
		if m, ok := i.Iter.(*ssa.Range).X.Type().Underlying().(*types.Map); ok {
			f.addTo(i, f.read(f.of(i.Iter.(*ssa.Range).X), "k", m.Key()))
			f.addTo(i, f.read(f.of(i.Iter.(*ssa.Range).X), "v", m.Elem()))
		}
	case *ssa.Extract:
		if t, ok := f.tuples[i.Tuple]; ok {
			f.add(i, t[i.Index])
		} else {
			f.add(i, f.of(i.Tuple))
		}
	case *ssa.Select:
		for _, s := range i.States {
			if s.Send != nil {
				f.assign(f.of(s.Chan), "v", f.of(s.Send), s.Send.Type(), Reason{"is sent on a channel that outlives the root", s.Pos})
				continue
			}
			f.addTo(i, f.read(f.of(s.Chan), "v", s.Chan.Type().Underlying().(*types.Chan).Elem()))
		}
	case *ssa.Send:
		if f.copied(i.Pos(), f.of(i.Chan), f.of(inBox(i.X))) {
			return
		}
		f.assign(f.of(i.Chan), "v", f.of(i.X), i.X.Type(), Reason{"is sent on a channel that outlives the root", i.Pos()})
	case *ssa.Panic:
		if v := panicString(i); v != nil && f.border(i.Pos(), v) {
			return
		}
		f.leak(f.of(i.X), nil, Reason{"is what a panic has", i.Pos()})
	case *ssa.Phi:
		for _, e := range i.Edges {
			f.add(i, f.of(e))
		}
	case *ssa.Field:
		f.add(i, f.of(i.X))
	case *ssa.Index:
		f.add(i, f.of(i.X))
	case *ssa.TypeAssert:
		f.assert(i)
	case *ssa.MakeInterface:
		if _, isPointer := i.X.Type().Underlying().(*types.Pointer); !isPointer {
			f.add(i, setOf(f.whole(f.made(site, i, key(i.Type())), box)))
		}
		f.boxed(i, i.X)
	case *ssa.ChangeInterface:
		f.boxed(i, i.X)
		f.addTo(i, f.inError(i.X, key(i.Type())))
	case *ssa.ChangeType:
		if k := key(i.Type()); k != "" && k != key(i.X.Type()) {
			f.leak(f.of(i.X), nil, Reason{"is converted to another type", i.Pos()})
			f.longLived(i)
			return
		}
		f.add(i, f.of(i.X))
	case *ssa.MultiConvert, *ssa.Convert:
		f.convert(i.(ssa.Value), *i.Operands(nil)[0])
	case *ssa.BinOp:
		if i.Op == token.ADD && catalog.IsText(i.Type()) {
			f.make(i)
			f.add(i, f.of(i.X))
			f.add(i, f.of(i.Y))
		}
	case ssa.CallInstruction:
		f.call(i)
	}
}

// boxed is a value in an interface. Errors are logged and kept for long, by who gets them from the root.
func (f *function) boxed(v, x ssa.Value) {
	f.add(v, f.of(x))
	if types.Implements(v.Type(), errorType) {
		f.outlive(f.of(v), Reason{OfError, v.Pos()})
	}
}

// inError is what lies in a value that is an error, if that may come from a caller: all of that lives for long, by
// whatever way the caller has it.
func (f *function) inError(v ssa.Value, typ string) *set {
	if !types.Implements(v.Type(), errorType) || !f.of(v).meets(&f.outer) {
		return nil
	}
	return setOf(f.lasting(0, typ))
}

// foundError is boxed for what an assertion finds to be an error of a type.
func (f *function) foundError(s *set, typ string, pos token.Pos) {
	types, kept := f.p.types, &set{}
	for n := range s.all() {
		switch r := f.refs[n]; {
		case r.kind == param && unknown(r.to):
			for k := range types.held[typ] {
				kept.put(f.number(f.thing(object{kind: param, n: r.n, deep: r.deep, typ: k}).place(r.path), k))
			}
		case r.to == box || types.shared(typ, r.to):
			kept.put(n)
		}
	}
	f.outlive(kept, Reason{OfError, pos})
}

func (f *function) assert(i *ssa.TypeAssert) {
	var all []leaf
	if i.CommaOk {
		all = leaves(i.Type().(*types.Tuple).At(0).Type())
	} else {
		all = leaves(i.Type())
	}
	to, s := &set{}, f.of(i.X)
	for _, l := range all {
		k := key(l.typ)
		if types.IsInterface(l.typ) && types.Implements(l.typ, errorType) && !types.Implements(i.X.Type(), errorType) {
			f.foundError(s, k, i.Pos())
		}
		to.putAll(f.inError(i.X, k))
		if unknown(k) {
			to.putAll(s)
			continue
		}
		to.putIn(s, f.byType[k])
		for n := range s.both(f.openedAs(k)) {
			r := f.refs[n]
			o := r.object
			if o.kind != site && o.typ != "" && r.path == "" { // what was read from JSON is one object, whatever is in it
				if o.typ = k; !f.may(o, "") {
					continue
				}
			}
			to.put(f.number(f.thing(o).place(r.path), k))
		}
	}
	f.addTo(i, to)
}

func (f *function) convert(v, x ssa.Value) {
	to, from := key(v.Type()), key(x.Type())
	if len(leaves(v.Type())) == 0 && len(leaves(x.Type())) == 0 {
		return
	}
	switch {
	case to == "string" || from == "string":
		if to == from {
			f.add(v, f.of(x))
		} else {
			f.make(v)
		}
	case compared(v):
	default: // unsafe.Pointer
		f.leak(f.of(x), nil, Reason{"is converted by unsafe", v.Pos()})
		f.longLived(v)
	}
}

// solve goes over the function until nothing changes. It reports whether it did so in its steps.
func (f *function) solve() bool {
	defer func() { f.reached = nil }() // all of it is large
	most := maxSteps
	if f.alike == nil {
		most = FineSteps
	}
	for before := -1; before < f.changes; {
		before = f.changes
		for _, b := range f.fn.Blocks {
			for _, i := range b.Instrs {
				if f.instruction(i); f.steps > most {
					return false
				}
			}
		}
	}
	return true
}
