package arenavet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// builder is a strings.Builder of the function's own. Where only methods are
// called that a Buffer has, too, or it is given to a call as a writer, a Buffer
// can take its place.
func (h *advisor) builder(spec *ast.ValueSpec) {
	if len(spec.Names) != 1 || len(spec.Values) != 0 || spec.Type == nil || typeName(h.typeOf(spec.Type)) != "strings.Builder" {
		return
	}
	obj := h.c.pass.TypesInfo.Defs[spec.Names[0]]
	gen, ok := h.parents[spec].(*ast.GenDecl)
	ok = ok && len(gen.Specs) == 1 && !gen.Lparen.IsValid()
	var edits []analysis.TextEdit
	worst := stays
	ast.Inspect(h.body, func(n ast.Node) bool {
		id, isID := n.(*ast.Ident)
		if !isID || h.c.pass.TypesInfo.Uses[id] != obj {
			return true
		}
		if h.inGoroutine(id) {
			worst = outlives
		}
		switch p := h.parents[id].(type) {
		case *ast.SelectorExpr:
			switch p.Sel.Name {
			case "WriteString", "WriteByte", "WriteRune", "Write", "Len", "Grow":
			case "String":
				if call, isCall := h.parents[p].(*ast.CallExpr); isCall {
					worst = max(worst, h.of(call))
				}
			default:
				ok = false
			}
		case *ast.UnaryExpr:
			call, isCall := h.parents[p].(*ast.CallExpr)
			if isCall && p.Op == token.AND && strings.HasPrefix(h.called(call), "fmt.Fprint") {
				edits = append(edits, replace(p.Pos(), id.Pos(), ""))
			} else {
				ok = false
			}
		default:
			ok = false
		}
		return true
	})
	if worst != goesOut {
		return
	}
	name := spec.Names[0].Name
	h.useFunction(spec.Pos(), "strings.Builder", "NewBuffer", ok, func(pkg, a string) []analysis.TextEdit {
		return append([]analysis.TextEdit{replace(gen.Pos(), gen.End(), name+" := "+pkg+".NewBuffer("+a+", 0)")}, edits...)
	})
}

// moved reports a struct of the function's own whose address leaves it, so that it
// is made on the heap. Where it is used by its fields, methods and address only, a
// pointer can take its place.
func (h *advisor) moved(spec *ast.ValueSpec) {
	if len(spec.Names) != 1 || len(spec.Values) != 0 || spec.Type == nil || typeName(h.typeOf(spec.Type)) == "strings.Builder" {
		return
	}
	if _, ok := h.typeOf(spec.Type).Underlying().(*types.Struct); !ok {
		return
	}
	obj := h.c.pass.TypesInfo.Defs[spec.Names[0]]
	gen, ok := h.parents[spec].(*ast.GenDecl)
	ok = ok && len(gen.Specs) == 1 && !gen.Lparen.IsValid()
	var edits []analysis.TextEdit
	goes, bad := false, false
	ast.Inspect(h.body, func(n ast.Node) bool {
		id, isID := n.(*ast.Ident)
		if !isID || h.c.pass.TypesInfo.Uses[id] != obj {
			return true
		}
		bad = bad || h.inGoroutine(id)
		switch p := h.parents[id].(type) {
		case *ast.SelectorExpr:
		case *ast.UnaryExpr:
			if p.Op != token.AND {
				ok = false
				return true
			}
			edits = append(edits, replace(p.Pos(), id.Pos(), ""))
			f := h.of(p)
			bad = bad || f == outlives
			switch h.parents[p].(type) {
			case *ast.ReturnStmt, *ast.AssignStmt, *ast.CompositeLit, *ast.KeyValueExpr:
				goes = goes || f == goesOut
			}
		default:
			ok = false
		}
		return true
	})
	if !goes || bad {
		return
	}
	name := spec.Names[0].Name
	h.useFunction(spec.Pos(), "&"+name+" leaves the function, which makes it", "New", ok, func(pkg, a string) []analysis.TextEdit {
		return append([]analysis.TextEdit{replace(gen.Pos(), spec.Type.Pos(), name+" := "+pkg+".New["), insert(spec.Type.End(), "]("+a+")")}, edits...)
	})
}
