package convert

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/convert/life"
)

// findStores finds where the functions store a value for which the text can have a copy of it.
func (p *program) findStores(within map[*ssa.Function]bool) {
	p.stores = map[token.Pos][]border{}
	for fn, d := range p.decls {
		if !within[fn] || !p.textual(fn) {
			continue
		}
		info := d.pkg.TypesInfo
		add := func(at token.Pos, values ...ast.Expr) {
			var all []border
			for _, x := range values {
				if tv := info.Types[x]; tv.Value != nil || tv.IsNil() {
					continue
				}
				if !copyable(info.TypeOf(x), map[types.Type]bool{}) {
					return
				}
				all = append(all, border{d, x})
			}
			p.stores[at] = all
		}
		ast.Inspect(d.decl.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok != token.ASSIGN || len(n.Lhs) != len(n.Rhs) {
					return true
				}
				for i, x := range n.Lhs {
					if isAppend(info, n.Rhs[i]) {
						continue // what is appended is copied, not the list
					}
					switch x := ast.Unparen(x).(type) {
					case *ast.Ident:
						add(x.Pos(), n.Rhs[i])
					case *ast.SelectorExpr:
						add(x.Sel.Pos(), n.Rhs[i])
					case *ast.IndexExpr:
						add(x.Lbrack, n.Rhs[i])
					}
				}
			case *ast.SendStmt:
				add(n.Arrow, n.Value)
			case *ast.CallExpr:
				if isAppend(info, n) && !n.Ellipsis.IsValid() {
					add(n.Lparen, n.Args[1:]...)
				}
			}
			return true
		})
	}
}

func isAppend(info *types.Info, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && info.Uses[calledName(call)] == types.Universe.Lookup("append")
}

// copyable reports whether Escape sees all that a value of a type leads to.
func copyable(t types.Type, seen map[types.Type]bool) bool {
	if t == nil || seen[t] {
		return t != nil
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer && u.Kind() != types.Uintptr
	case *types.Pointer:
		return copyable(u.Elem(), seen)
	case *types.Slice:
		return copyable(u.Elem(), seen)
	case *types.Array:
		return copyable(u.Elem(), seen)
	case *types.Map:
		return copyable(u.Key(), seen) && copyable(u.Elem(), seen)
	case *types.Struct:
		if n, ok := types.Unalias(t).(*types.Named); ok && (catalog.PackagePath(n.Obj().Pkg()) == "sync" || catalog.PackagePath(n.Obj().Pkg()) == "sync/atomic") {
			return false
		}
		for v := range u.Fields() {
			if !copyable(v.Type(), seen) {
				return false
			}
		}
		return true
	}
	return false // a function, a channel, an interface that may hold one
}

// refuse finds the stores whose value can't be copied: they get none, and what they store stays on
// the heap. It reports whether there are new ones.
func (p *plan) refuse() (changed bool) {
	need, moved := p.needed(), map[ssa.Instruction]bool{}
	for _, f := range p.order {
		for _, s := range f.sites {
			for _, i := range s.at {
				moved[i] = s.Reason == "" && s.fix && need[f]
			}
		}
		for _, l := range f.makes {
			moved[l.site] = moved[l.site] && l.set
		}
	}
	onHeap := map[*ssa.Function]map[string]bool{}
	heapOf := func(fn *ssa.Function) map[string]bool {
		all, ok := onHeap[fn]
		if !ok {
			all = map[string]bool{}
			onHeap[fn] = all
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					if !moved[i] && p.allocates(i) {
						for _, t := range life.TypesOf(i) {
							all[t] = true
						}
					}
				}
			}
		}
		return all
	}
	fits := func(e *life.Escaped) bool {
		for i := range e.Sites {
			if _, isMap := i.(*ssa.MakeMap); !isMap && !moved[i] {
				return false
			}
		}
		for call, made := range e.Made {
			n := p.graph.Nodes[e.Func]
			if n == nil {
				return false
			}
			for _, edge := range n.Out {
				if edge.Site != call {
					continue
				}
				for fn := range p.cone(edge.Callee.Func) {
					for t := range made {
						if heapOf(fn)[t] {
							return false
						}
					}
				}
			}
		}
		f := p.all[e.Func]
		return !e.Refused && f != nil && need[f]
	}
	for pos, e := range p.life.Escapes() {
		if !fits(e) {
			delete(p.stores, pos)
			changed = true
		}
	}
	return changed
}

// allocates reports whether an instruction may make what is on the heap, and is no builtin map: those
// Escape copies with what they hold.
func (p *program) allocates(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Alloc:
		return i.Heap
	case *ssa.MakeInterface:
		_, isPointer := i.X.Type().Underlying().(*types.Pointer)
		return !isPointer
	case *ssa.Call:
		g := i.Common().StaticCallee()
		return g == nil || p.decls[p.base(g)] == nil && g.Parent() == nil
	case *ssa.MakeSlice, *ssa.MakeClosure, *ssa.Convert, *ssa.MultiConvert, *ssa.BinOp:
		return true
	}
	return false
}
