package convert

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// findCarriers finds the structs that only the root's functions make, and nothing keeps.
func (p *plan) findCarriers(results map[*ssa.Function]made) {
	p.carriers = map[*types.Named]*carrier{}
	wanted := map[*types.Named]bool{}
	for fn := range p.within {
		n := p.graph.Nodes[fn]
		if n == nil || !p.convertible(fn) {
			continue
		}
		for _, e := range n.In {
			if e.Site != nil && e.Site.Common().StaticCallee() == nil {
				for _, v := range fn.Params {
					if n := structOf(v.Type()); n != nil {
						wanted[n] = true
					}
				}
			}
		}
	}
	for _, lexer := range p.parsers {
		wanted[lexer] = true
	}
	for fn, d := range p.decls {
		ast.Inspect(d.decl.Body, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			named, _ := types.Unalias(d.pkg.TypesInfo.TypeOf(lit)).(*types.Named)
			if named == nil || !wanted[named] {
				return true
			}
			c := p.carriers[named]
			if c == nil {
				c = &carrier{named: named, spec: p.structText(named), field: "arena"}
				p.carriers[named] = c
			}
			keyed := len(lit.Elts) == 0
			for _, e := range lit.Elts {
				_, keyed = e.(*ast.KeyValueExpr)
			}
			l := &literal{fn: fn, lit: lit, typ: types.TypeString(named, nil)}
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					if _, ok := i.(*ssa.Alloc); ok && i.Pos() == lit.Lbrace {
						l.site = i
					}
				}
			}
			if !keyed {
				c.spec = nil // a field more, and it does not compile
			}
			c.lits = append(c.lits, l)
			return true
		})
	}
	returned := p.life.Outward(p.root)
	for named, c := range p.carriers {
		any := false
		for _, l := range c.lits {
			_, long := results[l.fn].sites[l.site]
			l.set = l.site != nil && p.within[l.fn] && p.convertible(l.fn) && !long
			any = any || l.set
		}
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, named.Obj().Pkg(), c.field)
		if c.spec == nil || !any || obj != nil || returned[types.TypeString(named, nil)] {
			delete(p.carriers, named)
		}
	}
}

func structOf(t types.Type) *types.Named {
	ptr, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	n, ok := types.Unalias(ptr.Elem()).(*types.Named)
	if !ok || n.TypeArgs().Len() > 0 {
		return nil
	}
	if _, ok := n.Underlying().(*types.Struct); !ok {
		return nil
	}
	return n
}

// structText is where a struct is declared, or nil where its text can't be changed.
func (p *plan) structText(n *types.Named) *ast.StructType {
	for _, pkg := range p.pkgs {
		if pkg.Types != n.Obj().Pkg() {
			continue
		}
		for _, file := range pkg.Syntax {
			if p.generated[file] || n.Obj().Pos() < file.Pos() || n.Obj().Pos() > file.End() {
				continue
			}
			var found *ast.StructType
			ast.Inspect(file, func(x ast.Node) bool {
				if s, ok := x.(*ast.TypeSpec); ok && s.Name.Pos() == n.Obj().Pos() {
					found, _ = s.Type.(*ast.StructType)
				}
				return found == nil
			})
			return found
		}
	}
	return nil
}

// carried is how a function names the arena of a carrier that it is given.
func (p *plan) carried(fn *ssa.Function) string {
	for _, v := range fn.Params {
		if n := structOf(v.Type()); n != nil && p.carriers[n] != nil && v.Name() != "_" && v.Name() != "" {
			return v.Name() + "." + p.carriers[n].field
		}
	}
	return ""
}
