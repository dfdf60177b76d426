package convert

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// needed are the functions that something in an arena is for.
func (p *plan) needed() map[*planned]bool {
	need := map[*planned]bool{}
	for changed := true; changed; {
		changed = false
		for _, f := range p.order {
			if need[f] {
				continue
			}
			any := slices.ContainsFunc(f.sites, func(s *Site) bool { return s.Reason == "" })
			for _, t := range f.tables {
				any = any || t.usable()
			}
			for call := range f.calls {
				any = any || f.left[call] == "" && slices.ContainsFunc(f.callees(call), func(g *planned) bool { return need[g] })
			}
			for _, g := range f.fn.AnonFuncs {
				any = any || p.all[g] != nil && need[p.all[g]]
			}
			for _, l := range f.makes {
				any = any || l.set && p.used(l, need)
			}
			if any {
				need[f], changed = true, true
			}
		}
	}
	return p.given(need)
}

// given are those of the functions that get an arena: from a call of the root's, or a carrier.
func (p *plan) given(need map[*planned]bool) map[*planned]bool {
	all := map[*planned]bool{}
	var visit func(f *planned)
	visit = func(f *planned) {
		if f == nil || !need[f] || all[f] {
			return
		}
		all[f] = true
		for call := range f.calls {
			if f.left[call] != "" {
				continue
			}
			list := f.callees(call)
			any := slices.ContainsFunc(list, func(g *planned) bool { return need[g] })
			for _, g := range list {
				if visit(g); any {
					all[g] = true
				}
			}
		}
		for _, g := range f.fn.AnonFuncs {
			visit(p.all[g])
		}
	}
	visit(p.all[p.root])
	for before := -1; before < len(all); {
		before = len(all)
		for _, f := range p.order {
			if f.how == byCarrier && p.carries(f, all) {
				visit(f)
			}
		}
	}
	return all
}

// used reports whether a function has its arena from such a carrier.
func (p *plan) used(l *literal, need map[*planned]bool) bool {
	for f := range need {
		if f.how != byCarrier {
			continue
		}
		for _, n := range p.carriersOf(f.fn) {
			if types.TypeString(n, nil) == l.typ {
				return true
			}
		}
	}
	return false
}

// carries reports whether something makes a carrier with an arena that the function may get.
func (p *plan) carries(f *planned, given map[*planned]bool) bool {
	for _, n := range p.carriersOf(f.fn) {
		if p.carriers[n] != nil && slices.ContainsFunc(p.carriers[n].lits, func(l *literal) bool { return l.set && given[p.all[l.fn]] }) {
			return true
		}
	}
	return false
}

// thread writes the edits that give functions their arenas.
func (p *plan) thread(e entry) (edits, error) {
	all, imports := edits{}, map[*ast.File][]imported{}
	need := p.needed()
	named := func(d *declared, path, own string) string {
		for _, i := range imports[d.file] {
			if i.path == path {
				return i.name
			}
		}
		name := p.importName(d, path, own)
		imports[d.file] = append(imports[d.file], imported{path, own, name})
		return name
	}
	pkgName := func(f *planned) string { return named(p.decls[f.fn], catalog.ArenaPath, "arena") }
	p.nameVariants(need)
	if err := p.declareGroups(all, need, named); err != nil {
		return nil, err
	}
	for _, f := range p.order {
		if !need[f] || f.how == byCapture {
			continue
		}
		switch f.how {
		case byCarrier:
			if lexer := p.parsers[f.fn]; lexer != nil {
				p.threadActions(all, f, need, p.importName(p.decls[f.fn], catalog.ArenaPath, "arena"))
				p.writeLexer(all, f, named(p.fileOf(p.carriers[lexer].spec.Pos()), catalog.ArenaPath, "arena"))
			}
		case byParameter:
			if err := p.variant(all, f, pkgName(f), e); err != nil {
				return nil, err
			}
		case byContext:
			text := "\n\t" + f.arena + " := " + pkgName(f) + ".FromContext(" + p.contextOf(f.fn) + ")"
			if !p.advised { // nothing may use it yet
				text += "\n\t_ = " + f.arena
			}
			if e == gated {
				text += fmt.Sprintf("\n\tif arenaGate != %q {\n\t\t%s = %s.NewArena(1<<16, 0)\n\t}\n\tif arenaGate == %q {\n\t\tdefer %[2]s.Release()\n\t}", noArena.value, f.arena, pkgName(f), ended.value)
			}
			p.insert(all, p.bodyStart(p.decls[f.fn]), text+";") // the body may go on in the same line
		}
	}
	p.writeGuard(all, p.all[p.root], e)
	p.writeEscapes(all, need, func(d *declared) string { return named(d, catalog.ArenaPath, "arena") })
	tables := map[*table]bool{}
	for _, f := range p.order {
		if !need[f] {
			continue
		}
		p.threadCalls(all, f, need)
		p.threadTables(all, f, tables)
		for _, s := range f.sites {
			if s.json != nil && s.fix && s.Reason == "" {
				named(p.fileOf(s.Pos), jsonPath, "arenajson")
			}
			if s.json == nil && s.fix && s.Reason == "" && p.parsers[f.fn] == nil {
				named(p.fileOf(s.Pos), catalog.ArenaPath, "arena") // which a carrier alone does not bring
			}
		}
	}
	for t := range tables {
		p.writeTable(all, t, named)
	}
	fields := map[*ast.StructType]bool{}
	for _, c := range slices.SortedFunc(maps.Values(p.carriers), func(a, b *carrier) int { return p.compare(a.spec.Pos(), b.spec.Pos()) }) {
		list := slices.DeleteFunc(slices.Clone(c.lits), func(l *literal) bool { return !l.set || !need[p.all[l.fn]] || !p.used(l, need) })
		for _, l := range c.lits {
			set := slices.Contains(list, l)
			switch {
			case l.lit != nil && !keyed(l.lit) && len(list) > 0:
				p.insert(all, l.lit.Elts[len(l.lit.Elts)-1].End(), ", "+arenaOf(p.all[l.fn], set))
			case !set:
			case l.lit != nil:
				text := c.field + ": " + p.all[l.fn].arena
				if len(l.lit.Elts) > 0 {
					text += ", "
				}
				p.insert(all, l.lit.Lbrace+1, text)
			case l.into:
				p.insert(all, p.bodyStart(p.decls[l.fn]), fmt.Sprintf("\n\tif %[1]s != nil {\n\t\t%[1]s.%[2]s = %[3]s\n\t}\n", l.name.Name, c.field, p.all[l.fn].arena))
			default:
				p.insert(all, l.end, "\n\t"+l.name.Name+"."+c.field+" = "+p.all[l.fn].arena)
			}
			if !set {
				continue
			}
			if !fields[c.spec] {
				fields[c.spec] = true
				name := named(p.fileOf(c.spec.Pos()), catalog.ArenaPath, "arena")
				p.insert(all, c.spec.Fields.Closing, "\n\t"+c.field+" *"+name+".Arena // of what is made for it; nil is the heap\n")
			}
		}
	}
	p.copyBorders(all, need, func(d *declared) string { return named(d, "strings", "strings") })
	for file, list := range imports {
		p.addImports(all, file, list)
	}
	return all, nil
}

// arenaOf returns the text of an argument: the function's arena, or nil.
func arenaOf(f *planned, set bool) string {
	if set {
		return f.arena
	}
	return "nil"
}

func (p *plan) contextOf(fn *ssa.Function) string {
	name := fromContext(fn)
	for _, v := range fn.Params {
		if v.Name() == name && catalog.TypeName(v.Type()) == "*net/http.Request" {
			return name + ".Context()"
		}
	}
	return name
}

// imported is a package that a file needs.
type imported struct {
	path string
	own  string // its name
	name string // that the file has for it
}

// importName returns the name that a file has for a package, or is to have.
func (p *plan) importName(d *declared, path, own string) string {
	for _, i := range d.file.Imports {
		if of, _ := strconv.Unquote(i.Path.Value); of == path {
			if i.Name != nil {
				return i.Name.Name
			}
			return own
		}
	}
	taken := d.pkg.Types.Scope().Lookup(own) != nil
	ast.Inspect(d.file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == own {
			v, isVar := d.pkg.TypesInfo.ObjectOf(id).(*types.Var)
			taken = taken || !isVar || !v.IsField()
		}
		return true
	})
	if taken {
		return "ebb" + own
	}
	return own
}

func (p *plan) addImports(all edits, file *ast.File, list []imported) {
	spec := ""
	for _, i := range list {
		if slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == strconv.Quote(i.path) }) {
			continue
		}
		if spec != "" {
			spec += "\n\t"
		}
		if i.name != i.own {
			spec += i.name + " "
		}
		spec += strconv.Quote(i.path)
	}
	if spec == "" {
		return
	}
	at, text := file.Name.End(), "\n\nimport "+spec+"\n"
	if strings.Contains(spec, "\n") {
		text = "\n\nimport (\n\t" + spec + "\n)\n"
	}
	var last *ast.GenDecl
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			if last = g; g.Rparen.IsValid() {
				p.insert(all, g.Rparen, "\n\t"+spec+"\n")
				return
			}
		}
	}
	if last != nil {
		p.insert(all, last.Specs[0].Pos(), "(\n\t")
		at, text = last.End(), "\n\n\t"+spec+"\n)\n"
	}
	p.insert(all, at, text)
}

func (p *plan) threadCalls(all edits, f *planned, need map[*planned]bool) {
	for _, c := range p.callsOf(f, need) {
		id := calledName(c.call)
		if id.Name != c.to.name {
			p.add(all, id.Pos(), id.End(), c.to.name)
		}
		text := f.arena
		if len(c.call.Args) > 0 {
			text += ", "
		}
		p.insert(all, c.call.Lparen+1, text)
	}
}
