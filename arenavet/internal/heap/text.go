package heap

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

// useFunction reports advice whose fix calls a function of package arena, or its method. The variables in typed get
// another type.
func (h *advisor) useFunction(pos token.Pos, what, name string, fixable bool, edits func(c rewrite.Call) []analysis.TextEdit, typed ...types.Object) {
	a := h.arena(pos)
	if a == "" {
		return
	}
	pkg, imports := h.packageAt(pos)
	c := rewrite.CallOf(h.pkg.Pass.Pkg, name, pkg, a)
	text := what + " on the heap, " + h.inScope(a) + ": use arena." + name
	if c.Method {
		text, imports = what+" on the heap, "+h.inScope(a)+": use its "+name, nil
	}
	begins, ok := h.begins()
	if !fixable || !ok || pkg == "" && !c.Method || !h.lasting() {
		h.say(pos, text, nil)
		return
	}
	if len(begins) > 0 {
		imports = begins // begins has the import
	}
	h.say(pos, text, &rewrite.Fix{Shared: imports, Edits: edits(c), Typed: typed})
}

// useMethod reports advice whose fix calls a method of the arena.
func (h *advisor) useMethod(pos token.Pos, what, name string, fixable bool, edits func(a string) []analysis.TextEdit) {
	a := h.arena(pos)
	if a == "" {
		return
	}
	text := what + " on the heap, " + h.inScope(a) + ": use its " + name
	begins, ok := h.begins()
	if !fixable || !ok || !h.lasting() {
		h.say(pos, text, nil)
		return
	}
	h.say(pos, text, &rewrite.Fix{Shared: begins, Edits: edits(a)})
}

// packageAt returns the name of package arena at pos, and the edits that import it. The name is "" if it is hidden.
func (h *advisor) packageAt(pos token.Pos) (string, []analysis.TextEdit) {
	if name := rewrite.ArenaNameIn(h.pkg.Pass, h.scope(h.at), pos); name != "" {
		return name, nil
	}
	for _, file := range h.pkg.Pass.Files {
		if pos < file.FileStart || pos > file.FileEnd {
			continue
		}
		for _, spec := range file.Imports {
			if strings.Trim(spec.Path.Value, "`\"") == catalog.ArenaPath {
				return "", nil // hidden here
			}
		}
		if _, obj := h.scope(h.at).LookupParent("arena", pos); obj != nil {
			return "", nil
		}
		at, text := file.Name.End(), "\n\nimport \""+catalog.ArenaPath+"\"\n"
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT && g.Rparen.IsValid() {
				at, text = g.Rparen, "\n\t\""+catalog.ArenaPath+"\"\n"
				break
			}
		}
		return "arena", []analysis.TextEdit{{Pos: at, End: at, NewText: []byte(text)}}
	}
	return "", nil
}

// inScope describes the arena a in a message.
func (h *advisor) inScope(a string) string {
	if h.request != "" {
		return "with the arena of " + h.request + " at hand"
	}
	return "with arena " + a + " in scope"
}

// begins returns the edits that declare the arena of a request. ok is false if package arena is hidden.
func (h *advisor) begins() (edits []analysis.TextEdit, ok bool) {
	if h.request == "" {
		return nil, true
	}
	pkg, imports := h.packageAt(h.body.Lbrace)
	return append(imports, insert(h.body.Lbrace+1, "\n\t"+requestArena+" := "+pkg+".FromContext("+h.request+".Context())")), pkg != ""
}
