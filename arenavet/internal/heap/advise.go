package heap

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

// Advise reports advice for a package's functions.
func Advise(c *flow.Package, ignored finding.IgnoredLines) {
	if catalog.PackagePath(c.Pass.Pkg) == catalog.ArenaPath {
		return
	}
	list := &adviceList{slices: &rewrite.Slices{Functions: c.Shipped()}}
	for _, file := range c.Pass.Files {
		if c.InTest(file.Pos()) {
			continue // tests are not advised
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Body != nil {
					adviseFunction(c, list, n.Recv, n.Type, n.Body, c.Pass.TypesInfo.Defs[n.Name].Type(), ignored)
				}
			case *ast.FuncLit:
				if hasArena(c, n.Type) { // such as the argument of Do
					adviseFunction(c, list, nil, n.Type, n.Body, c.Pass.TypesInfo.TypeOf(n), ignored)
				}
			}
			return true
		})
	}
	list.report(c.Pass)
}

func adviseFunction(c *flow.Package, list *adviceList, recv *ast.FieldList, t *ast.FuncType, body *ast.BlockStmt, typ types.Type, ignored finding.IgnoredLines) {
	h := newAdvisor(c, t, body, typ, ignored)
	h.list = list
	h.findArenas(recv, t)
	if len(h.arenas) == 0 {
		if h.request = h.requestOf(); h.request == "" {
			return
		}
	}
	h.at = body
	for _, list := range []*ast.FieldList{recv, t.Params} {
		if list == nil {
			continue
		}
		for _, p := range list.List {
			for _, name := range p.Names {
				h.movedParts(name)
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		h.at = n
		switch n := n.(type) {
		case *ast.FuncLit:
			return !hasArena(h.pkg, n.Type) && !h.runsLater(n)
		case *ast.GoStmt:
			return false
		case ast.Expr:
			if !h.done[n] {
				h.expression(n)
			}
		case *ast.AssignStmt:
			h.addAssign(n)
			h.movedDefinition(n)
		case *ast.ValueSpec:
			h.builder(n)
			h.moved(n)
		case *ast.RangeStmt:
			h.movedParts(n.Key, n.Value)
		}
		return true
	})
}

func hasArena(c *flow.Package, t *ast.FuncType) bool {
	for _, p := range t.Params.List {
		if isArena(c.Pass.TypesInfo.TypeOf(p.Type)) {
			return true
		}
	}
	return false
}

func (h *advisor) expression(e ast.Expr) {
	if tv := h.pkg.Pass.TypesInfo.Types[e]; tv.Value != nil || tv.IsType() {
		return
	}
	h.box(e)
	switch e := e.(type) {
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok && e.Op == token.AND && isBuilder(h.typeOf(lit)) {
			h.done[lit] = true
			h.builderAt(e)
		} else if ok && e.Op == token.AND && h.of(e) == goesOut {
			h.done[lit] = true
			h.useFunction(e.Pos(), "&"+types.ExprString(typeOr(lit))+"{}", "NewOf", lit == e.X && rewrite.Sized(h.typeOf(lit)), func(c rewrite.Call) []analysis.TextEdit {
				return []analysis.TextEdit{replace(e.Pos(), lit.Pos(), c.Func("NewOf")+c.First()), insert(lit.End(), ")")}
			})
		}
	case *ast.CompositeLit:
		h.literal(e)
	case *ast.BinaryExpr:
		h.concatenation(e)
	case *ast.CallExpr:
		h.call(e)
	}
}

// findArenas finds the arenas in scope, and reports an arena parameter that is never used.
func (h *advisor) findArenas(recv *ast.FieldList, t *ast.FuncType) {
	var fields []ast.Expr
	add := func(list *ast.FieldList) {
		if list == nil {
			return
		}
		for _, p := range list.List {
			for _, name := range p.Names {
				obj := h.pkg.Pass.TypesInfo.Defs[name]
				if obj == nil || name.Name == "_" {
					continue
				}
				h.params[obj] = true
				if isArena(obj.Type()) {
					h.arenas = append(h.arenas, name)
					if len(h.uses[obj]) == 0 {
						h.say(name.Pos(), "arena "+name.Name+" is never used: what this function allocates goes to the heap, or it needs no arena", nil)
					}
					continue
				}
				elem := obj.Type()
				if p, ok := elem.Underlying().(*types.Pointer); ok {
					elem = p.Elem()
				}
				if s, ok := elem.Underlying().(*types.Struct); ok && catalog.ArenaType(elem) == "" {
					for i := range s.NumFields() {
						f := s.Field(i)
						if isArena(f.Type()) && (f.Exported() || f.Pkg() == h.pkg.Pass.Pkg) {
							fields = append(fields, &ast.SelectorExpr{X: name, Sel: ast.NewIdent(f.Name())})
						}
					}
				}
			}
		}
	}
	add(t.Params)
	ast.Inspect(h.body, func(n ast.Node) bool {
		s, ok := n.(*ast.AssignStmt)
		if ok && s.Tok == token.DEFINE && len(s.Lhs) == 1 && len(s.Rhs) == 1 {
			if call, ok := s.Rhs[0].(*ast.CallExpr); ok && h.called(call) == catalog.ArenaPath+".FromContext" {
				h.arenas = append(h.arenas, s.Lhs[0])
			}
		}
		return true
	})
	add(recv)
	h.arenas = append(h.arenas, fields...)
}
