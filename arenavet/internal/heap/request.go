package heap

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

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

// requestArena is what a fix calls the arena of a request.
const requestArena = "a"

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

// inScope is how a message speaks of the arena that is called a.
func (h *advisor) inScope(a string) string {
	if h.request != "" {
		return "with the arena of " + h.request + " at hand"
	}
	return "with arena " + a + " in scope"
}

// begins gives a request's arena its name, where the function has none yet; ok is false
// where package arena has no name there.
func (h *advisor) begins() (edits []analysis.TextEdit, ok bool) {
	if h.request == "" {
		return nil, true
	}
	pkg, imports := h.packageAt(h.body.Lbrace)
	return append(imports, insert(h.body.Lbrace+1, "\n\t"+requestArena+" := "+pkg+".FromContext("+h.request+".Context())")), pkg != ""
}
