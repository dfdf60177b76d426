package heap

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

// counterpartSuffixes are the suffixes of functions that take an arena.
var counterpartSuffixes = []string{"In", "Arena", "InArena", "WithArena"}

// counterpart advises a call of F if there is FIn: a function of the same package or type with one of
// counterpartSuffixes, the same results, and the same parameters after an arena. It reports whether there is one.
func (h *advisor) counterpart(e *ast.CallExpr) bool {
	fn := h.function(e)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	sig := fn.Signature()
	for _, suffix := range counterpartSuffixes {
		var obj types.Object
		if recv := sig.Recv(); recv != nil {
			obj, _, _ = types.LookupFieldOrMethod(recv.Type(), true, h.pkg.Pass.Pkg, fn.Name()+suffix)
		} else {
			obj = fn.Pkg().Scope().Lookup(fn.Name() + suffix)
		}
		other, ok := obj.(*types.Func)
		if !ok || other.Pkg() != h.pkg.Pass.Pkg && !other.Exported() || other.Signature() == h.signature || !withArena(sig, other.Signature()) {
			continue
		}
		a := h.arena(e.Pos())
		if a == "" {
			return true
		}
		id, _ := e.Fun.(*ast.Ident)
		if s, ok := e.Fun.(*ast.SelectorExpr); ok {
			id = s.Sel
		}
		text := fn.Name() + " allocates on the heap, " + h.inScope(a) + ": use " + other.Name()
		begins, ok := h.begins()
		if !ok || id == nil || sig.TypeParams() != nil || h.pkg.Twin(fn) != other.Name() || !h.lasting() {
			h.say(e.Pos(), text, nil)
			return true
		}
		first := a
		if len(e.Args) > 0 {
			first += ", "
		}
		h.say(e.Pos(), text, &rewrite.Fix{Shared: begins, Edits: []analysis.TextEdit{replace(id.Pos(), id.End(), other.Name()), replace(e.Lparen, e.Lparen+1, "("+first)}})
		return true
	}
	return false
}

// withArena reports whether t is s with an arena as an additional first parameter.
func withArena(s, t *types.Signature) bool {
	n := s.Params().Len()
	if t.Params().Len() != n+1 || t.Variadic() != s.Variadic() || !types.Identical(s.Results(), t.Results()) || !isArena(t.Params().At(0).Type()) {
		return false
	}
	for i := range n {
		if !types.Identical(s.Params().At(i).Type(), t.Params().At(i+1).Type()) {
			return false
		}
	}
	return true
}

// noCounterpart advises a call of one of makers.
func (h *advisor) noCounterpart(e *ast.CallExpr, name string) {
	if !makers[name] || h.copied(e) || h.of(e) != goesOut {
		return
	}
	if a := h.arena(e.Pos()); a != "" {
		h.say(e.Pos(), name+" on the heap, "+h.inScope(a)+": package arena has no counterpart; write the text to an arena.Buffer", nil)
	}
}
