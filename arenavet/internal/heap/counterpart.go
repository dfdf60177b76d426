package heap

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

// counterpartSuffixes are the suffixes of functions that take an arena.
var counterpartSuffixes = []string{"In", "Arena", "InArena", "WithArena"}

// counterpart advises a call of F if there is FIn: a function of the same package or type with one of
// counterpartSuffixes, the same results, and the same parameters plus an arena, first or last. It reports whether there
// is one.
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
		if !ok || other.Pkg() != h.pkg.Pass.Pkg && !other.Exported() || other.Signature() == h.signature {
			continue
		}
		first, last := withArena(sig, other.Signature())
		if !first && !last {
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
		if !ok || id == nil || sig.TypeParams() != nil || last && e.Ellipsis.IsValid() || h.pkg.Twin(fn) != other.Name() || !h.lasting() {
			h.say(e.Pos(), text, nil)
			return true
		}
		edits := []analysis.TextEdit{replace(id.Pos(), id.End(), other.Name())}
		switch {
		case len(e.Args) == 0:
			edits = append(edits, replace(e.Lparen, e.Rparen+1, "("+a+")"))
		case first:
			edits = append(edits, replace(e.Lparen, e.Lparen+1, "("+a+", "))
		default:
			edits = append(edits, replace(e.Rparen, e.Rparen+1, ", "+a+")"))
		}
		h.say(e.Pos(), text, &rewrite.Fix{Shared: begins, Edits: edits})
		return true
	}
	return false
}

// withArena reports whether t is s with an arena as its first or last parameter.
func withArena(s, t *types.Signature) (first, last bool) {
	n := s.Params().Len()
	if t.Params().Len() != n+1 || !types.Identical(s.Results(), t.Results()) {
		return false, false
	}
	same := func(from int) bool {
		for i := range n {
			if !types.Identical(s.Params().At(i).Type(), t.Params().At(i+from).Type()) {
				return false
			}
		}
		return true
	}
	first = isArena(t.Params().At(0).Type()) && same(1) && s.Variadic() == t.Variadic()
	last = !first && !s.Variadic() && isArena(t.Params().At(n).Type()) && same(0)
	return first, last
}

// noCounterpart advises a call of a function that allocates its result on the heap and takes no arena.
func (h *advisor) noCounterpart(e *ast.CallExpr, name string) {
	fn := h.function(e)
	if fn == nil || h.copied(e) || h.of(e) != goesOut {
		return
	}
	a := h.arena(e.Pos())
	if a == "" {
		return
	}
	if makers[name] {
		h.say(e.Pos(), name+" on the heap, "+h.inScope(a)+": package arena has no counterpart; write the text to an arena.Buffer", nil)
		return
	}
	if fn.Pkg() == nil || fn.Pkg() == h.pkg.Pass.Pkg || catalog.IsStandard(catalog.PackageOf(name)) || catalog.PackagePath(fn.Pkg()) == catalog.ArenaPath {
		return
	}
	if h.pkg.MakesResult(fn) {
		h.say(e.Pos(), fn.Pkg().Name()+"."+strings.TrimPrefix(name, catalog.PackagePath(fn.Pkg())+".")+" makes its result on the heap, "+h.inScope(a)+": it takes no arena", nil)
	}
}
