package flow

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// unknownCall models a call of a function without a summary. name is "" if several functions may be called.
func (f *function) unknownCall(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, name string, args []value) value {
	path := catalog.PackageOf(name)
	standard := name != "" && catalog.IsStandard(path)
	all := args
	if common.IsInvoke() {
		all = append([]value{f.eval(st, common.Value)}, args...)
	}
	if !standard || catalog.MayKeep(path) {
		for i, a := range all {
			if f.usesOnly(a) {
				continue
			}
			if common.IsInvoke() || !f.c.keepsToItself(common.Args[i].Type()) {
				f.letGo(st, a)
				if i < len(common.Args) {
					f.noteUnknown(st, a, common.Args[i].Type())
				}
			}
			f.clobber(st, a)
		}
	}
	if name == "maps.Copy" || name == "maps.Insert" {
		f.fill(st, instr, args)
	}
	if common.IsInvoke() && catalog.FunctionName(common.Method) == "net/http.ResponseWriter.Header" {
		// The header is a part of the response.
		return f.at(st, all[0], access.Element, common.Signature().Results().At(0).Type())
	}
	if v, ok := f.messages(st, instr, common, args); ok {
		return v
	}
	if standard {
		f.writes(st, instr, common, args)
		if v, ok := instr.(*ssa.Call); ok && catalog.MakesObject[name] {
			return f.object(st, v)
		}
		if name == "net/http.Request.Context" {
			return f.at(st, args[0], access.Source, common.Signature().Results().At(0).Type())
		}
		out := f.standardResult(st, instr, catalog.ResultOf(name, common), args)
		for _, e := range out {
			if ctx := f.derived(st, common, name, args); len(ctx) > 0 && e.a.Site.Kind == LocalSite {
				st.store(e.a.Site, access.Source, nil, ctx, false)
			}
		}
		return out
	}
	if v, ok := instr.(ssa.Value); ok {
		return f.unknown(st, v, v.Type())
	}
	return nil
}

// derived returns the arena of the context that a function of package context derives from another one, or the context
// of the request that a function of net/http makes.
func (f *function) derived(st *state, common *ssa.CallCommon, name string, args []value) value {
	switch name {
	case "net/http.Request.WithContext", "net/http.Request.Clone":
		return args[1]
	case "net/http.NewRequestWithContext":
		return args[0]
	}
	if strings.HasPrefix(name, "context.With") {
		return f.at(st, args[0], access.Source, common.Args[0].Type())
	}
	return nil
}

// keepers stores the arguments of a keeper in its receiver.
func (f *function) keepers(st *state, instr ssa.CallInstruction, name string, args []value) {
	if !catalog.Keepers[name] || len(args) < 2 {
		return
	}
	for _, v := range args[1:] {
		f.putIn(st, args[0], access.Element, v, f.position(instr))
	}
}

// noteUnknown tells callers that their argument went to unknown code.
func (f *function) noteUnknown(st *state, v value, t types.Type) {
	if !mayHold(t, 0) {
		return
	}
	st.reachTo(v, 2, func(a Atom, _ int) {
		if a.Site.Kind == SymbolSite && a.Region == nil {
			f.effect(st, OpUnknown, a.Site, Place{}, Source{}, true, token.NoPos)
		}
	})
}

// writes applies the write methods of an argument that the standard library uses as a writer. Their calls are not
// certain, so they take nothing back.
func (f *function) writes(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, args []value) {
	for i, arg := range common.Args {
		m, ok := arg.(*ssa.MakeInterface)
		if !ok || !types.IsInterface(arg.Type()) {
			continue
		}
		for _, name := range []string{"Write", "WriteString", "WriteByte", "WriteRune", "ReadFrom"} {
			if obj, _, _ := types.LookupFieldOrMethod(arg.Type(), false, nil, "Write"); obj == nil {
				break // not a writer
			}
			obj, path, _ := types.LookupFieldOrMethod(m.X.Type(), false, f.c.Pass.Pkg, name)
			method, ok := obj.(*types.Func)
			if !ok || len(path) != 1 {
				continue
			}
			fn := f.c.ssa.Prog.FuncValue(method)
			if fn == nil {
				continue
			}
			if s := f.c.Summary(fn); s != nil {
				f.apply(st, instr, s.weak(func(Effect) bool { return false }), []value{args[i]}, false, false)
			}
		}
	}
}
