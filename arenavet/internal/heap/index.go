package heap

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
)

func (h *advisor) readIndex() {
	h.parents, h.uses = map[ast.Node]ast.Node{}, map[types.Object][]*ast.Ident{}
	ast.PreorderStack(h.body, nil, func(n ast.Node, around []ast.Node) bool {
		h.nodes++
		if len(around) > 0 {
			h.parents[n] = around[len(around)-1]
		}
		if id, ok := n.(*ast.Ident); ok {
			if obj, ok := h.pkg.Pass.TypesInfo.Uses[id].(*types.Var); ok {
				h.uses[obj] = append(h.uses[obj], id)
			}
		}
		return true
	})
}

// around returns the innermost node around n that is meant, or nil.
func (h *advisor) around(n ast.Node, meant func(ast.Node) bool) ast.Node {
	for n = h.parents[n]; n != nil && !meant(n); {
		n = h.parents[n]
	}
	return n
}

// later reports whether a use of a variable may run after the arena's end.
func (h *advisor) later(id *ast.Ident) bool {
	return h.around(id, func(n ast.Node) bool {
		_, isGo := n.(*ast.GoStmt)
		lit, isLit := n.(*ast.FuncLit)
		return isGo || isLit && h.runsLater(lit)
	}) != nil
}

// loop returns the innermost loop around n, or nil.
func (h *advisor) loop(n ast.Node) ast.Node {
	return h.around(n, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		}
		return false
	})
}

// returning returns the signature of the function that a return statement leaves.
func (h *advisor) returning(ret *ast.ReturnStmt) *types.Signature {
	lit, ok := h.around(ret, func(n ast.Node) bool { _, ok := n.(*ast.FuncLit); return ok }).(*ast.FuncLit)
	if !ok {
		return h.signature
	}
	sig, _ := h.typeOf(lit).(*types.Signature)
	return sig
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
	fn, _ := typeutil.Callee(h.pkg.Pass.TypesInfo, call).(*types.Func)
	return fn
}

func (h *advisor) builtin(call *ast.CallExpr) string {
	if b, ok := typeutil.Callee(h.pkg.Pass.TypesInfo, call).(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// typeOf returns the type of e, which is Invalid if e has none.
func (h *advisor) typeOf(e ast.Expr) types.Type {
	if t := h.pkg.Pass.TypesInfo.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// numberOf returns the index of e in list, or -1.
func numberOf(list []ast.Expr, e ast.Node) int {
	i, ok := slices.BinarySearchFunc(list, e.Pos(), func(x ast.Expr, at token.Pos) int { return int(x.Pos() - at) })
	if !ok || list[i] != e {
		return -1
	}
	return i
}

// rootOf returns the variable that e is a part of, or leads to, or another expression.
func (h *advisor) rootOf(e ast.Expr) ast.Expr {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			if v, ok := h.pkg.Pass.TypesInfo.Uses[x.Sel].(*types.Var); ok && !v.IsField() {
				return x
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		default:
			return e
		}
	}
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
