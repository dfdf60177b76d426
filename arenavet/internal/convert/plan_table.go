package convert

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/convert/life"
)

// tableOf is the table that a function lies in that a call calls, or nil.
func (p *plan) tableOf(call ssa.CallInstruction) *table {
	g := life.Table(call.Common())
	if g == nil || g.Pkg != call.Parent().Pkg {
		return nil
	}
	t, ok := p.tables[g]
	if !ok {
		t = p.newTable(g)
		p.tables[g] = t
	}
	return t
}

func (p *plan) newTable(g *ssa.Global) *table {
	d := p.fileOf(g.Pos())
	if d == nil || p.generated[d.file] {
		return nil
	}
	for _, decl := range d.file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || g.Pos() < gen.Pos() || g.Pos() > gen.End() {
			continue
		}
		for _, spec := range gen.Specs {
			v, ok := spec.(*ast.ValueSpec)
			if !ok || len(v.Names) != 1 || len(v.Values) != 1 || v.Names[0].Pos() != g.Pos() {
				continue
			}
			lit, ok := v.Values[0].(*ast.CompositeLit)
			if !ok {
				return nil
			}
			m, ok := lit.Type.(*ast.MapType)
			if !ok {
				return nil
			}
			sig, ok := m.Value.(*ast.FuncType)
			if !ok || d.pkg.Types.Scope().Lookup(inName(g.Name())) != nil {
				return nil
			}
			t := &table{at: d, name: g.Name(), sig: sig, after: gen.End(), bad: map[string]bool{}}
			for _, e := range lit.Elts {
				kv := e.(*ast.KeyValueExpr)
				if value := constructed(kv.Value); value != nil {
					ptr, ok := d.pkg.TypesInfo.TypeOf(value).(*types.Pointer)
					if ok {
						t.entries = append(t.entries, constructor{kv.Key, value, life.TypeName(ptr.Elem())})
					}
				}
			}
			if len(t.entries) > 0 {
				return t
			}
		}
	}
	return nil
}

func inName(name string) string { return strings.ToLower(name[:1]) + name[1:] + "In" }

// constructed is the T of a function literal that returns new(T) or &T{} and does nothing else.
func constructed(e ast.Expr) ast.Expr {
	f, ok := e.(*ast.FuncLit)
	if !ok || len(f.Body.List) != 1 {
		return nil
	}
	ret, ok := f.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return nil
	}
	switch x := ret.Results[0].(type) {
	case *ast.CallExpr:
		if id, ok := x.Fun.(*ast.Ident); ok && id.Name == "new" && len(x.Args) == 1 {
			return x
		}
	case *ast.UnaryExpr:
		if lit, ok := x.X.(*ast.CompositeLit); ok && x.Op == token.AND && len(lit.Elts) == 0 {
			return x
		}
	}
	return nil
}

// usable reports whether something of a table may lie in the arena.
func (t *table) usable() bool {
	for _, c := range t.entries {
		if !t.bad[c.typ] {
			return true
		}
	}
	return false
}

// judgeTables leaves out of the tables what outlives the root where a function calls one.
func (p *plan) judgeTables(f *planned, r made) (changed bool) {
	for call, t := range f.tables {
		_, all := r.sites[call]
		for _, c := range t.entries {
			_, long := r.calls[call][c.typ]
			if (all || long || f.demoted[c.typ] != "") && !t.bad[c.typ] {
				t.bad[c.typ], changed = true, true
			}
		}
	}
	return changed
}

// threadTables writes the calls of tables, and notes the tables.
func (p *plan) threadTables(all edits, f *planned, used map[*table]bool) {
	at := map[token.Pos]*table{}
	for call, t := range f.tables {
		if t.usable() {
			at[callPos(call)] = t
		}
	}
	if len(at) == 0 {
		return
	}
	outer := f.fn
	for outer.Parent() != nil {
		outer = outer.Parent()
	}
	ast.Inspect(p.decls[outer].decl.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && at[c.Lparen] != nil {
			p.insert(all, c.Fun.Pos(), inName(at[c.Lparen].name)+"("+f.arena+", ")
			p.add(all, c.Lparen, c.Rparen+1, ")")
			used[at[c.Lparen]] = true
		}
		return true
	})
}

// writeTable writes a table's other side.
func (p *plan) writeTable(all edits, t *table, named func(d *declared, path, own string) string) {
	pkg, reflect := named(t.at, catalog.ArenaPath, "arena"), named(t.at, "reflect", "reflect")
	in, result := inName(t.name), types.ExprString(t.sig.Results.List[0].Type)
	var b strings.Builder
	n := 4 // of each four places, three are free at least
	for n < 4*len(t.entries) {
		n *= 2
	}
	fmt.Fprintf(&b, `

// %[1]s makes what f does, a function of %[2]s, with an arena for it; nil is the heap.
func %[1]s(a *%[3]s.Arena, f func() %[4]s) %[4]s {
	if a != nil {
		code := %[5]s.ValueOf(f).Pointer()
		for i := code / 16; %[1]sArena[i%%%[6]d].make != nil; i++ {
			if e := &%[1]sArena[i%%%[6]d]; e.code == code {
				return e.make(a)
			}
		}
	}
	return f()
}

// %[1]sArena has the functions of %[2]s, by their code: each at its place or at the next that is free.
var %[1]sArena = func() (all [%[6]d]struct {
	code uintptr
	make func(a *%[3]s.Arena) %[4]s
}) {
	add := func(f func() %[4]s, make func(a *%[3]s.Arena) %[4]s) {
		code := %[5]s.ValueOf(f).Pointer()
		i := code / 16
		for all[i%%%[6]d].make != nil {
			i++
		}
		all[i%%%[6]d].code, all[i%%%[6]d].make = code, make
	}
`, in, t.name, pkg, result, reflect, n)
	for _, c := range t.entries {
		if !t.bad[c.typ] {
			var typ ast.Expr
			switch x := c.value.(type) {
			case *ast.CallExpr:
				typ = x.Args[0]
			case *ast.UnaryExpr:
				typ = x.X.(*ast.CompositeLit).Type
			}
			fmt.Fprintf(&b, "\tadd(%s[%s], func(a *%s.Arena) %s { return %s.New[%s](a) })\n", t.name, types.ExprString(c.key), pkg, result, pkg, types.ExprString(typ))
		}
	}
	b.WriteString("\treturn all\n")
	p.insert(all, t.after, b.String()+"}()\n")
}
