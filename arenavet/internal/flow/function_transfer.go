package flow

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

func (f *function) block(st *state, b *ssa.BasicBlock) {
	for _, instr := range b.Instrs {
		if f.budget < 0 {
			return
		}
		f.instruction(st, instr)
	}
}

func (f *function) instruction(st *state, instr ssa.Instruction) {
	switch instr := instr.(type) {
	case *ssa.Phi: // see edge
	case *ssa.Store:
		f.storeTo(st, instr)
	case *ssa.MapUpdate:
		f.use(st, f.eval(st, instr.Key), instr)
		f.putIn(st, f.eval(st, instr.Map), access.Element, f.eval(st, instr.Value), instr.Pos())
		f.putIn(st, f.eval(st, instr.Map), access.Key, f.eval(st, instr.Key), instr.Pos())
	case *ssa.Send:
		x := f.eval(st, instr.X)
		f.lend(st, x, instr.Pos(), sentOnChannel)
		f.letGo(st, x)
		f.give(st, x, instr.Pos())
		for _, c := range f.eval(st, instr.Chan).atoms() {
			if c.Site.Kind == LocalSite {
				st.store(c.Site, c.off+access.Element, nil, x, false)
			}
		}
	case *ssa.Go:
		f.goroutine(st, instr, &instr.Call)
	case *ssa.Defer:
		st.defers[instr] = true
		f.deferred(st, instr)
	case *ssa.RunDefers:
		f.runDefers(st)
	case *ssa.Return:
		f.returns(st, instr)
	case *ssa.If, *ssa.Jump, *ssa.Panic, *ssa.DebugRef:
	case ssa.Value:
		v := f.compute(st, instr.(ssa.Instruction), instr)
		if access.PointerFree(instr.Type()) {
			v = nil
		}
		st.regs[instr] = v
	}
}

// compute returns the value of an instruction.
func (f *function) compute(st *state, instr ssa.Instruction, v ssa.Value) value {
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
		return f.object(st, v)
	case *ssa.MakeClosure:
		out := f.object(st, v)
		k := out[0].a.Site
		k.fn, k.bindings = v.Fn.(*ssa.Function), len(v.Bindings)
		for i, b := range v.Bindings {
			val := f.eval(st, b)
			f.touch(st, val)
			st.store(k, access.Binding(i), nil, val, true)
		}
		return out
	case *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.SliceToArrayPointer:
		return f.eval(st, *instr.Operands(nil)[0])
	case *ssa.Convert:
		return f.convert(st, v)
	case *ssa.TypeAssert:
		x := f.eval(st, v.X)
		if !types.IsInterface(v.AssertedType) {
			x = f.unboxed(st, x, instr)
		}
		if len(x) == 0 && catalog.IsHandle(v.AssertedType) {
			return f.unknown(st, v, v.Type())
		}
		if v.CommaOk {
			return x.under(access.Tuple(0))
		}
		return x
	case *ssa.Extract:
		x := f.eval(st, v.Tuple).sel(access.Tuple(v.Index))
		if len(x) == 0 && catalog.IsHandle(v.Type()) {
			return f.unknown(st, v, v.Type())
		}
		return x
	case *ssa.FieldAddr:
		return f.eval(st, v.X).at(access.Field(v.Field))
	case *ssa.IndexAddr:
		return f.eval(st, v.X).at(access.Element)
	case *ssa.Field:
		return f.eval(st, v.X).sel(access.Field(v.Field))
	case *ssa.Index:
		x := f.eval(st, v.X)
		if _, ok := v.X.Type().Underlying().(*types.Array); ok {
			return x.sel(access.Element)
		}
		f.read(st, x, instr)
		return nil
	case *ssa.Lookup:
		return f.lookup(st, v)
	case *ssa.Slice:
		x := f.eval(st, v.X)
		if ssaform.CutToNothing(v) {
			f.emptied(st, x, v.X.Type())
		}
		return x
	case *ssa.Range:
		x := f.eval(st, v.X)
		f.read(st, x, instr)
		return x
	case *ssa.Next:
		return f.next(st, v)
	case *ssa.UnOp:
		return f.unary(st, v)
	case *ssa.BinOp:
		if b, ok := v.X.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			f.read(st, f.eval(st, v.X), instr)
			f.read(st, f.eval(st, v.Y), instr)
			if v.Op == token.ADD {
				return f.concatenation(st, v)
			}
		}
		return nil
	case *ssa.Select:
		return f.selects(st, v)
	case *ssa.Call:
		return f.call(st, v, &v.Call, false)
	}
	return nil
}

// convert models a conversion. Between strings and bytes, Go copies.
func (f *function) convert(st *state, v *ssa.Convert) value {
	x := f.eval(st, v.X)
	if catalog.IsText(v.Type()) != catalog.IsText(v.X.Type()) {
		f.read(st, x, v)
		return nil
	}
	return x
}

func (f *function) lookup(st *state, v *ssa.Lookup) value {
	x := f.eval(st, v.X)
	f.read(st, f.eval(st, v.Index), v)
	m, ok := v.X.Type().Underlying().(*types.Map)
	if !ok {
		f.read(st, x, v)
		return nil
	}
	out := f.at(st, x, access.Element, m.Elem())
	if v.CommaOk {
		out = out.under(access.Tuple(0))
	}
	if len(out) == 0 && catalog.IsHandle(m.Elem()) {
		return f.unknown(st, v, v.Type())
	}
	return out
}

func (f *function) next(st *state, v *ssa.Next) value {
	if v.IsString {
		return nil
	}
	r, ok := v.Iter.(*ssa.Range)
	if !ok {
		return nil
	}
	m, ok := r.X.Type().Underlying().(*types.Map)
	if !ok {
		return nil
	}
	x := f.eval(st, v.Iter)
	return f.at(st, x, access.Key, m.Key()).under(access.Tuple(1)).union(f.at(st, x, access.Element, m.Elem()).under(access.Tuple(2)))
}

func (f *function) unary(st *state, v *ssa.UnOp) value {
	x := f.eval(st, v.X)
	switch v.Op {
	case token.ARROW:
		if !ssaform.Expires(v.X) {
			f.wait(st)
		}
		return f.received(st, v, x)
	case token.MUL:
		f.read(st, x, v)
		if len(x) == 0 {
			return f.unknown(st, v, v.Type())
		}
		return f.at(st, x, "", v.Type())
	}
	return nil
}

// received models <-c: a value that this function has sent on its own channel, or any other. The channel is empty
// afterwards, or values of an earlier cycle would seem to stay in it.
func (f *function) received(st *state, v *ssa.UnOp, c value) value {
	elem, path := v.Type(), ""
	if v.CommaOk {
		elem, path = elem.(*types.Tuple).At(0).Type(), access.Tuple(0)
	}
	out := f.unknown(st, v, v.Type())
	for _, a := range c.atoms() {
		if a.Site.Kind == LocalSite {
			out = out.union(st.load(a.Site, a.off+access.Element, access.Leaves(elem)).under(path))
			st.drop(a.Site)
		}
	}
	return out
}

// storeTo models *addr = v.
func (f *function) storeTo(st *state, instr *ssa.Store) {
	addr := f.eval(st, instr.Addr)
	v := f.eval(st, instr.Val)
	if access.PointerFree(instr.Val.Type()) {
		v = nil
	}
	f.use(st, addr, instr)
	if _, ok := instr.Addr.(*ssa.IndexAddr); ok {
		f.replaced[instr] = f.replaced[instr].union(v)
	}
	targets := addr.atoms()
	for _, a := range targets {
		delete(st.unread, a.Site)
		strong := len(targets) == 1 && !a.Site.isOld && !strings.Contains(a.off, access.Element) && !summarySymbol(a.Site)
		f.put(st, a.Site, a.off, access.Leaves(instr.Val.Type()), v, strong, instr.Pos())
	}
	if len(targets) == 0 {
		f.letGo(st, v)
	}
}

// deferred applies the effects of a deferred call that count at the end only: an arena whose Put is deferred is put
// back on every path from here.
func (f *function) deferred(st *state, instr *ssa.Defer) {
	after := st.clone()
	was := f.observe
	f.observe = nil
	f.call(after, instr, &instr.Call, true)
	f.observe = was
	maps.DeleteFunc(st.open, func(k *Site, _ step) bool { _, open := after.open[k]; return !open })
}

// runDefers models the deferred calls, the last one first.
func (f *function) runDefers(st *state) {
	for _, d := range slices.SortedFunc(maps.Keys(st.defers), func(a, b *ssa.Defer) int { return int(b.Pos()) - int(a.Pos()) }) {
		if st.defers[d] {
			f.call(st, d, &d.Call, true)
			continue
		}
		after := st.clone()
		f.call(after, d, &d.Call, true)
		st.join(after)
	}
}
