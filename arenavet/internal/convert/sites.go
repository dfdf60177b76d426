package convert

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

// addSite adds a node of f if it allocates an owned value.
func (p *program) addSite(f *function, n ast.Node, parents []ast.Node) {
	info := f.pkg.TypesInfo
	parent := parents[len(parents)-1]
	add := func(kind siteKind, n ast.Node, t types.Type, heap bool) {
		if heap {
			f.sites = append(f.sites, &site{node: n, kind: kind, typ: t, what: brief(p.text(n))})
		}
	}
	skip := func(what string, t types.Type) { p.leave(n.Pos(), what+typeText(t)+": "+p.notOwned(t)) }
	switch n := n.(type) {
	case *ast.UnaryExpr:
		l, ok := ast.Unparen(n.X).(*ast.CompositeLit)
		if !ok || n.Op != token.AND || l.Type == nil {
			return
		}
		if t := info.TypeOf(l); p.isOwned(t) && rewrite.Sized(t) {
			add(siteNewOf, n, t, p.onHeap(n.Pos(), "&"))
		} else if p.onHeap(n.Pos(), "&") {
			skip("&", t)
		}
	case *ast.CallExpr:
		switch builtin(info, n) {
		case "new":
			t := info.TypeOf(n).(*types.Pointer).Elem()
			if p.isOwned(t) && rewrite.Sized(t) && info.Types[n.Args[0]].IsType() {
				add(siteNew, n, t, p.onHeap(n.Pos(), "new("))
			} else if p.onHeap(n.Pos(), "new(") {
				skip("new ", t)
			}
		case "make":
			s, ok := info.TypeOf(n).Underlying().(*types.Slice)
			if ok && p.bearing(s) && rewrite.Ints(info, n.Args[1:]) && (len(n.Args) > 2 || rewrite.Pure(n.Args[1])) {
				add(siteMake, n, info.TypeOf(n), p.onHeap(n.Pos(), "make("))
			} else if p.onHeap(n.Pos(), "make(") {
				skip("make ", info.TypeOf(n))
			}
		case "append":
			s, ok := info.TypeOf(n).Underlying().(*types.Slice)
			if !ok || !p.bearing(s) || len(n.Args) < 2 {
				return
			}
			if why := p.slices.Appendable(info, n, parents[len(parents)-1], rewrite.CallAt(f.ssa, n.Lparen), f.pkg.Types.Scope()); why != "" {
				p.leave(n.Pos(), why)
				return
			}
			add(siteAppend, n, info.TypeOf(n), true)
		}
	case *ast.CompositeLit:
		s, ok := info.TypeOf(n).Underlying().(*types.Slice)
		if ok && p.bearing(s) && plainElements(n) && !addressed(parent) {
			add(siteSlice, n, info.TypeOf(n), p.onHeap(n.Pos(), "[]") || p.onHeap(n.Pos(), "text"))
		}
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE || len(n.Lhs) != 1 || len(n.Rhs) != 1 || !inBlock(parent) {
			return
		}
		id := n.Lhs[0].(*ast.Ident)
		v, ok := info.Defs[id].(*types.Var)
		if ok && p.movable(v) && types.Identical(info.TypeOf(n.Rhs[0]), v.Type()) && p.onHeap(n.Pos(), "moved to heap: "+id.Name) {
			f.sites = append(f.sites, &site{node: n, kind: siteVar, typ: v.Type(), v: v, what: brief(p.text(n))})
		}
	case *ast.DeclStmt:
		d := n.Decl.(*ast.GenDecl)
		if d.Tok != token.VAR || len(d.Specs) != 1 || !inBlock(parent) {
			return
		}
		s := d.Specs[0].(*ast.ValueSpec)
		if len(s.Names) != 1 || len(s.Values) != 0 {
			return
		}
		if v, ok := info.Defs[s.Names[0]].(*types.Var); ok && p.movable(v) && p.onHeap(s.Names[0].Pos(), "moved to heap: "+v.Name()) {
			f.sites = append(f.sites, &site{node: n, kind: siteVar, typ: v.Type(), v: v, what: brief(p.text(n))})
		}
	}
}

// leave records why an allocation stays on the heap.
func (p *program) leave(at token.Pos, why string) { p.left[why] = append(p.left[why], at) }

// notOwned returns why a value of a type stays on the heap, and the flag that would move it.
func (p *program) notOwned(t types.Type) string {
	for {
		q, ok := types.Unalias(t).(interface{ Elem() types.Type })
		if !ok {
			break
		}
		t = q.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	switch {
	case p.bearing(t):
		return "of a form that is not converted"
	case !ok:
		return "no owned type (-strings)"
	case !p.inModule(n.Obj().Pkg()):
		return n.Obj().Name() + " is of another package"
	}
	return n.Obj().Name() + " is not owned (-own " + n.Obj().Name() + ")"
}

// movable reports whether a variable may become a pointer to an object of its type.
func (p *program) movable(v *types.Var) bool {
	_, isStruct := v.Type().Underlying().(*types.Struct)
	return isStruct && p.isOwned(v.Type()) && rewrite.Sized(v.Type())
}

func brief(s string) string {
	for i, c := range s {
		if c == '\n' || i > 40 {
			return s[:i] + "..."
		}
	}
	return s
}

func builtin(info *types.Info, n *ast.CallExpr) string {
	id, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok {
		return ""
	}
	if _, ok := info.Uses[id].(*types.Builtin); !ok {
		return ""
	}
	return id.Name
}

// operands returns the operands of a concatenation. A constant is one.
func operands(info *types.Info, e ast.Expr) []ast.Expr {
	if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && b.Op == token.ADD && info.Types[b].Value == nil {
		return append(operands(info, b.X), operands(info, b.Y)...)
	}
	return []ast.Expr{e}
}

// plainElements reports whether a slice literal has elements that are arguments as they are.
func plainElements(n *ast.CompositeLit) bool {
	for _, e := range n.Elts {
		switch e := e.(type) {
		case *ast.KeyValueExpr:
			return false
		case *ast.CompositeLit:
			if e.Type == nil {
				return false
			}
		}
	}
	return n.Type != nil && len(n.Elts) > 0
}

func addressed(parent ast.Node) bool {
	u, ok := parent.(*ast.UnaryExpr)
	return ok && u.Op == token.AND
}

func inBlock(parent ast.Node) bool {
	switch parent.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

func static(info *types.Info, c *ast.CallExpr) *types.Func {
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		o, _ := info.Uses[f].(*types.Func)
		return o
	case *ast.SelectorExpr:
		if s := info.Selections[f]; s != nil && s.Kind() != types.MethodVal {
			return nil
		}
		o, _ := info.Uses[f.Sel].(*types.Func)
		return o
	}
	return nil
}
