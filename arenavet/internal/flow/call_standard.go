package flow

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// standardResult returns what a function of the standard library returns, as far
// as it is memory that it was given, or holds it.
func (f *function) standardResult(st *state, instr ssa.CallInstruction, r catalog.Result, args []value) value {
	v, ok := instr.(*ssa.Call)
	if !ok || r.Is == 0 {
		return nil
	}
	var from value
	for _, i := range r.Args {
		if i < len(args) {
			from = from.union(f.argument(st, v, r, i, args))
		}
	}
	if len(from) == 0 && r.Is != catalog.Cloned && r.Is != catalog.Grown && r.Is != catalog.GrownBy {
		return nil
	}
	list, ok := v.Type().(*types.Tuple)
	if !ok {
		return f.made(st, v, "", r, from, args, v.Type())
	}
	var out value
	for i := range list.Len() {
		t := list.At(i).Type()
		_, isFunc := t.Underlying().(*types.Signature)
		switch {
		case PointerFree(t) || isFunc: // what a function among several results does is not known
		case catalog.IsError(t):
			if r.InError {
				out = out.union(f.holding(st, v, tuple(i), element, from).under(tuple(i)))
			}
		default:
			out = out.union(f.made(st, v, tuple(i), r, from, args, t).under(tuple(i)))
		}
	}
	return out
}

// argument returns what a result has of argument i.
func (f *function) argument(st *state, call *ssa.Call, r catalog.Result, i int, args []value) value {
	t := call.Call.Args[i].Type()
	switch r.Is {
	case catalog.Item, catalog.Cloned:
		if elem, _ := inside(t); elem == nil {
			return f.at(st, args[i], element, call.Type()) // what a holder holds
		}
		return f.contents(st, args[i], t)
	case catalog.Joined, catalog.JoinedPath:
		list := operands(call.Call.Args[i])
		switch {
		case len(list) == 0:
			return f.contents(st, args[i], t)
		case r.Is == catalog.Joined && len(list) > 1, slices.ContainsFunc(list[:len(list)-1], notEmpty):
			return nil
		}
		return f.eval(st, list[len(list)-1])
	case catalog.Merged:
		elem, _ := inside(t)
		return f.contents(st, f.contents(st, args[i], t), elem)
	case catalog.Keys:
		_, key := inside(t)
		return f.at(st, args[i], keyStep, key)
	case catalog.Wrapper:
		return f.wrapped(st, call)
	case catalog.Inner:
		var out value
		st.reach(args[i], func(a Atom, _ int) {
			if a.Region != nil && a.Site.Kind != MarkSite {
				out = out.add(entry{"", a})
			}
		})
		return out
	}
	return args[i]
}

// made is a result of type t that has to do with from.
func (f *function) made(st *state, call *ssa.Call, part string, r catalog.Result, from value, args []value, t types.Type) value {
	switch r.Is {
	case catalog.Parts, catalog.Inner:
		return f.partsOf(st, call, part, from, t, 0)
	case catalog.Cloned:
		out := f.holding(st, call, part, element, from)
		if _, key := inside(t); key != nil {
			st.store(out[0].a.Site, keyStep, nil, f.at(st, args[0], keyStep, key), false)
		}
		return out
	case catalog.Holder, catalog.Merged, catalog.Keys, catalog.Wrapper:
		return f.holding(st, call, part, element, from)
	case catalog.Grown, catalog.GrownBy:
		return f.grow(st, call, part, r, from, args)
	}
	return from
}

// operands are the values of a slice that the source lists, as those of a
// variadic parameter. It is empty for other slices.
func operands(v ssa.Value) []ssa.Value {
	s, ok := v.(*ssa.Slice)
	if !ok || s.Low != nil || s.High != nil {
		return nil
	}
	array, ok := s.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var list []ssa.Value
	for _, use := range *array.Referrers() {
		at, ok := use.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		i, ok := at.Index.(*ssa.Const)
		if !ok {
			return nil
		}
		for _, use := range *at.Referrers() {
			if store, ok := use.(*ssa.Store); ok && store.Addr == at {
				for int64(len(list)) <= i.Int64() {
					list = append(list, nil)
				}
				list[i.Int64()] = store.Val
			}
		}
	}
	return list
}

// concatenation is x + y: a copy, but if one of them is empty it is the other
// one itself.
func (f *function) concatenation(st *state, v *ssa.BinOp) value {
	var out value
	if v.X == v.Y {
		return nil
	}
	if !notEmpty(v.Y) && !empty(v.X) {
		out = f.eval(st, v.X)
	}
	if !notEmpty(v.X) && !empty(v.Y) {
		out = out.union(f.eval(st, v.Y))
	}
	return out
}

// empty reports whether a string is s[:0].
func empty(v ssa.Value) bool {
	s, ok := v.(*ssa.Slice)
	if !ok {
		return false
	}
	high, ok := s.High.(*ssa.Const)
	return ok && high.Value != nil && high.Int64() == 0
}

// notEmpty reports whether a string is sure not to be empty.
func notEmpty(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return v.Value != nil && v.Value.Kind() == constant.String && constant.StringVal(v.Value) != ""
	case *ssa.BinOp:
		return v.Op == token.ADD && (notEmpty(v.X) || notEmpty(v.Y))
	case *ssa.Convert: // string(r) of a rune
		b, ok := v.X.Type().Underlying().(*types.Basic)
		return ok && b.Info()&types.IsInteger != 0
	case *ssa.Call:
		if fn := v.Call.StaticCallee(); fn != nil {
			switch catalog.CalleeName(fn) {
			case "strconv.Itoa", "strconv.FormatInt", "strconv.FormatUint", "strconv.FormatFloat", "strconv.FormatBool", "strconv.Quote":
				return true
			}
		}
	}
	return false
}

// wrapped returns what fmt.Errorf wraps: the other operands it copies as text.
func (f *function) wrapped(st *state, call *ssa.Call) value {
	format, ok := call.Call.Args[0].(*ssa.Const)
	if !ok || format.Value == nil {
		return nil
	}
	list := operands(call.Call.Args[1])
	var out value
	for _, i := range wraps(constant.StringVal(format.Value)) {
		if i < len(list) && list[i] != nil {
			out = out.union(f.eval(st, list[i]))
		}
	}
	return out
}

// wraps lists the operands that a format has a %w for. It gives up where the
// format itself numbers them.
func wraps(format string) []int {
	var list []int
	operand := 0
	for {
		_, verb, ok := strings.Cut(format, "%")
		if !ok {
			return list
		}
		flags := len(verb) - len(strings.TrimLeft(verb, "+-# 0123456789.*["))
		if operand += strings.Count(verb[:flags], "*"); flags == len(verb) || strings.Contains(verb[:flags], "[") {
			return list
		}
		switch verb[flags] {
		case '%':
			operand--
		case 'w':
			list = append(list, operand)
		}
		operand++
		format = verb[flags+1:]
	}
}

// holding is a new object that holds v at a place within it.
func (f *function) holding(st *state, call *ssa.Call, part, off string, v value) value {
	k := f.site(call, part, LocalSite, call.Pos())
	st.remake(k)
	st.store(k, off, nil, v, false)
	return one(Atom{Site: k})
}

// partsOf is something of type t in which every text may be a part of v: it,
// a slice or map of such, or a struct that has them in its fields.
func (f *function) partsOf(st *state, call *ssa.Call, part string, v value, t types.Type, depth int) value {
	if depth > maxDerefs {
		return nil
	}
	object := func() *Site {
		k := f.site(call, part, LocalSite, call.Pos())
		st.remake(k)
		return k
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if catalog.IsText(t) {
			return v
		}
	case *types.Slice:
		if b, ok := u.Elem().Underlying().(*types.Basic); ok {
			if b.Kind() == types.Byte {
				return v
			}
			if !catalog.IsText(b) {
				return nil
			}
		}
		k := object()
		st.store(k, element, nil, f.partsOf(st, call, part+element, v, u.Elem(), depth+1), false)
		return one(Atom{Site: k})
	case *types.Map:
		k := object()
		st.store(k, keyStep, nil, f.partsOf(st, call, part+keyStep, v, u.Key(), depth+1), false)
		st.store(k, element, nil, f.partsOf(st, call, part+element, v, u.Elem(), depth+1), false)
		return one(Atom{Site: k})
	case *types.Pointer:
		k := object()
		for _, l := range leaves(u.Elem()) {
			st.store(k, l.path, nil, f.partsOf(st, call, part+l.path, v, l.typ, depth+1), false)
		}
		return one(Atom{Site: k})
	}
	return nil
}

// grow is an argument with more at its end: itself, or a copy of it on Go's
// heap. What it grew by is the argument's, too.
func (f *function) grow(st *state, call *ssa.Call, part string, r catalog.Result, from value, args []value) value {
	t := call.Call.Args[r.Args[0]].Type()
	copied := f.holding(st, call, part, element, f.contents(st, from, t))
	var items value
	if r.Is == catalog.GrownBy {
		last := len(args) - 1
		items = f.contents(st, args[last], call.Call.Args[last].Type())
	}
	out := from.union(copied)
	for _, a := range out.atoms() {
		f.put(st, a.Site, a.off+element, nil, items, false, call.Pos())
	}
	return out
}

// fill is maps.Copy or maps.Insert: the first argument then holds what is in
// the second.
func (f *function) fill(st *state, instr ssa.CallInstruction, args []value) {
	from := instr.Common().Args[1].Type()
	elem, key := inside(from)
	for _, a := range args[0].atoms() {
		f.put(st, a.Site, a.off+element, nil, f.at(st, args[1], element, elem), false, f.position(instr))
		f.put(st, a.Site, a.off+keyStep, nil, f.at(st, args[1], keyStep, key), false, f.position(instr))
	}
}

// inside returns what a slice, map or iterator holds or yields, and what its keys
// are. Both are nil for other types.
func inside(t types.Type) (elem, key types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem(), nil
	case *types.Map:
		return u.Elem(), u.Key()
	case *types.Signature:
		if u.Params().Len() != 1 {
			return nil, nil
		}
		yield, ok := u.Params().At(0).Type().Underlying().(*types.Signature)
		if !ok {
			return nil, nil
		}
		switch p := yield.Params(); p.Len() {
		case 1:
			return p.At(0).Type(), nil
		case 2:
			return p.At(1).Type(), p.At(0).Type()
		}
	}
	return nil, nil
}

// contents returns what the elements of a slice, map or iterator may be.
func (f *function) contents(st *state, v value, t types.Type) value {
	elem, _ := inside(t)
	return f.at(st, v, element, elem)
}

// at returns what lies at a place of all objects that v may be; t is its type.
func (f *function) at(st *state, v value, off string, t types.Type) value {
	var out value
	if t != nil {
		for _, a := range v.atoms() {
			out = out.union(st.load(a.Site, a.off+off, leaves(t)))
		}
	}
	return out
}
