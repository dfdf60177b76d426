package convert

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/convert/life"
)

// isWrapper reports whether a function is that of a method value, or the like: calls by way of a value call that.
func isWrapper(fn *ssa.Function) bool {
	return strings.Contains(fn.Synthetic, "wrapper") || strings.Contains(fn.Synthetic, "thunk")
}

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
			if e.Site != nil && (e.Site.Common().StaticCallee() == nil || isWrapper(e.Caller.Func)) {
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
			for _, l := range madeAlone(fn, d.pkg.TypesInfo, n) {
				if c := of(d.pkg.TypesInfo.TypeOf(l.name).Underlying().(*types.Pointer).Elem()); c != nil {
					l.typ = types.TypeString(c.named, nil)
					c.lits = append(c.lits, l)
				}
			}
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			c := of(typeOf(d.pkg.TypesInfo, lit))
			if c == nil {
				return true
			}
			c.lits = append(c.lits, &literal{fn: fn, lit: lit, typ: types.TypeString(c.named, nil), site: allocAt(fn, lit.Lbrace)})
			c.every = c.every || !keyed(lit)
			return true
		})
	}
	for i, v := range p.root.Params {
		if n := structOf(v.Type()); n != nil && p.into[i] && v.Name() != "" && v.Name() != "_" {
			if c := of(n); c != nil {
				c.lits = append(c.lits, &literal{fn: p.root, name: ast.NewIdent(v.Name()), typ: types.TypeString(n, nil), into: true})
			}
		}
	}
	returned := p.life.Outward(p.root)
	for named, c := range p.carriers {
		any := false
		for _, l := range c.lits {
			_, long := results[l.fn].sites[l.site]
			l.set = l.into || l.site != nil && p.within[l.fn] && p.convertible(l.fn) && !long && !life.Parameterized(l.fn) && !returned[l.typ]
			any = any || l.set
		}
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, named.Obj().Pkg(), c.field)
		if c.spec == nil || !any || p.copied(named) || obj != nil || c.every && !p.inSight(named) {
			delete(p.carriers, named)
		}
	}
}

// typeOf is the type of a literal, whose address an element of a list may be.
func typeOf(info *types.Info, lit *ast.CompositeLit) types.Type {
	t := info.TypeOf(lit)
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		return ptr.Elem()
	}
	return t
}

// inSight reports whether all literals of a struct that name no fields are in functions of the plan's texts: with a
// field more they need a value more.
func (p *plan) inSight(named *types.Named) bool {
	hidden := !named.Obj().Exported() // others can't write such a literal
	for v := range named.Underlying().(*types.Struct).Fields() {
		hidden = hidden || !v.Exported()
	}
	if !hidden {
		return false
	}
	for _, pkg := range p.pkgs {
		if pkg.Types == named.Obj().Pkg() && p.names[pkg.PkgPath][named.Obj().Name()] > 0 {
			return false
		}
		for _, file := range pkg.Syntax {
			for _, d := range file.Decls {
				fn, isFunc := d.(*ast.FuncDecl)
				if isFunc && fn.Body != nil && !p.generated[file] {
					continue
				}
				seen := false
				ast.Inspect(d, func(n ast.Node) bool {
					lit, ok := n.(*ast.CompositeLit)
					seen = seen || ok && !keyed(lit) && types.Identical(typeOf(pkg.TypesInfo, lit), named)
					return !seen
				})
				if seen {
					return false
				}
			}
		}
	}
	return true
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

// madeAlone are those of x := new(T) that are statements of a block.
func madeAlone(fn *ssa.Function, info *types.Info, n ast.Node) (all []*literal) {
	for _, s := range statements(n) {
		a, ok := s.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
			continue
		}
		name, isName := a.Lhs[0].(*ast.Ident)
		call, isCall := a.Rhs[0].(*ast.CallExpr)
		if !isName || !isCall || name.Name == "_" || info.Uses[calledName(call)] != types.Universe.Lookup("new") {
			continue
		}
		if _, ok := info.TypeOf(name).Underlying().(*types.Pointer); ok {
			all = append(all, &literal{fn: fn, name: name, end: a.End(), site: allocAt(fn, call.Lparen)})
		}
	}
	return all
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
	if p.elsewhere(n.Obj()) {
		return nil
	}
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
