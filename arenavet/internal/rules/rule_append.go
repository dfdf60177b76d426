package rules

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

// appends reports a builtin append to memory of an arena.
func (r *reporter) appends(x flow.Fault) {
	text := "builtin append to " + r.memoryName(x.Of) + ", moves it to the heap when it is full: use arena.Append"
	if fix, ok := r.appendFix(x.Of, x.Call); ok {
		r.find(finding.Append, x.Pos, nil, text, fix)
		return
	}
	r.find(finding.Append, x.Pos, nil, text)
}

// appendFix replaces append(s, x) by arena.Append(a, s, x), if a name of the arena is in scope.
func (r *reporter) appendFix(a flow.Atom, call *ssa.Call) (analysis.SuggestedFix, bool) {
	none := analysis.SuggestedFix{}
	expr := r.pkg.Calls[call.Pos()]
	if expr == nil || len(expr.Args) == 0 {
		return none, false
	}
	pkg := rewrite.ArenaName(r.pkg.Pass, expr.Pos())
	owner := r.arenaExpr(a.Site.Pos)
	if owner == nil || !rewrite.Visible(r.pkg.Pass, owner, expr.Pos()) {
		return none, false
	}
	c := rewrite.CallOf(r.pkg.Pass.Pkg, "Append", pkg, types.ExprString(owner))
	edits, ok := rewrite.AppendEdits(r.pkg.Pass, expr, c)
	ok = ok && (pkg != "" || c.Method)
	functions := r.pkg.Shipped()
	if r.pkg.InTest(expr.Pos()) {
		functions = r.pkg.Functions
	}
	if s := (&rewrite.Slices{Functions: functions}); !ok || !s.SafeAppend(r.pkg.Pass, expr, r.parent(expr)) {
		return none, false
	}
	return analysis.SuggestedFix{Message: "use " + c.Func("Append"), TextEdits: edits}, true
}

// arenaExpr returns the arena of the allocating call at lparen.
func (r *reporter) arenaExpr(lparen token.Pos) ast.Expr {
	call := r.pkg.Calls[lparen]
	if call == nil {
		return nil
	}
	var found ast.Expr
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && catalog.ArenaType(r.pkg.Pass.TypesInfo.TypeOf(sel.X)) == "Arena" {
		found = sel.X
	}
	for _, arg := range call.Args {
		if catalog.ArenaType(r.pkg.Pass.TypesInfo.TypeOf(arg)) == "Arena" {
			if found != nil {
				return nil
			}
			found = arg
		}
	}
	if found == nil || !catalog.Simple(found) {
		return nil
	}
	return found
}

// parent returns the statement or expression around a call.
func (r *reporter) parent(call *ast.CallExpr) ast.Node {
	for _, f := range r.pkg.Pass.Files {
		if f.FileStart <= call.Pos() && call.Pos() <= f.FileEnd {
			path, _ := astutil.PathEnclosingInterval(f, call.Pos(), call.End())
			return path[slices.Index(path, ast.Node(call))+1]
		}
	}
	return nil
}
