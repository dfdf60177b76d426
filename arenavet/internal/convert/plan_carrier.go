package convert

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/convert/life"
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
	of := func(t types.Type) *carrier {
		named, _ := types.Unalias(t).(*types.Named)
		if named == nil || !wanted[named] {
			return nil
		}
		c := p.carriers[named]
		if c == nil {
			c = &carrier{named: named, spec: p.structText(named), field: "arena"}
			p.carriers[named] = c
		}
		return c
	}
	for fn, d := range p.decls {
		ast.Inspect(d.decl.Body, func(n ast.Node) bool {
			if s, ok := n.(*ast.DeclStmt); ok {
				if l := declaredAlone(fn, s); l != nil {
					if c := of(d.pkg.TypesInfo.TypeOf(l.name)); c != nil {
						l.typ = types.TypeString(c.named, nil)
						c.lits = append(c.lits, l)
					}
				}
				return true
			}
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			c := of(d.pkg.TypesInfo.TypeOf(lit))
			if c == nil {
				return true
			}
			keyed := len(lit.Elts) == 0
			for _, e := range lit.Elts {
				_, keyed = e.(*ast.KeyValueExpr)
			}
			l := &literal{fn: fn, lit: lit, typ: types.TypeString(c.named, nil), site: allocAt(fn, lit.Lbrace)}
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
			l.set = l.site != nil && p.within[l.fn] && p.convertible(l.fn) && !long && !life.Parameterized(l.fn)
			any = any || l.set
		}
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, named.Obj().Pkg(), c.field)
		if c.spec == nil || !any || p.copied(named) || obj != nil || returned[types.TypeString(named, nil)] {
			delete(p.carriers, named)
		}
	}
}

// copied reports whether a function stores or gives a struct by its value: the copy, which may live
// longer, would have its arena.
func (p *plan) copied(named *types.Named) bool {
	for fn := range p.within {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if v, ok := i.(*ssa.UnOp); ok && v.Op == token.MUL && types.Identical(v.Type(), named) {
					for _, use := range *v.Referrers() {
						if _, ok := use.(*ssa.Field); !ok {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// declaredAlone is var x T in a function, for one x.
func declaredAlone(fn *ssa.Function, s *ast.DeclStmt) *literal {
	gen := s.Decl.(*ast.GenDecl)
	if gen.Tok != token.VAR || gen.Lparen.IsValid() {
		return nil
	}
	spec := gen.Specs[0].(*ast.ValueSpec)
	if len(spec.Names) != 1 || len(spec.Values) > 0 || spec.Names[0].Name == "_" {
		return nil
	}
	return &literal{fn: fn, name: spec.Names[0], end: spec.End(), site: allocAt(fn, spec.Names[0].Pos())}
}

// allocAt is what a function makes at a place, or nil.
func allocAt(fn *ssa.Function, pos token.Pos) ssa.Instruction {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if _, ok := i.(*ssa.Alloc); ok && i.Pos() == pos {
				return i
			}
		}
	}
	return nil
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
