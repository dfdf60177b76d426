package convert

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// copiers are functions of package bytes that copy their argument even where there is nothing to change,
// and for which package arena has none: each has a text that does it in an arena, for a package that
// calls it. In a text, BYTES and ARENA stand for the names of the packages.
var copiers = map[string]struct{ name, text string }{
	"bytes.ReplaceAll": {"replaceAllIn", `(a *ARENA.Arena, s, old, new []byte) []byte {
	if a == nil || len(s) == 0 || len(old) == 0 {
		return BYTES.ReplaceAll(s, old, new)
	}
	out := ARENA.MakeSlice[byte](a, 0, len(s)+BYTES.Count(s, old)*(len(new)-len(old)))
	for {
		before, rest, found := BYTES.Cut(s, old)
		out = ARENA.Append(a, out, before...)
		if !found {
			return out
		}
		out, s = ARENA.Append(a, out, new...), rest
	}
}`},
	"bytes.ToLower": {"toLowerIn", strings.NewReplacer("To", "ToLower", "FROM", "A", "TO", "Z", "OTHER", "a").Replace(ascii)},
	"bytes.ToUpper": {"toUpperIn", strings.NewReplacer("To", "ToUpper", "FROM", "a", "TO", "z", "OTHER", "A").Replace(ascii)},
}

const ascii = `(a *ARENA.Arena, s []byte) []byte {
	plain := a != nil && len(s) > 0
	for _, c := range s {
		plain = plain && c < 0x80
	}
	if !plain {
		return BYTES.To(s)
	}
	out := ARENA.CloneSlice(a, s)
	for i, c := range out {
		if 'FROM' <= c && c <= 'TO' {
			out[i] = c - 'FROM' + 'OTHER'
		}
	}
	return out
}`

// rewriteCopiers has calls of copiers call functions that it writes into their package.
func (p *plan) rewriteCopiers(fixes, done edits) {
	type function struct {
		pkg  *types.Package
		name string
	}
	written := map[function]bool{}
	for _, f := range p.order {
		for _, s := range f.sites {
			if s.Reason != "" || s.copier == nil {
				continue
			}
			d, file, at := p.fileOf(s.Pos), p.fset.File(s.Pos), s.copier
			of := calledFunc(d.pkg.TypesInfo, at).FullName()
			name := copiers[of].name
			if d.pkg.Types.Scope().Lookup(name) != nil || p.names[d.pkg.PkgPath][name] > 0 || p.grammars[d.file] != nil {
				continue
			}
			list := []edit{{from: file.Offset(at.Fun.Pos()), to: file.Offset(at.Lparen) + 1, text: name + "(" + f.arena + ", "}}
			if overlaps(fixes[file.Name()], list) || overlaps(done[file.Name()], list) {
				continue
			}
			if one := (function{d.pkg.Types, name}); !written[one] {
				written[one] = true
				i := slices.IndexFunc(d.file.Decls, func(decl ast.Decl) bool { return decl.End() > s.Pos })
				end := file.Offset(d.file.Decls[i].End())
				text := strings.NewReplacer("BYTES", types.ExprString(at.Fun.(*ast.SelectorExpr).X), "ARENA", p.importName(d, catalog.ArenaPath, "arena")).Replace(copiers[of].text)
				list = append(list, edit{from: end, to: end, text: "\n\n// " + name + " is " + of + " with an arena for what it makes; nil is the heap.\nfunc " + name + text, order: len(fixes[file.Name()])})
			}
			fixes[file.Name()] = append(fixes[file.Name()], list...)
			s.fix = true
		}
	}
}
