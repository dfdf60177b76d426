package convert

import (
	"go/ast"
	"go/types"
	"os"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// groupOf is the group of an interface's method, or nil where others may implement it, or a text
// can't be changed.
func (p *plan) groupOf(m *types.Func) *group {
	if g, ok := p.groups[m]; ok {
		return g
	}
	g := p.newGroup(m)
	p.groups[m] = g
	return g
}

func (p *plan) newGroup(m *types.Func) *group {
	recv := types.Unalias(m.Signature().Recv().Type())
	named, _ := recv.(*types.Named)
	u, ok := recv.Underlying().(*types.Interface)
	if !ok || named == nil || named.TypeParams().Len() > 0 || m.Exported() && named.Obj().Exported() && !p.whole || p.elsewhere(m) || p.elsewhere(named.Obj()) {
		return nil
	}
	g := &group{method: m}
	for _, pkg := range p.pkgs {
		if pkg.Types != m.Pkg() {
			continue
		}
		for _, file := range pkg.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				if f, ok := n.(*ast.Field); ok && len(f.Names) == 1 && f.Names[0].Pos() == m.Pos() && !p.generated[file] {
					g.at, g.field = &declared{pkg, file, nil}, f
				}
				return g.field == nil
			})
		}
	}
	if g.field == nil {
		return nil
	}
	for _, pkg := range p.pkgs {
		scope := pkg.Types.Scope()
		for _, name := range scope.Names() {
			t, ok := scope.Lookup(name).(*types.TypeName)
			if named, isNamed := scope.Lookup(name).Type().(*types.Named); ok && isNamed && named.TypeParams().Len() > 0 && !types.IsInterface(named) {
				if obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, m.Pkg(), m.Name()); obj != nil {
					return nil // an instance of it, perhaps
				}
			}
			if !ok || t.IsAlias() || types.IsInterface(t.Type()) || !types.Implements(types.NewPointer(t.Type()), u) {
				continue
			}
			obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t.Type()), true, m.Pkg(), m.Name())
			method, ok := obj.(*types.Func)
			if !ok || types.IsInterface(method.Signature().Recv().Type()) {
				continue // it has the interface in it
			}
			fn := p.root.Prog.FuncValue(method)
			if fn == nil || !p.textual(fn) || hasReceiverParams(fn) || fn == p.root {
				return nil
			}
			if !slices.Contains(g.members, fn) {
				g.members = append(g.members, fn)
			}
		}
	}
	if len(g.members) == 0 {
		return nil
	}
	return g
}

// findGroups finds the groups that the root's functions call, and what is in them.
func (p *plan) findGroups() {
	p.tables = map[*ssa.Global]*table{}
	p.groups, p.member = map[*types.Func]*group{}, map[*ssa.Function]bool{}
	for fn := range p.within {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if c, ok := i.(ssa.CallInstruction); ok && c.Common().IsInvoke() && p.convertible(fn) {
					if g := p.groupOf(c.Common().Method); g != nil {
						for _, m := range g.members {
							p.member[m] = true
						}
					}
				}
			}
		}
	}
}

// nameGroups gives the members of a group one name, and returns the groups that are needed.
func (p *plan) nameGroups(need map[*planned]bool) (all []*group) {
	for _, g := range p.groups {
		if g == nil || len(g.planned) == 0 || !need[g.planned[0]] {
			continue
		}
		name := g.method.Name()
		for _, suffix := range []string{"In", "InArena", "WithArena"} {
			name = g.method.Name() + suffix
			taken := false
			for _, f := range g.planned {
				found, _, _ := types.LookupFieldOrMethod(f.fn.Signature.Recv().Type(), true, g.method.Pkg(), name)
				taken = taken || found != nil
			}
			if !taken {
				break
			}
		}
		for _, f := range g.planned {
			f.name, f.alone = name, false
		}
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b *group) int { return p.compare(a.method.Pos(), b.method.Pos()) })
	return all
}

// declare writes a group's method into the interface.
func (p *plan) declare(all edits, g *group, pkg string) error {
	t := g.field.Type.(*ast.FuncType)
	file := p.fset.File(t.Pos())
	source, err := os.ReadFile(file.Name())
	if err != nil {
		return err
	}
	text := g.planned[0].name + "("
	if list := t.Params.List; len(list) == 0 {
		text += "*" + pkg + ".Arena)"
	} else {
		if len(list[0].Names) > 0 {
			text += "_ "
		}
		text += "*" + pkg + ".Arena, " + string(source[file.Offset(list[0].Pos()):file.Offset(t.Params.Closing)+1])
	}
	if t.Results != nil {
		text += " " + string(source[file.Offset(t.Results.Pos()):file.Offset(t.Results.End())])
	}
	end := g.field.End()
	if g.field.Comment != nil { // which stays in its line
		end = g.field.Comment.End()
	}
	p.insert(all, end, "\n\t"+text+"\n")
	return nil
}

// callees are the functions that a call of the plan may reach.
func (f *planned) callees(call ssa.Instruction) []*planned {
	if g := f.groups[call]; g != nil {
		return g.planned
	}
	return []*planned{f.calls[call]}
}

// declareGroups writes the groups' methods into their interfaces.
func (p *plan) declareGroups(all edits, need map[*planned]bool, named func(d *declared, path, own string) string) error {
	for _, g := range p.nameGroups(need) {
		if err := p.declare(all, g, named(g.at, catalog.ArenaPath, "arena")); err != nil {
			return err
		}
	}
	return nil
}
