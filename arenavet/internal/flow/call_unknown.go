package flow

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// unknownCall is a call of a function that has no summary.
func (f *function) unknownCall(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, args []value, reached []target) value {
	name := ""
	if len(reached) == 1 {
		name = catalog.CalleeName(catalog.Origin(reached[0].fn))
	}
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
	if catalog.Keepers[name] && len(args) > 1 {
		for _, r := range args[0].atoms() {
			for _, v := range args[1:] {
				f.put(st, r.Site, r.off+element, nil, v, false, f.position(instr))
			}
		}
	}
	if name == "maps.Copy" || name == "maps.Insert" {
		f.fill(st, instr, args)
	}
	if common.IsInvoke() && catalog.FunctionName(common.Method) == "net/http.ResponseWriter.Header" {
		// The header is a part of the response.
		return f.at(st, all[0], element, common.Signature().Results().At(0).Type())
	}
	if v, ok := f.receives(st, instr, common, args); ok {
		return v
	}
	if standard {
		f.writes(st, instr, common, args)
		return f.standardResult(st, instr, catalog.ResultOf(name, common), args)
	}
	if v, ok := instr.(ssa.Value); ok {
		return f.unknown(st, v, v.Type())
	}
	return nil
}

// noteUnknown tells callers that what they gave went to unknown code.
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

// keepsToItself reports whether only this package can reach the arenas in an object of type
// t, and puts none back: they are in fields with names of its own. So a function that is
// not known, as an option that a parser is given, takes none of them over.
func (c *Package) keepsToItself(t types.Type) bool {
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() != c.Pass.Pkg || c.puts() {
		return false
	}
	s, ok := n.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if f.Exported() && mayHold(f.Type(), 0) {
			return false
		}
	}
	return true
}

// puts reports whether the package calls a Put of arenas.
func (c *Package) puts() bool {
	if c.putting == nil {
		found := false
		for _, call := range c.Calls {
			if s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
				fn, _ := c.Pass.TypesInfo.Uses[s.Sel].(*types.Func)
				found = found || fn != nil && catalog.FunctionName(fn) == catalog.ArenaPath+".ArenaPool.Put"
			}
		}
		c.putting = &found
	}
	return *c.putting
}

// mayHold reports whether a value of type t may lead to an arena.
func mayHold(t types.Type, depth int) bool {
	if catalog.IsHandle(t) {
		return true
	}
	if depth > 5 {
		return false
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		return mayHold(u.Elem(), depth+1)
	case *types.Struct:
		for i := range u.NumFields() {
			if mayHold(u.Field(i).Type(), depth+1) {
				return true
			}
		}
	case *types.Slice:
		return mayHold(u.Elem(), depth+1)
	case *types.Map:
		return mayHold(u.Elem(), depth+1)
	case *types.Interface, *types.Signature:
		return true
	}
	return false
}

// clobber forgets what unknown code may have changed in the objects that v
// points to: arenas may have been exchanged, and what was stale been set anew.
func (f *function) clobber(st *state, v value) {
	for _, e := range v {
		k := e.a.Site
		for off, atoms := range st.parts(k) {
			var good []Atom
			for _, a := range atoms {
				if a.Stale == nil {
					good = addAtom(good, a)
				}
			}
			if len(good) < len(atoms) {
				for _, a := range k.initial(off) {
					good = addAtom(good, a)
				}
				st.set(k, off, good)
			}
		}
	}
}
