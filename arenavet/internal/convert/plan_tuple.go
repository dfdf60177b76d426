package convert

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// rewriteTuples writes assignments of a call's results, of which some get into interfaces, in two statements:
// the first has the results, the second boxes them.
func (p *plan) rewriteTuples(fixes, done edits) {
	for _, f := range p.order {
		byStatement, order := map[*ast.AssignStmt][]*Site{}, []*ast.AssignStmt(nil)
		for _, s := range f.sites {
			if s.Reason == "" && s.tuple != nil {
				if byStatement[s.tuple] == nil {
					order = append(order, s.tuple)
				}
				byStatement[s.tuple] = append(byStatement[s.tuple], s)
			}
		}
		d, n := p.decls[outermost(f.fn)], 0
		name := "boxed"
		for uses(d.decl, name) {
			name += "In"
		}
		for _, stmt := range order {
			sites := byStatement[stmt]
			if p.grammars[d.file] != nil || !divisible(d.decl.Body, stmt) {
				continue
			}
			var results, left, right []string
			for _, x := range stmt.Lhs {
				if textOf(x) == "_" {
					results = append(results, "_")
					continue
				}
				n++
				v := name + strconv.Itoa(n)
				results, left = append(results, v), append(left, textOf(x))
				if slices.ContainsFunc(sites, func(s *Site) bool { return s.Pos == x.Pos() }) {
					v = p.importName(d, catalog.ArenaPath, "arena") + ".BoxOf(" + f.arena + ", " + v + ")"
				}
				right = append(right, v)
			}
			file, call := p.fset.File(stmt.Pos()), stmt.Rhs[0]
			list := []edit{
				{from: file.Offset(stmt.Pos()), to: file.Offset(call.Pos()), text: strings.Join(results, ", ") + " := ", order: len(fixes[file.Name()])},
				{from: file.Offset(call.End()), to: file.Offset(call.End()), text: "\n" + strings.Join(left, ", ") + " = " + strings.Join(right, ", "), order: 1 << 21},
			}
			if overlaps(fixes[file.Name()], list) || overlaps(done[file.Name()], list) {
				continue
			}
			fixes[file.Name()] = append(fixes[file.Name()], list...)
			for _, s := range sites {
				s.fix = true
			}
		}
	}
}

// divisible reports whether a statement may become two: it stands in a list, what it assigns to is named by variables
// and fields alone, and no goto may lead over the variables.
func divisible(body *ast.BlockStmt, stmt *ast.AssignStmt) bool {
	for _, x := range stmt.Lhs {
		if textOf(x) == "" {
			return false
		}
	}
	listed, jumps := false, false
	ast.Inspect(body, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok {
			jumps = jumps || b.Tok == token.GOTO
		}
		listed = listed || slices.Contains(statements(n), ast.Stmt(stmt))
		return true
	})
	return listed && !jumps
}

// uses reports whether a function has names that begin so.
func uses(decl *ast.FuncDecl, prefix string) (found bool) {
	ast.Inspect(decl, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && strings.HasPrefix(id.Name, prefix)
		return !found
	})
	return found
}
