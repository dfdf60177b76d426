package convert

import (
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// thread finds the functions that take the arena: functions that the root calls, directly or through others,
// and that allocate an owned value or call such a function.
func (p *program) thread() {
	seen := map[*function]bool{}
	queue := []*function{p.root}
	for len(queue) > 0 {
		f := queue[0]
		queue = queue[1:]
		if seen[f] {
			continue
		}
		seen[f] = true
		p.scan(f)
		for _, c := range f.calls {
			for _, o := range append(slices.Clone(p.family[c.to]), c.to) {
				if g := p.funcs[o]; g != nil && g.fixed == "" {
					queue = append(queue, g)
				}
			}
		}
	}
	p.findCarriers(seen)
	for changed := true; changed; {
		changed = false
		mark := func(f *function) {
			if f != nil && !f.threaded && f.fixed == "" {
				f.threaded, changed = true, true
				if !seen[f] { // another implementation of an interface's method
					seen[f] = true
					p.scan(f)
				}
			}
		}
		for _, f := range p.order {
			if !seen[f] {
				continue
			}
			if len(f.sites) > 0 {
				mark(f)
			}
			for _, c := range f.calls {
				all := append(slices.Clone(p.family[c.to]), c.to)
				if slices.ContainsFunc(all, func(o *types.Func) bool { g := p.funcs[o]; return g != nil && g.threaded && g.carrier == "" }) {
					mark(f)
					for _, o := range p.family[c.to] { // all implementations of an interface's method, or none
						mark(p.funcs[o])
					}
				}
			}
		}
	}
	p.root.threaded = true
	p.nameTwins()
}

// scan finds the calls and sites of a function.
func (p *program) scan(f *function) {
	f.calls, f.sites = nil, nil
	p.visit(f, func(n ast.Node, parents []ast.Node) {
		if c, ok := n.(*ast.CallExpr); ok {
			if to := static(f.pkg.TypesInfo, c); to != nil {
				f.calls = append(f.calls, &call{c, to.Origin()})
			}
		}
		p.addSite(f, n, parents)
	})
}

// visit walks the nodes that run while the function does. It enters function literals that are called at
// once, or that are passed to functions that only call them.
func (p *program) visit(f *function, do func(n ast.Node, parents []ast.Node)) {
	var walk func(n ast.Node, parents []ast.Node)
	walk = func(n ast.Node, parents []ast.Node) {
		switch n := n.(type) {
		case *ast.FuncLit:
			if f.ssa == nil || !p.runsInside(f.ssa, n) {
				return
			}
		case *ast.GoStmt:
			return
		}
		do(n, parents)
		parents = append(parents[:len(parents):len(parents)], n)
		ast.Inspect(n, func(c ast.Node) bool {
			if c == n {
				return true
			}
			if c != nil {
				walk(c, parents)
			}
			return false
		})
	}
	for _, s := range f.decl.Body.List {
		walk(s, []ast.Node{f.decl, f.decl.Body})
	}
}

// runsInside reports whether a function literal runs only while the declared function does.
func (p *program) runsInside(f *ssa.Function, l *ast.FuncLit) bool {
	return slices.ContainsFunc(f.AnonFuncs, func(g *ssa.Function) bool {
		return g.Syntax() == l && !p.escapes(g, map[ssa.Value]bool{}) || p.runsInside(g, l)
	})
}

func isUse(info *types.Info, e ast.Expr, v types.Object) bool {
	id, ok := e.(*ast.Ident)
	return ok && info.ObjectOf(id) == v
}

// findFamilies finds the methods of interfaces that only types of the module implement, each declared there.
func (p *program) findFamilies() {
	p.family = map[*types.Func][]*types.Func{}
	for _, pkg := range p.pkgs {
		for _, name := range pkg.Types.Scope().Names() {
			tn, ok := pkg.Types.Scope().Lookup(name).(*types.TypeName)
			if !ok || tn.IsAlias() {
				continue
			}
			n, ok := tn.Type().(*types.Named)
			if !ok || n.TypeParams() != nil {
				continue
			}
			i, ok := n.Underlying().(*types.Interface)
			if !ok || !p.sealed(n) && !p.internal(n) {
				continue
			}
			for m := range i.ExplicitMethods() {
				if l, ok := p.implementations(pkg.IgnoredFiles, i, m); ok {
					p.family[m] = l
				}
			}
		}
	}
}

// implementations lists the declared methods that implement an interface's method. It fails if one is not declared
// in a file that may be changed.
func (p *program) implementations(ignored []string, i *types.Interface, m *types.Func) (all []*types.Func, ok bool) {
	for _, file := range ignored { // another build may have another implementation
		text, err := os.ReadFile(file)
		if err != nil || strings.Contains(string(text), ") "+m.Name()+"(") {
			return nil, false
		}
	}
	for _, x := range p.concrete {
		if !implements(x, i) {
			continue
		}
		sel := p.prog.MethodSets.MethodSet(types.NewPointer(x)).Lookup(m.Pkg(), m.Name())
		if sel == nil {
			return nil, false
		}
		o := sel.Obj().(*types.Func)
		f := p.funcs[o.Origin()]
		if f == nil || f.fixed != "" || o.Origin() != o {
			return nil, false
		}
		if !slices.Contains(all, o) {
			all = append(all, o)
		}
	}
	return all, len(all) > 0
}

// findCarriers finds the functions with a receiver or a parameter that holds the arena.
func (p *program) findCarriers(seen map[*function]bool) {
	if len(p.Carry) == 0 {
		return
	}
	for _, f := range p.order {
		if f == p.root || f.fixed != "" || !p.reach[f.ssa] {
			continue
		}
		var params []*ast.Field
		if f.decl.Recv != nil {
			params = append(params, f.decl.Recv.List...)
		}
		for _, field := range append(params, f.decl.Type.Params.List...) {
			if len(field.Names) != 1 || field.Names[0].Name == "_" {
				continue
			}
			q, ok := f.pkg.TypesInfo.TypeOf(field.Type).(*types.Pointer)
			if !ok || !slices.Contains(p.Carry, typeName(q)) || reused(f, field.Names[0]) {
				continue
			}
			f.carrier = field.Names[0].Name + "." + p.carryField(q)
			if !seen[f] {
				seen[f] = true
				p.scan(f)
			}
			break
		}
	}
}

// carryField returns the name of the field that holds the arena.
func (p *program) carryField(t *types.Pointer) string {
	named := types.Unalias(t.Elem()).(*types.Named)
	return firstFree(func(n string) bool {
		o, _, _ := types.LookupFieldOrMethod(t, true, named.Obj().Pkg(), n)
		return o != nil
	}, "mem", "ar", "arena_")
}

// firstFree returns the first name that is not taken, or the last name.
func firstFree(taken func(string) bool, names ...string) string {
	for _, n := range names {
		if !taken(n) {
			return n
		}
	}
	return names[len(names)-1]
}

// reused reports whether a parameter's name means something else in its function, or may be nil there.
func reused(f *function, id *ast.Ident) bool {
	v, again := f.pkg.TypesInfo.Defs[id], false
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			again = again || n.Name == id.Name && f.pkg.TypesInfo.Defs[n] != nil
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				again = again || isUse(f.pkg.TypesInfo, l, v)
			}
		case *ast.BinaryExpr:
			again = again || isUse(f.pkg.TypesInfo, n.X, v) || isUse(f.pkg.TypesInfo, n.Y, v)
		}
		return true
	})
	return again
}

// nameTwins names the twins and the arena in each function.
func (p *program) nameTwins() {
	used, inside := map[*types.Func]int{}, map[*types.Func]int{}
	for _, pkg := range p.pkgs {
		for _, o := range pkg.TypesInfo.Uses {
			if o, ok := o.(*types.Func); ok {
				used[o.Origin()]++
			}
		}
	}
	for _, f := range p.order {
		if f.threaded && f.carrier == "" {
			for _, c := range f.calls {
				inside[c.to]++
			}
		}
	}
	others := map[string]string{} // texts of tests and of files of other builds
	for _, f := range p.order {
		if !f.threaded {
			continue
		}
		f.arena = f.carrier
		if f.carrier != "" {
			continue
		}
		f.arena = unusedName(f)
		dir := filepath.Dir(p.position(f.decl.Pos()).Filename)
		if _, ok := others[dir]; !ok {
			others[dir] = otherTexts(dir)
		}
		inFamily := false
		for _, l := range p.family {
			inFamily = inFamily || slices.Contains(l, f.obj)
		}
		f.keeps = f == p.root || inFamily || f.obj.Exported() || used[f.obj] > inside[f.obj] || strings.Contains(others[dir], f.obj.Name())
		f.twin = f.obj.Name()
		if f.keeps {
			f.twin = twinName(f)
		}
	}
}

func otherTexts(dir string) string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	var all strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err == nil && (strings.HasSuffix(name, "_test.go") || strings.Contains(string(text), "//go:build") || constrainedName(name)) {
			all.Write(text)
		}
	}
	return all.String()
}

// unusedName returns a name for the arena that the function does not use.
func unusedName(f *function) string {
	used := map[string]bool{}
	ast.Inspect(f.decl, func(n ast.Node) bool {
		if i, ok := n.(*ast.Ident); ok {
			used[i.Name] = true
		}
		return true
	})
	return firstFree(func(n string) bool { return used[n] || f.pkg.Types.Scope().Lookup(n) != nil }, "a", "mem", "ar", "arena_", "arena__")
}

// twinName returns the name of F with the arena: FIn if nothing else has that name.
func twinName(f *function) string {
	n := f.obj.Name()
	return firstFree(func(n string) bool {
		if r := f.obj.Signature().Recv(); r != nil {
			o, _, _ := types.LookupFieldOrMethod(r.Type(), true, f.pkg.Types, n)
			return o != nil
		}
		return f.pkg.Types.Scope().Lookup(n) != nil
	}, n+"In", n+"InArena", n+"WithArena", n+"InThisArena")
}

// twinOf returns the name of a function's or method's twin, or "".
func (p *program) twinOf(o *types.Func) string {
	if l := p.family[o]; len(l) > 0 {
		name := ""
		for _, m := range l {
			g := p.funcs[m]
			if g == nil || !g.threaded || g.carrier != "" || name != "" && g.twin != name {
				return ""
			}
			name = g.twin
		}
		return name
	}
	if g := p.funcs[o]; g != nil && g.threaded && g.carrier == "" {
		return g.twin
	}
	return ""
}
