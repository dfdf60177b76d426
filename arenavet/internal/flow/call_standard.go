package flow

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// standardResult returns the result of a function of the standard library, as far as it is, or holds, an argument.
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
		case access.PointerFree(t) || isFunc: // a function among several results is unknown
		case catalog.IsError(t):
			if r.InError {
				out = out.union(f.holding(st, v, access.Tuple(i), access.Element, from).under(access.Tuple(i)))
			}
		default:
			out = out.union(f.made(st, v, access.Tuple(i), r, from, args, t).under(access.Tuple(i)))
		}
	}
	return out
}

// lends notes the arguments that a library uses after a call has returned. A started process reads and writes until Wait
// returns.
func (f *function) lends(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, name string, args []value) {
	if common.IsInvoke() {
		name = catalog.FunctionName(common.Method)
	}
	switch {
	case catalog.Lends[name]:
		for _, v := range args {
			f.lend(st, v, f.position(instr), "kept by "+name[strings.LastIndex(name, "/")+1:])
		}
	case name == "os/exec.Cmd.Start" && len(args) > 0 && !callsWait(f.fn):
		cmd, _ := common.Args[0].Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		for i := 0; cmd != nil && i < cmd.NumFields(); i++ {
			switch cmd.Field(i).Name() {
			case "Stdin", "Stdout", "Stderr":
				f.lend(st, f.at(st, args[0], access.Field(i), cmd.Field(i).Type()), f.position(instr), "used by a goroutine of os/exec")
			}
		}
	}
}

// callsWait reports whether a function waits for a process, on any path.
func callsWait(fn *ssa.Function) bool {
	return ssaform.Calls(fn, "os/exec.Cmd.Wait") || slices.ContainsFunc(fn.AnonFuncs, callsWait)
}

// argument returns the part of argument i that a result has.
func (f *function) argument(st *state, call *ssa.Call, r catalog.Result, i int, args []value) value {
	t := call.Call.Args[i].Type()
	switch r.Is {
	case catalog.Item, catalog.Cloned:
		if elem, _ := access.Inside(t); elem == nil {
			return f.at(st, args[i], access.Element, call.Type()) // the contents of a holder
		}
		return f.contents(st, args[i], t)
	case catalog.Joined, catalog.JoinedPath:
		list := ssaform.Operands(call.Call.Args[i])
		switch {
		case len(list) == 0:
			return f.contents(st, args[i], t)
		case r.Is == catalog.Joined && len(list) > 1, slices.ContainsFunc(list[:len(list)-1], ssaform.NotEmpty):
			return nil
		}
		return f.eval(st, list[len(list)-1])
	case catalog.Merged:
		elem, _ := access.Inside(t)
		return f.contents(st, f.contents(st, args[i], t), elem)
	case catalog.Keys:
		_, key := access.Inside(t)
		return f.at(st, args[i], access.Key, key)
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

// made returns a result of type t that is related to from.
func (f *function) made(st *state, call *ssa.Call, part string, r catalog.Result, from value, args []value, t types.Type) value {
	switch r.Is {
	case catalog.Parts, catalog.Inner:
		return f.partsOf(st, call, part, from, t, 0)
	case catalog.Cloned:
		out := f.holding(st, call, part, access.Element, from)
		if _, key := access.Inside(t); key != nil {
			st.store(out[0].a.Site, access.Key, nil, f.at(st, args[0], access.Key, key), false)
		}
		if _, isFunc := t.Underlying().(*types.Signature); isFunc { // an iterator, which reads the argument when it runs
			st.store(out[0].a.Site, access.Source, nil, args[0], false)
		}
		return out
	case catalog.Holder, catalog.Merged, catalog.Keys, catalog.Wrapper:
		return f.holding(st, call, part, access.Element, from)
	case catalog.Grown, catalog.GrownBy:
		return f.grow(st, call, part, r, from, args)
	}
	return from
}

// concatenation models x + y. The result is a copy unless one operand is empty; then it is the other operand.
func (f *function) concatenation(st *state, v *ssa.BinOp) value {
	var out value
	if v.X == v.Y {
		return nil
	}
	if !ssaform.NotEmpty(v.Y) && !ssaform.Empty(v.X) {
		out = f.eval(st, v.X)
	}
	if !ssaform.NotEmpty(v.X) && !ssaform.Empty(v.Y) {
		out = out.union(f.eval(st, v.Y))
	}
	return out
}

// wrapped returns the operands that fmt.Errorf wraps. It formats the others as text.
func (f *function) wrapped(st *state, call *ssa.Call) value {
	format, ok := call.Call.Args[0].(*ssa.Const)
	if !ok || format.Value == nil {
		return nil
	}
	list := ssaform.Operands(call.Call.Args[1])
	var out value
	for _, i := range wraps(constant.StringVal(format.Value)) {
		if i < len(list) && list[i] != nil {
			out = out.union(f.eval(st, list[i]))
		}
	}
	return out
}

// partsOf returns a value of type t in which every string may be a part of v.
func (f *function) partsOf(st *state, call *ssa.Call, part string, v value, t types.Type, depth int) value {
	if depth > access.MaxDerefs {
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
		st.store(k, access.Element, nil, f.partsOf(st, call, part+access.Element, v, u.Elem(), depth+1), false)
		return one(Atom{Site: k})
	case *types.Map:
		k := object()
		st.store(k, access.Key, nil, f.partsOf(st, call, part+access.Key, v, u.Key(), depth+1), false)
		st.store(k, access.Element, nil, f.partsOf(st, call, part+access.Element, v, u.Elem(), depth+1), false)
		return one(Atom{Site: k})
	case *types.Pointer:
		k := object()
		for _, l := range access.Leaves(u.Elem()) {
			st.store(k, l.Path, nil, f.partsOf(st, call, part+l.Path, v, l.Type, depth+1), false)
		}
		return one(Atom{Site: k})
	}
	return nil
}

// grow returns an argument with more elements: itself, or a copy on Go's heap.
func (f *function) grow(st *state, call *ssa.Call, part string, r catalog.Result, from value, args []value) value {
	t := call.Call.Args[r.Args[0]].Type()
	copied := f.holding(st, call, part, access.Element, f.contents(st, from, t))
	var items value
	if r.Is == catalog.GrownBy {
		last := len(args) - 1
		items = f.contents(st, args[last], call.Call.Args[last].Type())
	}
	out := from.union(copied)
	f.putIn(st, out, access.Element, items, call.Pos())
	return out
}

// wraps returns the operands that a format has a %w for, or none after an explicit argument index.
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
