package convert

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

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
			of := copierOf(d.pkg.TypesInfo, at)
			name, pkg, recv := copiers[of].name, "", ""
			if fn := calledFunc(d.pkg.TypesInfo, at); fn != nil {
				pkg = p.importName(d, fn.Pkg().Path(), fn.Pkg().Name())
				if fn.Signature().Recv() != nil {
					recv = types.ExprString(at.Fun.(*ast.SelectorExpr).X) + ", "
					if fn.Name() == "Write" {
						recv = bufferOf(d.pkg.TypesInfo, at) + ", "
					}
					if !slices.ContainsFunc(d.file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == strconv.Quote(fn.Pkg().Path()) }) {
						continue // its type has no name in the file
					}
				}
			}
			if _, other := d.pkg.Types.Scope().Innermost(s.Pos).LookupParent(name, s.Pos); other != nil || p.names[d.pkg.PkgPath][name] > 0 || p.grammars[d.file] != nil {
				continue
			}
			list := []edit{{from: file.Offset(at.Fun.Pos()), to: file.Offset(at.Lparen) + 1, text: name + "(" + f.arena + ", " + recv}}
			if overlaps(fixes[file.Name()], list) || overlaps(done[file.Name()], list) {
				continue
			}
			if one := (function{d.pkg.Types, name}); !written[one] {
				written[one] = true
				i := slices.IndexFunc(d.file.Decls, func(decl ast.Decl) bool { return decl.End() > s.Pos })
				end := file.Offset(d.file.Decls[i].End())
				text := strings.NewReplacer("OF.", pkg+".", "ARENA", p.importName(d, catalog.ArenaPath, "arena")).Replace(copiers[of].text)
				list = append(list, edit{from: end, to: end, text: "\n\n// " + name + " is " + of + " with an arena for what it makes; nil is the heap.\nfunc " + name + text, order: len(fixes[file.Name()])})
			}
			fixes[file.Name()] = append(fixes[file.Name()], list...)
			s.fix = true
		}
	}
}
