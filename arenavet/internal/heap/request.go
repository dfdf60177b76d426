package heap

import (
	"go/ast"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

const arenahttpPath = catalog.ArenaPath + "/arenahttp"

// requestOf is the name of a parameter, an *http.Request, that the function gives to
// package arenahttp: its context holds the request's arena. It is empty where there is
// none, or where the arena would get no name that is free.
func (h *advisor) requestOf() string {
	for _, p := range h.header.Params.List {
		for _, name := range p.Names {
			obj := h.pkg.Pass.TypesInfo.Defs[name]
			if obj == nil || catalog.TypeName(obj.Type()) != "*net/http.Request" {
				continue
			}
			for _, use := range h.uses[obj] {
				call, ok := h.parents[use].(*ast.CallExpr)
				if ok && !h.later[use] && catalog.PackageOf(h.called(call)) == arenahttpPath && h.free(requestArena) {
					return name.Name
				}
			}
		}
	}
	return ""
}

// free reports whether nothing in the function, or around it, has a name.
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
