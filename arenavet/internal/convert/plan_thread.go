package convert

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"

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
			for call, g := range f.calls {
				any = any || f.left[call] == "" && need[g]
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
		for call, g := range f.calls {
			if f.left[call] == "" {
				visit(g)
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
		for _, v := range f.fn.Params {
			if n := structOf(v.Type()); n != nil && types.TypeString(n, nil) == l.typ {
				return true
			}
		}
	}
	return false
}

// carries reports whether something makes a carrier with an arena that the function may get.
func (p *plan) carries(f *planned, given map[*planned]bool) bool {
	for _, v := range f.fn.Params {
		if n := structOf(v.Type()); n != nil && p.carriers[n] != nil && slices.ContainsFunc(p.carriers[n].lits, func(l *literal) bool { return l.set && given[p.all[l.fn]] }) {
			return true
		}
	}
	return false
}

// thread writes the edits that give functions their arenas.
func (p *plan) thread(e entry) (edits, error) {
	all, imports := edits{}, map[*ast.File]string{}
	need := p.needed()
	pkgName := func(f *planned) string {
		d := p.decls[f.fn]
		if imports[d.file] == "" {
			imports[d.file] = p.arenaName(d)
		}
		return imports[d.file]
	}
	p.nameVariants(need)
	for _, f := range p.order {
		if !need[f] || f.how == byCapture {
			continue
		}
		switch f.how {
		case byParameter:
			if err := p.variant(all, f, pkgName(f), e); err != nil {
				return nil, err
			}
		case byContext:
			text := "\n\t" + f.arena + " := " + pkgName(f) + ".FromContext(" + p.contextOf(f.fn) + ")"
			if e != asWritten {
				text = "\n\t" + f.arena + " := " + pkgName(f) + ".NewArena(1<<16, 0)"
			}
			if e == ended {
				text += "\n\tdefer " + f.arena + ".Release()"
			}
			p.insert(all, p.decls[f.fn].decl.Body.Lbrace+1, text)
		}
	}
	for _, f := range p.order {
		if !need[f] {
			continue
		}
		p.threadCalls(all, f, need)
	}
	fields := map[*ast.StructType]bool{}
	for _, c := range slices.SortedFunc(maps.Values(p.carriers), func(a, b *carrier) int { return int(a.spec.Pos() - b.spec.Pos()) }) {
		for _, l := range c.lits {
			if !l.set || !need[p.all[l.fn]] || !p.used(l, need) {
				continue
			}
			text := c.field + ": " + p.all[l.fn].arena
			if len(l.lit.Elts) > 0 {
				text += ", "
			}
			p.insert(all, l.lit.Lbrace+1, text)
			if !fields[c.spec] {
				fields[c.spec] = true
				file, d := p.fileOf(c.spec.Pos())
				if imports[file] == "" {
					imports[file] = p.arenaName(d)
				}
				p.insert(all, c.spec.Fields.Closing, "\n\t"+c.field+" *"+imports[file]+".Arena // of what is made for it; nil is the heap\n")
			}
		}
	}
	for file, name := range imports {
		p.importArena(all, file, name)
	}
	return all, nil
}

func (p *plan) contextOf(fn *ssa.Function) string {
	name := p.fromContext(fn)
	for _, v := range fn.Params {
		if v.Name() == name && catalog.TypeName(v.Type()) == "*net/http.Request" {
			return name + ".Context()"
		}
	}
	return name
}

func (p *plan) fileOf(pos token.Pos) (*ast.File, *declared) {
	for _, pkg := range p.pkgs {
		for _, file := range pkg.Syntax {
			if file.FileStart <= pos && pos < file.FileEnd {
				return file, &declared{pkg, file, nil}
			}
		}
	}
	return nil, nil
}

// arenaName returns the name that a file has for package arena, or is to have.
func (p *plan) arenaName(d *declared) string {
	for _, i := range d.file.Imports {
		if path, _ := strconv.Unquote(i.Path.Value); path == catalog.ArenaPath {
			if i.Name != nil {
				return i.Name.Name
			}
			return "arena"
		}
	}
	taken := d.pkg.Types.Scope().Lookup("arena") != nil
	ast.Inspect(d.file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "arena" {
			v, isVar := d.pkg.TypesInfo.ObjectOf(id).(*types.Var)
			taken = taken || !isVar || !v.IsField()
		}
		return true
	})
	if taken {
		return "ebbarena"
	}
	return "arena"
}

func (p *plan) importArena(all edits, file *ast.File, name string) {
	for _, i := range file.Imports {
		if path, _ := strconv.Unquote(i.Path.Value); path == catalog.ArenaPath {
			return
		}
	}
	spec := strconv.Quote(catalog.ArenaPath)
	if name != "arena" {
		spec = name + " " + spec
	}
	at, text := file.Name.End(), "\n\nimport "+spec+"\n"
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			if g.Rparen.IsValid() {
				p.insert(all, g.Rparen, "\n\t"+spec+"\n")
				return
			}
			p.insert(all, g.Specs[0].Pos(), "(\n\t")
			at, text = g.End(), "\n\n\t"+spec+"\n)\n"
		}
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
