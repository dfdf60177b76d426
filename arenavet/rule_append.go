package arenavet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// appends is a builtin append to memory of an arena.
func (r *reporter) appends(x fault) {
	text := "builtin append to " + r.memoryName(x.Of) + ", moves it to the heap when it is full, without a word: "
	if x.Of.site.slab {
		r.find(ruleAppend, x.Pos, nil, text+"make it with the capacity that it needs, and fill it by index")
		return
	}
	text += "use arena.Append"
	if fix, ok := r.appendFix(x.Of, x.Call); ok {
		r.find(ruleAppend, x.Pos, nil, text, fix)
		return
	}
	r.find(ruleAppend, x.Pos, nil, text)
}

// appendFix rewrites append(s, x) to arena.Append(a, s, x), if the source
// names the arena where the append stands.
func (r *reporter) appendFix(a atom, call *ssa.Call) (analysis.SuggestedFix, bool) {
	none := analysis.SuggestedFix{}
	expr := r.c.calls[call.Pos()]
	if expr == nil || len(expr.Args) == 0 {
		return none, false
	}
	pkg := arenaName(r.c.pass, expr.Pos())
	owner := r.arenaExpr(a.site.pos)
	if pkg == "" || owner == nil || !visible(r.c.pass, owner, expr.Pos()) {
		return none, false
	}
	edits, ok := appendEdits(r.c.pass, expr, pkg, types.ExprString(owner))
	if !ok {
		return none, false
	}
	return analysis.SuggestedFix{Message: "use " + pkg + ".Append", TextEdits: edits}, true
}

// arenaExpr is the arena that the call at a parenthesis allocates from.
func (r *reporter) arenaExpr(lparen token.Pos) ast.Expr {
	call := r.c.calls[lparen]
	if call == nil {
		return nil
	}
	var found ast.Expr
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && arenaType(r.c.pass.TypesInfo.TypeOf(sel.X)) == "Arena" {
		found = sel.X
	}
	for _, arg := range call.Args {
		if arenaType(r.c.pass.TypesInfo.TypeOf(arg)) == "Arena" {
			if found != nil {
				return nil
			}
			found = arg
		}
	}
	if found == nil || !simple(found) {
		return nil
	}
	return found
}
