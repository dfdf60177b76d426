package heap

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

const arenahttpPath = catalog.ArenaPath + "/arenahttp"

// requestOf returns the name of an *http.Request parameter that the function passes to package arenahttp, or "". It is
// also "" if the name of a new variable would not be free.
func (h *advisor) requestOf() string {
	for _, p := range h.header.Params.List {
		for _, name := range p.Names {
			obj := h.pkg.Pass.TypesInfo.Defs[name]
			if obj == nil || catalog.TypeName(obj.Type()) != "*net/http.Request" {
				continue
			}
			for _, use := range h.uses[obj] {
				call, ok := h.parents[use].(*ast.CallExpr)
				if ok && !h.later(use) && catalog.PackageOf(h.called(call)) == arenahttpPath && h.free(requestArena) {
					return name.Name
				}
			}
		}
	}
	return ""
}

// free reports whether a name is not used in the function or around it.
func (h *advisor) free(name string) bool {
	if _, obj := h.scope(nil).LookupParent(name, h.body.End()); obj != nil {
		return false
	}
	found := false
	ast.Inspect(h.body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return !found
}

// requestArena is the name of a request's arena in fixes.
const requestArena = "a"

// arena returns the source form of the arena at pos, or "".
func (h *advisor) arena(pos token.Pos) string {
	if h.request != "" {
		return requestArena
	}
	if e := h.arenaExpr(pos); e != nil {
		return types.ExprString(e)
	}
	return ""
}

// arenaExpr returns the arena to use at pos, or nil.
func (h *advisor) arenaExpr(pos token.Pos) ast.Expr {
	for _, e := range h.arenas {
		id := e
		if s, ok := e.(*ast.SelectorExpr); ok {
			id = s.X
		}
		if id.Pos() < pos && rewrite.VisibleIn(h.pkg.Pass, h.scope(h.at), id, pos) {
			return e
		}
	}
	return nil
}

// say adds advice, with a fix or nil.
func (h *advisor) say(pos token.Pos, text string, fix *rewrite.Fix) {
	if !h.ignored.Cover(h.pkg.Pass.Fset.Position(pos)) {
		h.list.advices = append(h.list.advices, advice{pos, text, fix})
	}
}
