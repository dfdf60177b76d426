package convert

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

// printer prints a file with edits.
type printer struct {
	rewrite.Printer
	p     *program
	file  *ast.File
	name  string
	arena string // what the file calls package arena
}

// convertedFiles prints the changed files. An edit with a type error is dropped alone; if the error is in no site's
// edit, there is no conversion.
func (p *program) convertedFiles() (map[string][]byte, []*packages.Package, error) {
	for range 20 {
		overlay, ranges := map[string][]byte{}, map[string][]rewrite.Marked{}
		for name, text := range p.print() {
			overlay[name], ranges[name] = rewrite.Unmark(text)
		}
		saved := p.fset
		p.fset = token.NewFileSet()
		pkgs, err := packages.Load(p.loader(overlay), p.paths...)
		p.fset = saved
		if err != nil {
			return nil, nil, err
		}
		before := len(p.dropped) + len(p.unused)
		var failed error
		for _, pkg := range pkgs {
			for _, e := range pkg.TypeErrors {
				at := e.Fset.PositionFor(e.Pos, false)
				if path, ok := strings.CutSuffix(e.Msg, " imported and not used"); ok {
					path, _, _ = strings.Cut(path, " as ")
					p.unused[at.Filename+path] = true
					continue
				}
				best := rewrite.Innermost(ranges[at.Filename], at.Offset, p.siteAt)
				if best == nil {
					failed = fmt.Errorf("%s:%d: %s", p.relative(at.Filename), at.Line, e.Msg)
				} else if p.dropped[best.ID] == "" {
					p.dropped[best.ID] = "does not compile: " + e.Msg
				}
			}
			for _, e := range pkg.Errors {
				if e.Kind == packages.ParseError { // what follows from it is not told
					return nil, nil, fmt.Errorf("convert: the result does not compile: %w", e)
				}
				if failed == nil && len(pkg.TypeErrors) == 0 {
					failed = e
				}
			}
		}
		switch {
		case len(p.dropped)+len(p.unused) > before:
		case failed != nil:
			return nil, nil, fmt.Errorf("convert: the result does not compile: %w", failed)
		default:
			for name, text := range overlay {
				if f, err := format.Source(text); err == nil && formatted(p.src[name]) {
					overlay[name] = f
				}
			}
			return overlay, pkgs, nil
		}
	}
	return nil, nil, fmt.Errorf("convert: the result does not compile")
}

func formatted(src []byte) bool {
	f, err := format.Source(src)
	return err == nil && bytes.Equal(f, src)
}

// siteAt reports whether an id belongs to a site that is not dropped yet.
func (p *program) siteAt(id token.Pos) bool {
	for _, f := range p.order {
		if f.threaded && slices.ContainsFunc(f.sites, func(s *site) bool { return s.node.Pos() == id }) {
			return true
		}
	}
	return false
}

// print prints the changed files, with marks.
func (p *program) print() map[string]string {
	byFile := map[*ast.File]*printer{}
	in := func(file *ast.File) *printer {
		if byFile[file] == nil {
			name := p.position(file.FileStart).Filename
			byFile[file] = &printer{p: p, file: file, name: name, arena: p.arenaName(file)}
			byFile[file].Src, byFile[file].Offset = p.src[name], func(at token.Pos) int { return p.position(at).Offset }
		}
		return byFile[file]
	}
	for _, f := range p.order {
		if !f.threaded || f.carrier != "" && !slices.ContainsFunc(f.sites, func(s *site) bool { return p.dropped[s.node.Pos()] == "" }) && !p.callsTwins(f) {
			continue
		}
		r := in(f.file)
		if f.carrier == "" {
			r.declare(f)
		}
		r.calls(f)
		r.carried(f)
		for _, s := range f.sites {
			if p.dropped[s.node.Pos()] == "" {
				r.site(f, s)
			}
		}
	}
	p.printFields(in)
	p.printHelpers(in)
	p.printInterfaces(in)
	out := map[string]string{}
	for file, r := range byFile {
		r.Sort()
		r.imports()
		r.Sort()
		out[r.name] = r.Span(file.FileStart, file.FileEnd, nil)
	}
	return out
}

func (p *program) callsTwins(f *function) bool {
	return slices.ContainsFunc(f.calls, func(c *call) bool { return p.twinOf(c.to) != "" })
}

// imports imports package arena and removes unused imports.
func (r *printer) imports() {
	has := false
	for _, im := range r.file.Imports {
		path, _ := strconv.Unquote(im.Path.Value)
		has = has || path == arenaPath
		if r.p.unused[r.name+im.Path.Value] {
			from, to := im.Pos(), im.End()
			for _, d := range r.file.Decls {
				if g, ok := d.(*ast.GenDecl); ok && !g.Lparen.IsValid() && g.Specs[0] == ast.Spec(im) {
					from, to = g.Pos(), g.End()
				}
			}
			r.Put(from, to, r.file.Pos(), "")
		}
	}
	if has || r.p.unused[r.name+strconv.Quote(arenaPath)] || !slices.ContainsFunc(r.Edits, func(e *rewrite.Edit) bool { return strings.Contains(e.Text(), r.arena+".") }) {
		return
	}
	spec := strconv.Quote(arenaPath)
	if r.arena != "arena" {
		spec = r.arena + " " + spec
	}
	for _, d := range r.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if ok && g.Tok == token.IMPORT && g.Lparen.IsValid() && len(g.Specs) > 0 {
			r.Put(g.Rparen, g.Rparen, r.file.Pos(), "\n\n"+spec+"\n")
			return
		}
	}
	at, gap := r.file.Name.End(), "\n\n"
	for _, d := range r.file.Decls {
		if isImport(d) {
			at, gap = d.End(), "\n"
		}
	}
	r.Put(at, at, r.file.Pos(), gap+"import "+spec+"\n")
}

// declare turns F into its twin, and writes a new F before it.
func (r *printer) declare(f *function) {
	d := f.decl
	if f.keeps {
		r.Put(d.Type.Func, d.Type.Func, d.Pos(), r.original(f))
		r.Put(d.Name.Pos(), d.Name.End(), d.Pos(), f.twin)
	}
	first := f.arena + " *" + r.arena + ".Arena"
	switch l := d.Type.Params.List; {
	case len(l) == 0:
	case len(l[0].Names) == 0:
		first = "*" + r.arena + ".Arena, "
		if slices.ContainsFunc(f.sites, func(*site) bool { return true }) || r.p.callsTwins(f) { // all need names
			first = f.arena + " *" + r.arena + ".Arena, "
			for _, field := range l {
				r.Put(field.Pos(), field.Pos(), d.Pos(), "_ ")
			}
		}
	default:
		first += ", "
	}
	at := d.Type.Params.Opening + 1
	r.Put(at, at, d.Pos(), first)
}

// original returns F as a call of its twin with a nil arena.
func (r *printer) original(f *function) string {
	d, p := f.decl, r.p
	src := p.src[r.name]
	slice := func(from, to token.Pos) string {
		return string(src[p.position(from).Offset:p.position(to).Offset])
	}
	args, params := []string{"nil"}, []string(nil)
	unnamed := false
	for _, field := range d.Type.Params.List {
		unnamed = unnamed || len(field.Names) == 0 || slices.ContainsFunc(field.Names, func(id *ast.Ident) bool { return id.Name == "_" })
	}
	n := 0
	for _, field := range d.Type.Params.List {
		names := []string{}
		for _, id := range field.Names {
			names = append(names, id.Name)
		}
		if unnamed {
			names = names[:0]
			for range max(len(field.Names), 1) {
				n++
				names = append(names, fmt.Sprint("p", n))
			}
		}
		params = append(params, strings.Join(names, ", ")+" "+p.text(field.Type))
		if _, ok := field.Type.(*ast.Ellipsis); ok {
			names[len(names)-1] += "..."
		}
		args = append(args, names...)
	}
	head, call := "func ", f.twin+"("+strings.Join(args, ", ")+")"
	if d.Recv != nil {
		recv := d.Recv.List[0]
		if len(recv.Names) == 0 || recv.Names[0].Name == "_" {
			head += "(r " + p.text(recv.Type) + ") "
			call = "r." + call
		} else {
			head += p.text(d.Recv) + " "
			call = recv.Names[0].Name + "." + call
		}
	}
	list := p.text(d.Type.Params)
	if unnamed {
		list = "(" + strings.Join(params, ", ") + ")"
	}
	head += d.Name.Name + list
	if d.Type.Results != nil {
		head += " " + slice(d.Type.Results.Pos(), d.Type.Results.End())
		call = "return " + call
	}
	return head + " {\n\t" + call + "\n}\n\n// " + f.twin + " is " + d.Name.Name + " with memory from " + f.arena + ", which may be nil.\n"
}

// calls passes the arena to twins.
func (r *printer) calls(f *function) {
	for _, c := range f.calls {
		twin := r.p.twinOf(c.to)
		if twin == "" {
			continue
		}
		var id *ast.Ident
		switch x := ast.Unparen(c.expr.Fun).(type) {
		case *ast.Ident:
			id = x
		case *ast.SelectorExpr:
			id = x.Sel
		default:
			continue
		}
		if id.Name != twin {
			r.Put(id.Pos(), id.End(), f.decl.Pos(), twin)
		}
		first := f.arena
		if len(c.expr.Args) > 0 {
			first += ", "
		}
		r.Put(c.expr.Lparen+1, c.expr.Lparen+1, f.decl.Pos(), first)
	}
}

// carried sets the field of carriers that a function makes.
func (r *printer) carried(f *function) {
	if len(r.p.Carry) == 0 {
		return
	}
	info := f.pkg.TypesInfo
	r.p.visit(f, func(n ast.Node, _ []ast.Node) {
		l, ok := n.(*ast.CompositeLit)
		if !ok || !slices.Contains(r.p.Carry, typeName(info.TypeOf(l))) {
			return
		}
		keyed := len(l.Elts) == 0
		if len(l.Elts) > 0 {
			_, keyed = l.Elts[0].(*ast.KeyValueExpr)
		}
		if _, isStruct := info.TypeOf(l).Underlying().(*types.Struct); isStruct {
			text := f.arena
			if keyed {
				text = r.p.carryField(types.NewPointer(info.TypeOf(l))) + ": " + f.arena
			}
			if len(l.Elts) > 0 {
				text += ", "
			}
			r.Put(l.Lbrace+1, l.Lbrace+1, f.decl.Pos(), text)
		}
	})
}

// printFields adds the field of carriers.
func (p *program) printFields(in func(*ast.File) *printer) {
	if len(p.Carry) == 0 {
		return
	}
	for _, pkg := range p.pkgs {
		for _, file := range pkg.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				ts, ok := n.(*ast.TypeSpec)
				if !ok || !slices.Contains(p.Carry, ts.Name.Name) {
					return true
				}
				if st, ok := ts.Type.(*ast.StructType); ok {
					r := in(file)
					field := p.carryField(types.NewPointer(pkg.TypesInfo.Defs[ts.Name].Type()))
					r.Put(st.Fields.Opening+1, st.Fields.Opening+1, st.Pos(), "\n\t"+field+" *"+r.arena+".Arena\n")
				}
				return true
			})
		}
	}
}

// printHelpers adds each helper to the first file of its package that calls it.
func (p *program) printHelpers(in func(*ast.File) *printer) {
	type key struct {
		pkg  *packages.Package
		full string
	}
	done := map[key]bool{}
	for _, f := range p.order {
		for _, s := range f.sites {
			if !f.threaded || s.kind != siteCall || p.dropped[s.node.Pos()] != "" {
				continue
			}
			full := fullName(static(f.pkg.TypesInfo, s.node.(*ast.CallExpr)))
			if k := (key{f.pkg, full}); helpers[full].name != "" && !done[k] {
				done[k] = true
				r := in(f.file)
				r.Put(f.file.FileEnd, f.file.FileEnd, f.file.Pos(), helperText(full, f.file, r.arena))
			}
		}
	}
}

// printInterfaces adds the twins of methods to their interfaces.
func (p *program) printInterfaces(in func(*ast.File) *printer) {
	used := map[*types.Func]bool{}
	for _, f := range p.order {
		if f.threaded {
			for _, c := range f.calls {
				used[c.to] = used[c.to] || len(p.family[c.to]) > 0
			}
		}
	}
	for _, pkg := range p.pkgs {
		for _, file := range pkg.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				i, ok := n.(*ast.Field)
				if !ok || len(i.Names) != 1 {
					return true
				}
				m, _ := pkg.TypesInfo.Defs[i.Names[0]].(*types.Func)
				ft, isFunc := i.Type.(*ast.FuncType)
				if m == nil || !isFunc || !used[m] {
					return true
				}
				twin := p.twinOf(m)
				if twin == "" {
					return true
				}
				r := in(file)
				first := "*" + r.arena + ".Arena"
				if l := ft.Params.List; len(l) > 0 {
					if len(l[0].Names) > 0 {
						first = "arena_ " + first
					}
					first += ", "
				}
				text := "\n\t" + twin + "(" + first + p.text(ft.Params)[1:]
				if ft.Results != nil {
					text += " " + p.text(ft.Results)
				}
				r.Put(i.End(), i.End(), i.Pos(), text)
				return true
			})
		}
	}
}

// typeExpr returns a type as the file of a function writes it.
func (r *printer) typeExpr(f *function, t types.Type) string {
	names := map[string]string{}
	for _, im := range r.file.Imports {
		path, _ := strconv.Unquote(im.Path.Value)
		switch {
		case im.Name == nil || im.Name.Name == "_":
		case im.Name.Name == ".":
			names[path] = ""
		default:
			names[path] = im.Name.Name
		}
	}
	return types.TypeString(t, func(p *types.Package) string {
		if p == f.pkg.Types {
			return ""
		}
		if n, ok := names[p.Path()]; ok {
			return n
		}
		return p.Name()
	})
}

// site writes the edits of one site.
func (r *printer) site(f *function, s *site) {
	id, info := s.node.Pos(), f.pkg.TypesInfo
	switch n := s.node.(type) {
	case *ast.UnaryExpr:
		r.Add(n.Pos(), n.End(), id, func(e *rewrite.Edit) string { return r.call(f, "NewOf", "") + r.Node(n.X, e) + ")" })
	case *ast.BinaryExpr:
		r.concat(f, s, n)
	case *ast.CompositeLit:
		open, end := "", ")"
		if _, ok := types.Unalias(s.typ).(*types.Named); ok {
			open, end = r.typeExpr(f, s.typ)+"(", "))"
		}
		r.Put(n.Pos(), n.Lbrace+1, id, open+r.call(f, "SliceOf", r.typeExpr(f, s.typ.Underlying().(*types.Slice).Elem())))
		r.Put(n.Rbrace, n.End(), id, end)
	case *ast.AssignStmt:
		r.Add(n.Rhs[0].Pos(), n.Rhs[0].End(), id, func(e *rewrite.Edit) string { return r.call(f, "NewOf", "") + r.Node(n.Rhs[0], e) + ")" })
		r.uses(f, info, s)
	case *ast.DeclStmt:
		v := n.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec)
		r.Add(n.Pos(), n.End(), id, func(e *rewrite.Edit) string {
			return v.Names[0].Name + " := " + r.newOf(f, r.Node(v.Type, e))
		})
		r.uses(f, info, s)
	case *ast.CallExpr:
		r.callSite(f, s, n)
	}
}

// call begins a call of a function of package arena, up to its first argument.
func (r *printer) call(f *function, name, of string) string {
	c := rewrite.CallOf(f.pkg.Types, name, r.arena, f.arena)
	if of != "" {
		of = "[" + of + "]"
	}
	return c.Func(name) + of + c.First()
}

func (r *printer) newOf(f *function, of string) string {
	c := rewrite.CallOf(f.pkg.Types, "New", r.arena, f.arena)
	return c.Func("New") + "[" + of + "]" + c.Only()
}

func (r *printer) concat(f *function, s *site, n *ast.BinaryExpr) {
	parts := operands(f.pkg.TypesInfo, n)
	r.Add(n.Pos(), n.End(), s.node.Pos(), func(e *rewrite.Edit) string {
		var l []string
		for _, x := range parts {
			l = append(l, r.Node(x, e))
		}
		return f.arena + ".Concat(" + strings.Join(l, ", ") + ")"
	})
}

func (r *printer) callSite(f *function, s *site, n *ast.CallExpr) {
	id, info := s.node.Pos(), f.pkg.TypesInfo
	switch s.kind {
	case siteNew:
		r.Add(n.Pos(), n.End(), id, func(e *rewrite.Edit) string { return r.newOf(f, r.Node(n.Args[0], e)) })
	case siteMake:
		r.Add(n.Pos(), n.End(), id, func(e *rewrite.Edit) string {
			l := r.Node(n.Args[1], e)
			c := l
			if len(n.Args) > 2 {
				c = r.Node(n.Args[2], e)
			}
			call := r.call(f, "MakeSlice", r.typeExpr(f, s.typ.Underlying().(*types.Slice).Elem())) + l + ", " + c + ")"
			if _, ok := types.Unalias(s.typ).(*types.Named); ok {
				call = r.typeExpr(f, s.typ) + "(" + call + ")"
			}
			return call
		})
	case siteAppend:
		inst, elem := "", s.typ.Underlying().(*types.Slice).Elem()
		for _, a := range n.Args[1:] {
			if !n.Ellipsis.IsValid() && !types.Identical(info.TypeOf(a), elem) {
				inst = r.typeExpr(f, elem)
			}
		}
		open, end := "", ""
		if _, ok := types.Unalias(s.typ).(*types.Named); ok {
			open, end = r.typeExpr(f, s.typ)+"(", ")"
		}
		r.Put(n.Fun.Pos(), n.Lparen+1, id, open+r.call(f, "Append", inst))
		if end != "" {
			r.Put(n.End(), n.End(), id, end)
		}
		if last := n.Args[len(n.Args)-1]; n.Ellipsis.IsValid() && isString(info.TypeOf(last)) {
			r.Add(last.Pos(), last.End(), id, func(e *rewrite.Edit) string { return "[]byte(" + r.Node(last, e) + ")" })
		}
	case siteString:
		r.Add(n.Pos(), n.End(), id, func(e *rewrite.Edit) string {
			x := f.arena + ".AllocBytesToString(" + r.Node(n.Args[0], e) + ")"
			if !types.Identical(info.TypeOf(n), types.Typ[types.String]) {
				x = r.Node(n.Fun, e) + "(" + x + ")"
			}
			return x
		})
	case siteBytes:
		r.Add(n.Pos(), n.End(), id, func(e *rewrite.Edit) string {
			x := r.Node(n.Args[0], e)
			return "append(" + r.call(f, "MakeSlice", "byte") + "0, len(" + x + ")), " + x + "...)"
		})
	case siteCall:
		if h := helpers[fullName(static(info, n))]; h.name != "" {
			r.Put(n.Fun.Pos(), n.Lparen+1, id, h.name+"("+f.arena+", ")
			return
		}
		r.Put(n.Fun.Pos(), n.Fun.End(), id, f.arena+"."+static(info, n).Name())
	}
}

// uses rewrites a variable that has become a pointer: &x is x, x.f stays, everything else is *x.
func (r *printer) uses(f *function, info *types.Info, s *site) {
	id := s.node.Pos()
	var stack []ast.Node
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if x, ok := n.(*ast.Ident); ok && info.Uses[x] == types.Object(s.v) {
			star := func() { r.Put(x.Pos(), x.End(), id, "(*"+x.Name+")").Inner = true }
			switch parent := stack[len(stack)-1].(type) {
			case *ast.UnaryExpr:
				if parent.Op == token.AND {
					r.Put(parent.Pos(), parent.End(), id, x.Name).Inner = true
				} else {
					star()
				}
			case *ast.SelectorExpr:
				if sel := info.Selections[parent]; sel != nil && sel.Kind() == types.MethodVal { // a method value has a copy
					if call, ok := stack[len(stack)-2].(*ast.CallExpr); !ok || call.Fun != parent {
						star()
					}
				}
			default:
				star()
			}
		}
		stack = append(stack, n)
		return true
	})
}
