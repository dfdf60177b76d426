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

// isBuilder reports whether a Buffer can replace a variable of type t.
func isBuilder(t types.Type) bool {
	name := catalog.TypeName(t)
	return name == "strings.Builder" || name == "bytes.Buffer"
}

// sharedMethods are the methods of strings.Builder and bytes.Buffer that Buffer has with the same meaning. Through Bytes,
// the results of a Buffer's String could be changed.
var sharedMethods = map[string]bool{
	"WriteString": true, "WriteByte": true, "WriteRune": true, "Write": true, "Len": true, "Grow": true,
	"Truncate": true, "ReadFrom": true, "String": true,
}

// builder advises a local strings.Builder or bytes.Buffer. A Buffer replaces it if all its uses are shared methods, or
// arguments of type io.Writer.
func (h *advisor) builder(spec *ast.ValueSpec) {
	if len(spec.Names) != 1 || len(spec.Values) != 0 || spec.Type == nil || !isBuilder(h.typeOf(spec.Type)) {
		return
	}
	gen, ok := h.parents[spec].(*ast.GenDecl)
	edits, fits, worst := h.buildersUses(h.pkg.Pass.TypesInfo.Defs[spec.Names[0]])
	if worst == outlives {
		return
	}
	name := spec.Names[0].Name
	h.useFunction(spec.Pos(), catalog.TypeName(h.typeOf(spec.Type)), "NewBuffer", ok && fits, func(c rewrite.Call) []analysis.TextEdit {
		if gen.Lparen.IsValid() {
			return append(edits, replace(spec.Pos(), spec.End(), name+" = "+c.Func("NewBuffer")+c.First()+"0)"))
		}
		return append(edits, replace(gen.Pos(), gen.End(), name+" := "+c.Func("NewBuffer")+c.First()+"0)"))
	}, h.pkg.Pass.TypesInfo.Defs[spec.Names[0]])
}

// builderAt is builder for new(bytes.Buffer), &bytes.Buffer{} and the like.
func (h *advisor) builderAt(e ast.Expr) {
	what := strings.TrimPrefix(catalog.TypeName(h.typeOf(e)), "*")
	s, ok := h.parents[e].(*ast.AssignStmt)
	if !ok || s.Tok != token.DEFINE || len(s.Lhs) != 1 {
		if h.of(e) == goesOut {
			h.useFunction(e.Pos(), what, "NewBuffer", false, nil)
		}
		return
	}
	id, _ := s.Lhs[0].(*ast.Ident)
	edits, fits, worst := h.buildersUses(h.pkg.Pass.TypesInfo.Defs[id])
	if worst == outlives {
		return
	}
	lit, isLit := ast.Unparen(e).(*ast.UnaryExpr)
	if isLit {
		c, _ := lit.X.(*ast.CompositeLit)
		fits = fits && c != nil && len(c.Elts) == 0
	}
	first, isCall := ast.Unparen(e).(*ast.CallExpr)
	isCall = isCall && h.called(first) == "bytes.NewBufferString"
	if isCall {
		_, inBlock := h.parents[s].(*ast.BlockStmt) // there, a statement can be added
		fits = fits && inBlock
	}
	h.useFunction(e.Pos(), what, "NewBuffer", fits, func(c rewrite.Call) []analysis.TextEdit {
		if isCall {
			text := first.Args[0]
			return append(edits, replace(e.Pos(), text.Pos(), c.Func("NewBuffer")+c.First()+"0); "+id.Name+".WriteString("))
		}
		return append([]analysis.TextEdit{replace(e.Pos(), e.End(), c.Func("NewBuffer")+c.First()+"0)")}, edits...)
	}, h.pkg.Pass.TypesInfo.Defs[id])
}

// buildersUses returns the edits for the uses of a builder, whether a Buffer fits, and how far its text gets.
func (h *advisor) buildersUses(obj types.Object) (edits []analysis.TextEdit, fits bool, worst escape) {
	fits = obj != nil
	for _, id := range h.uses[obj] {
		if h.later(id) {
			worst = outlives
		}
		switch p := h.parents[id].(type) {
		case *ast.SelectorExpr:
			call, isCall := h.parents[p].(*ast.CallExpr)
			fits = fits && isCall && sharedMethods[p.Sel.Name]
			if isCall && (p.Sel.Name == "String" || p.Sel.Name == "Bytes") {
				worst = max(worst, h.of(call))
			}
		case *ast.UnaryExpr:
			if p.Op == token.AND && h.isWriterArgument(p) {
				edits = append(edits, replace(p.Pos(), id.Pos(), ""))
			} else {
				fits, worst = false, max(worst, h.of(p))
			}
		default:
			if !h.isWriterArgument(id) {
				fits, worst = false, max(worst, h.of(id))
			}
		}
	}
	return edits, fits, worst
}

// isWriterArgument reports whether e is an argument of type io.Writer or the like.
func (h *advisor) isWriterArgument(e ast.Expr) bool {
	call, ok := h.parents[e].(*ast.CallExpr)
	if !ok || call.Fun == e {
		return false
	}
	if h.of(e) == outlives || !catalog.IsStandard(catalog.PackageOf(h.called(call))) { // it may use the dynamic type
		return false
	}
	sig, ok := h.typeOf(call.Fun).Underlying().(*types.Signature)
	if !ok {
		return false
	}
	for i, arg := range call.Args {
		if arg == e && i < sig.Params().Len() {
			switch catalog.TypeName(sig.Params().At(i).Type()) {
			case "io.Writer", "io.StringWriter", "io.ByteWriter":
				return true
			}
		}
	}
	return false
}
