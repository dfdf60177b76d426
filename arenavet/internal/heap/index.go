package heap

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
)

func (h *advisor) readIndex() {
	h.index = index{
		parents: map[ast.Node]ast.Node{}, uses: map[types.Object][]*ast.Ident{}, later: map[*ast.Ident]bool{},
		loops: map[*ast.Ident]ast.Node{}, returns: map[*ast.ReturnStmt]*types.Signature{},
	}
	type around struct {
		node  ast.Node
		later bool             // in a goroutine, or in a literal that runs later
		loop  ast.Node         // the innermost
		sig   *types.Signature // of the innermost literal, or the function
	}
	var stack []around
	in := around{sig: h.signature}
	ast.Inspect(h.body, func(n ast.Node) bool {
		if n == nil {
			in = stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			return true
		}
		h.nodes++
		if in.node != nil {
			h.parents[n] = in.node
		}
		stack = append(stack, in)
		in.node = n
		switch n := n.(type) {
		case *ast.Ident:
			if obj, ok := h.pkg.Pass.TypesInfo.Uses[n].(*types.Var); ok {
				h.uses[obj] = append(h.uses[obj], n)
				if in.later {
					h.later[n] = true
				}
				if in.loop != nil {
					h.loops[n] = in.loop
				}
			}
		case *ast.GoStmt:
			in.later = true
		case *ast.FuncLit:
			in.sig, _ = h.typeOf(n).(*types.Signature)
			in.later = in.later || h.runsLater(n)
		case *ast.ForStmt, *ast.RangeStmt:
			in.loop = n
		case *ast.ReturnStmt:
			h.returns[n] = in.sig
		}
		return true
	})
}

// scope returns the innermost scope around a node.
func (h *advisor) scope(n ast.Node) *types.Scope {
	for ; n != nil; n = h.parents[n] {
		at := n
		if lit, ok := n.(*ast.FuncLit); ok {
			at = lit.Type
		}
		if s := h.pkg.Pass.TypesInfo.Scopes[at]; s != nil {
			return s
		}
	}
	return h.pkg.Pass.TypesInfo.Scopes[h.header]
}

func newAdvisor(c *flow.Package, t *ast.FuncType, body *ast.BlockStmt, typ types.Type, ignored finding.IgnoredLines) *advisor {
	h := &advisor{pkg: c, header: t, body: body, params: map[types.Object]bool{}, vertices: map[place]*vertex{}, done: map[ast.Node]bool{}, ignored: ignored}
	h.signature, _ = typ.(*types.Signature)
	h.readIndex()
	return h
}

// runsLater reports whether a function literal may run after the arena's end.
func (h *advisor) runsLater(lit *ast.FuncLit) bool {
	switch p := h.parents[lit].(type) {
	case *ast.CallExpr:
		return catalog.StartsGoroutine[h.called(p)]
	case *ast.AssignStmt:
		for _, l := range p.Lhs {
			if _, ok := l.(*ast.Ident); !ok {
				return true
			}
		}
		return false
	}
	return true
}

// called returns the name of the called function, or "".
func (h *advisor) called(call *ast.CallExpr) string {
	if fn := h.function(call); fn != nil {
		return catalog.FunctionName(fn)
	}
	return ""
}

func (h *advisor) function(call *ast.CallExpr) *types.Func {
	f := ast.Unparen(call.Fun)
	switch x := f.(type) {
	case *ast.IndexExpr:
		f = x.X
	case *ast.IndexListExpr:
		f = x.X
	}
	var id *ast.Ident
	switch x := f.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	fn, _ := h.pkg.Pass.TypesInfo.Uses[id].(*types.Func)
	return fn
}

func (h *advisor) builtin(call *ast.CallExpr) string {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if b, ok := h.pkg.Pass.TypesInfo.Uses[id].(*types.Builtin); ok {
			return b.Name()
		}
	}
	return ""
}

func (h *advisor) typeOf(e ast.Expr) types.Type { return h.pkg.Pass.TypesInfo.TypeOf(e) }

func orInvalid(t types.Type) types.Type {
	if t == nil {
		return types.Typ[types.Invalid]
	}
	return t
}

// numberOf returns the index of e in list, or -1.
func numberOf(list []ast.Expr, e ast.Node) int {
	i, ok := slices.BinarySearchFunc(list, e.Pos(), func(x ast.Expr, at token.Pos) int { return int(x.Pos() - at) })
	if !ok || list[i] != e {
		return -1
	}
	return i
}

// copied reports whether the compiler avoids the copy of a string, because it is compared or looked up in a map.
func (h *advisor) copied(e ast.Expr) bool {
	switch p := h.parents[e].(type) {
	case *ast.BinaryExpr:
		return p.Op != token.ADD
	case *ast.SwitchStmt, *ast.CaseClause, *ast.RangeStmt:
		return true
	case *ast.IndexExpr:
		return p.Index == e && !h.assigned(p)
	}
	return false
}

// assigned reports whether e is assigned to.
func (h *advisor) assigned(e ast.Expr) bool {
	s, ok := h.parents[e].(*ast.AssignStmt)
	return ok && slices.Contains(s.Lhs, e)
}

// fieldOf returns the longest selector of fields that begins with id and follows no pointer, or id.
func (h *advisor) fieldOf(id *ast.Ident) ast.Expr {
	var at ast.Expr = id
	for {
		s, ok := h.parents[at].(*ast.SelectorExpr)
		if !ok || s.X != at {
			return at
		}
		chosen, ok := h.pkg.Pass.TypesInfo.Selections[s]
		if !ok || chosen.Kind() != types.FieldVal || chosen.Indirect() {
			return at
		}
		at = s
	}
}
