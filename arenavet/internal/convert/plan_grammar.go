package convert

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// findParsers finds the parsers of grammars, whose actions take the arena from the lexer: the
// structs that are lexers, one for each.
func (p *plan) findParsers() {
	p.parsers = map[*ssa.Function]*types.Named{}
	for fn := range p.within {
		g, n := p.grammarFor(fn), p.graph.Nodes[fn]
		if g == nil || n == nil || fn.Name() != "Parse" || len(fn.Params) != 2 || fn.Params[1].Name() != g.prefix+"lex" ||
			fn.Pkg.Pkg.Scope().Lookup(g.prefix+"Arena") != nil {
			continue
		}
		var lexer *types.Named
		single := true
		for _, e := range n.Out {
			if e.Site == nil || !e.Site.Common().IsInvoke() || e.Site.Common().Value != fn.Params[1] {
				continue
			}
			of := structOf(e.Callee.Func.Signature.Recv().Type())
			single = single && of != nil && (lexer == nil || lexer == of) && of.Obj().Pkg() == fn.Pkg.Pkg
			lexer = of
		}
		if lexer != nil && single {
			p.parsers[fn] = lexer
		}
	}
}

func (p *program) grammarFor(fn *ssa.Function) *grammar {
	if d := p.decls[fn]; d != nil {
		return p.grammars[d.file]
	}
	return nil
}

// carriersOf are the structs that a function may have its arena from.
func (p *plan) carriersOf(fn *ssa.Function) (all []*types.Named) {
	for _, v := range fn.Params {
		if n := structOf(v.Type()); n != nil {
			all = append(all, n)
		}
	}
	if n := p.parsers[fn]; n != nil {
		all = append(all, n)
	}
	return all
}

// threadActions has the actions that need the arena take it from the lexer. While it is not known
// which do, it may stay unused.
func (p *plan) threadActions(all edits, f *planned, need map[*planned]bool, arena string) {
	g, d := p.grammarFor(f.fn), p.decls[f.fn]
	file := p.fset.File(d.file.Pos())
	wanted, moves := map[*action]bool{}, false
	for _, s := range f.sites {
		if s.Reason == "" {
			wanted[g.actionAt(file.Offset(s.Pos))] = true
			moves = true
		}
	}
	for _, c := range p.callsOf(f, need) {
		wanted[g.actionAt(file.Offset(c.call.Lparen))] = true
	}
	insert := func(at int, text string) {
		all[g.parser] = append(all[g.parser], edit{from: at, to: at, text: text, order: len(all[g.parser])})
	}
	for _, a := range g.actions {
		if !wanted[a] {
			continue
		}
		take := f.arena + " := " + g.prefix + "Arena(" + g.prefix + "lex)"
		if !p.advised {
			take += "; _ = " + f.arena
		}
		rest := string(g.text[a.own[0].to:])
		if indent := rest[:len(rest)-len(strings.TrimLeft(rest, " \t\r\n"))]; strings.Contains(indent, "\n") {
			insert(a.tokens[0].to, indent[strings.LastIndex(indent, "\n"):]+take)
		} else {
			insert(a.tokens[0].to, " "+take+";")
		}
	}
	isImported := slices.ContainsFunc(d.file.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == strconv.Quote(catalog.ArenaPath) })
	if !isImported && (moves || !p.advised) {
		text := "import " + strconv.Quote(catalog.ArenaPath) + "\n\n"
		if arena != "arena" {
			text = "import " + arena + " " + strconv.Quote(catalog.ArenaPath) + "\n\n"
		}
		insert(g.head[0], text)
		if !p.advised { // behind all other imports
			insert(len(g.made), "\nvar _ *"+arena+".Arena\n")
		}
	}
}

// writeLexer writes the function that leads from a parser's lexer to the arena, behind the lexer.
func (p *plan) writeLexer(all edits, f *planned, arena string) {
	lexer := p.parsers[f.fn]
	c, prefix := p.carriers[lexer], p.grammarFor(f.fn).prefix
	d := p.fileOf(c.spec.Pos())
	for _, decl := range d.file.Decls {
		if decl.Pos() <= c.spec.Pos() && c.spec.End() <= decl.End() {
			p.insert(all, decl.End(), fmt.Sprintf("\n\n// %[1]sArena is the arena for what the parser of a lexer makes; nil is the heap.\nfunc %[1]sArena(of %[1]sLexer) *%[2]s.Arena {\n\tif l, ok := of.(*%[3]s); ok {\n\t\treturn l.%[4]s\n\t}\n\treturn nil\n}\n",
				prefix, arena, lexer.Obj().Name(), c.field))
		}
	}
}

// changeGrammars makes the edits of parsers in their grammars, too.
func (p *plan) changeGrammars(out map[string][]byte, done edits) error {
	for _, g := range p.grammars {
		if len(done[g.parser]) == 0 {
			continue
		}
		var list []edit
		for _, e := range done[g.parser] {
			own, err := g.own(e)
			if err != nil {
				return fmt.Errorf("convert: %w", err)
			}
			list = append(list, own)
		}
		text, applied := apply(g.text, list)
		if len(applied) < len(list) {
			return fmt.Errorf("convert: edits of %s overlap", g.file)
		}
		out[g.file], out[g.parser] = text, g.shifted(out[g.parser], applied)
	}
	return nil
}
