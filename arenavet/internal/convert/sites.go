package convert

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

// arenaCalls are functions for which package arena has a function or method with the same parameters.
var arenaCalls = map[string]string{"fmt.Sprintf": "Sprintf", "strings.ToLower": "ToLower", "strings.ToUpper": "ToUpper", "strings.Join": "Join", "bytes.Clone": "CloneSlice"}

// addSite adds a node of f if it allocates an owned value, or with -strings a string or flat slice that reaches nothing
// that outlives the root.
func (p *program) addSite(f *function, n ast.Node, parents []ast.Node) {
	info := f.pkg.TypesInfo
	parent := parents[len(parents)-1]
	add := func(kind siteKind, t types.Type, v *types.Var) {
		f.sites = append(f.sites, &site{node: n, kind: kind, typ: t, v: v, what: brief(p.text(n))})
	}
	// struct, or why not
	object := func(kind siteKind, what, heap string, t types.Type, ok bool) {
		switch {
		case !p.onHeap(n.Pos(), heap):
		case ok && p.isOwned(t) && rewrite.Sized(t):
			add(kind, t, nil)
		default:
			p.leave(n.Pos(), what+typeText(t)+": "+p.notOwned(t))
		}
	}
	text := func(kind siteKind, at token.Pos) {
		if !p.Strings {
			return
		}
		if why := p.textStays(f, kind, at); why != "" {
			p.leave(n.Pos(), why)
		} else {
			add(kind, info.TypeOf(n.(ast.Expr)), nil)
		}
	}
	slice := func(kind siteKind, x ast.Expr, at token.Pos) {
		if p.bearing(info.TypeOf(x)) {
			add(kind, info.TypeOf(x), nil)
		} else {
			text(kind, at)
		}
	}
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if l, ok := ast.Unparen(n.X).(*ast.CompositeLit); ok && n.Op == token.AND {
			object(siteNewOf, "&", "&", info.TypeOf(l), l.Type != nil)
		}
	case *ast.BinaryExpr:
		k := len(parents) - 1
		for ; k > 0; k-- {
			if _, ok := parents[k].(*ast.ParenExpr); !ok {
				break
			}
		}
		outer, ok := parents[k].(*ast.BinaryExpr)
		if whole := !ok || outer.Op != token.ADD; whole && concatenates(info, n) && types.Identical(info.TypeOf(n), types.Typ[types.String]) && p.onHeap(n.Pos(), "text") {
			text(siteConcat, n.OpPos)
		}
	case *ast.CallExpr:
		to := static(info, n)
		s, isSlice := info.TypeOf(n).Underlying().(*types.Slice)
		moves := isSlice && (p.bearing(s) || p.Strings && flat(s))
		switch b := builtin(info, n); {
		case info.Types[n.Fun].IsType():
			from, t := info.TypeOf(n.Args[0]), info.TypeOf(n)
			switch heap := p.onHeap(n.Pos(), "text") || p.onHeap(n.Pos(), "[]"); {
			case heap && types.Identical(t.Underlying(), types.Typ[types.String]) && isBytes(from):
				text(siteString, n.Lparen)
			case heap && types.Identical(t, types.NewSlice(types.Typ[types.Byte])) && catalog.IsText(from) && rewrite.Pure(n.Args[0]):
				text(siteBytes, n.Lparen)
			}
		case to != nil && to.Pkg() != nil && (arenaCalls[catalog.FunctionName(to)] != "" || p.helped(f, n, to)):
			text(siteCall, n.Lparen)
		case b == "new":
			object(siteNew, "new ", "new(", info.TypeOf(n).(*types.Pointer).Elem(), info.Types[n.Args[0]].IsType())
		case b == "make" && p.onHeap(n.Pos(), "make("):
			if moves && rewrite.Ints(info, n.Args[1:]) && (len(n.Args) > 2 || rewrite.Pure(n.Args[1])) {
				slice(siteMake, n, n.Lparen)
			} else {
				p.leave(n.Pos(), "make "+typeText(info.TypeOf(n))+": "+p.notOwned(info.TypeOf(n)))
			}
		case b == "append" && moves && len(n.Args) > 1:
			if l := p.slices.Roomy(s); len(l) > 0 {
				p.leave(n.Pos(), p.measures(l[0]))
			} else if why := p.slices.Appendable(info, n, parent, rewrite.CallAt(f.ssa, n.Lparen)); why != "" {
				p.leave(n.Pos(), why)
			} else {
				slice(siteAppend, n, n.Lparen)
			}
		}
	case *ast.CompositeLit:
		s, ok := info.TypeOf(n).Underlying().(*types.Slice)
		if ok && (p.bearing(s) || flat(s)) && plainElements(n) && !addressed(parent) && (p.onHeap(n.Pos(), "[]") || p.onHeap(n.Pos(), "text")) {
			slice(siteSlice, n, n.Lbrace)
		}
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE || len(n.Lhs) != 1 || len(n.Rhs) != 1 || !inBlock(parent) {
			return
		}
		v, ok := info.Defs[n.Lhs[0].(*ast.Ident)].(*types.Var)
		if ok && p.movable(v) && types.Identical(info.TypeOf(n.Rhs[0]), v.Type()) && p.onHeap(n.Pos(), "moved to heap: "+v.Name()) {
			add(siteVar, v.Type(), v)
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
		if v, ok := info.Defs[s.Names[0]].(*types.Var); ok && p.movable(v) && p.onHeap(v.Pos(), "moved to heap: "+v.Name()) {
			add(siteVar, v.Type(), v)
		}
	}
}

// leave records why an allocation stays on the heap.
func (p *program) leave(at token.Pos, why string) { p.left[why] = append(p.left[why], at) }

// notOwned returns why a value of a type stays on the heap, and the flag that would move it.
func (p *program) notOwned(t types.Type) string {
	n, ok := types.Unalias(element(t)).(*types.Named)
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

// element returns the type that pointers and slices lead to.
func element(t types.Type) types.Type {
	for range 10 { // a slice may have itself as elements
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		default:
			return t
		}
	}
	return t
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

// concatenates reports whether an expression is a concatenation of strings that are not constant.
func concatenates(info *types.Info, b *ast.BinaryExpr) bool {
	return b.Op == token.ADD && info.Types[b].Value == nil && catalog.IsText(info.TypeOf(b))
}

// operands returns the operands of a concatenation. A constant is one.
func operands(info *types.Info, e ast.Expr) []ast.Expr {
	if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && concatenates(info, b) {
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
