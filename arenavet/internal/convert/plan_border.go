package convert

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/convert/life"
)

// findBorders finds those of the functions whose text can be changed, by the position that package
// ssa has for them.
func (p *program) findBorders(within map[*ssa.Function]bool) {
	p.borders = map[token.Pos]border{}
	for fn, d := range p.decls {
		if !within[fn] || !p.textual(fn) {
			continue
		}
		info := d.pkg.TypesInfo
		add := func(at token.Pos, x ast.Expr) {
			if types.Identical(info.TypeOf(x), types.Typ[types.String]) && info.Types[x].Value == nil && !makesText(info, x) {
				p.borders[at] = border{d, x}
			}
		}
		ast.Inspect(d.decl.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				switch info.TypeOf(n).Underlying().(type) {
				case *types.Struct, *types.Map:
				default:
					return true
				}
				for _, e := range n.Elts {
					if kv, ok := e.(*ast.KeyValueExpr); ok {
						add(kv.Colon, kv.Value)
					} else {
						add(e.Pos(), e)
					}
				}
			case *ast.AssignStmt:
				if n.Tok != token.ASSIGN || len(n.Lhs) != len(n.Rhs) {
					return true
				}
				for i, x := range n.Lhs {
					if s, ok := x.(*ast.SelectorExpr); ok {
						add(s.Sel.Pos(), n.Rhs[i])
					}
				}
			case *ast.CallExpr:
				if len(n.Args) == 1 && isPanicOrNew(info, n) {
					add(n.Lparen, n.Args[0])
				}
			}
			return true
		})
	}
}

// makesText reports whether an expression is a site itself, whose text can stay on the heap.
func makesText(info *types.Info, x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.BinaryExpr:
		return true
	case *ast.CallExpr:
		if info.Types[x.Fun].IsType() {
			return true
		}
		if id := calledName(x); id != nil {
			fn, ok := info.Uses[id].(*types.Func)
			return ok && twins[fn.FullName()]
		}
	}
	return false
}

func isPanicOrNew(info *types.Info, n *ast.CallExpr) bool {
	id := calledName(n)
	if id == nil {
		return false
	}
	switch obj := info.Uses[id].(type) {
	case *types.Builtin:
		return obj.Name() == "panic"
	case *types.Func:
		return obj.FullName() == "errors.New"
	}
	return false
}

// copyBorders writes the copies, where the arena has strings at all.
func (p *plan) copyBorders(all edits, need map[*planned]bool, nameOf func(d *declared) string) {
	text := false
	for f := range need {
		text = text || slices.ContainsFunc(f.sites, func(s *Site) bool {
			return s.Reason == "" && slices.ContainsFunc(s.at, func(i ssa.Instruction) bool { return slices.Contains(life.TypesOf(i), "string") })
		})
	}
	if !text {
		return
	}
	for _, pos := range slices.SortedFunc(maps.Keys(p.life.Copied()), p.compare) {
		b := p.borders[pos]
		p.insert(all, b.text.Pos(), nameOf(b.d)+".Clone(")
		p.insert(all, b.text.End(), ")")
	}
}

// escapes are the places where a copy is stored, in order.
func (p *plan) escapes() []token.Pos {
	return slices.SortedFunc(maps.Keys(p.life.Escapes()), p.compare)
}

// writeEscapes writes the copies.
func (p *plan) writeEscapes(all edits, need map[*planned]bool, nameOf func(d *declared) string) {
	for _, pos := range p.escapes() {
		e := p.life.Escapes()[pos]
		if f := p.all[e.Func]; f != nil && need[f] {
			for _, b := range p.stores[pos] {
				p.insert(all, b.text.Pos(), nameOf(b.d)+".Escape("+f.arena+", ")
				p.insert(all, b.text.End(), ")")
			}
		}
	}
}
