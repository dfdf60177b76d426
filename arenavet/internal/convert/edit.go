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

	"github.com/ebbpool/arena/arenavet/internal/catalog"
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
		overlay, ranges := p.print()
		saved := p.fset
		p.fset = token.NewFileSet()
		pkgs, err := packages.Load(p.loader(overlay), p.paths...)
		p.fset = saved
		if err != nil {
			return nil, nil, err
		}
		dropped, unused := len(p.dropped), len(p.unused)
		var failed error
		for _, pkg := range pkgs {
			for _, e := range pkg.TypeErrors {
				at := e.Fset.PositionFor(e.Pos, false)
				if path, ok := strings.CutSuffix(e.Msg, " imported and not used"); ok {
					path, _, _ = strings.Cut(path, " as ")
					p.unused[at.Filename+path] = true
				} else if best := rewrite.Innermost(ranges[at.Filename], at.Offset); best == nil {
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
		case len(p.dropped) > dropped:
			clear(p.unused) // what is dropped may need an import
		case len(p.unused) > unused:
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

// print prints the changed files, and returns the ranges of the sites in them.
func (p *program) print() (texts map[string][]byte, ranges map[string][]rewrite.Marked) {
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
		if !f.threaded || f.carrier != "" && !slices.ContainsFunc(f.sites, p.moves) && !p.callsTwins(f) {
			continue
		}
		r := in(f.file)
		if f.carrier == "" {
			r.declare(f)
		}
		r.calls(f)
		r.carried(f)
		for _, s := range f.sites {
			if p.moves(s) {
				r.site(f, s)
			}
		}
	}
	p.printFields(in)
	p.printHelpers(in)
	p.printInterfaces(in)
	texts, ranges = map[string][]byte{}, map[string][]rewrite.Marked{}
	for _, r := range byFile {
		r.imports()
		text, marks := r.Print()
		texts[r.name], ranges[r.name] = text, spans(marks)
	}
	return texts, ranges
}

// moves reports whether a site's edits are part of the conversion.
func (p *program) moves(s *site) bool { return p.dropped[s.node.Pos()] == "" }

// spans joins the edits of each site into one range. Other edits have no ID.
func spans(marks []rewrite.Marked) (all []rewrite.Marked) {
	at := map[token.Pos]int{}
	for _, m := range marks {
		if i, ok := at[m.ID]; ok {
			all[i].From, all[i].To = min(m.From, all[i].From), max(m.To, all[i].To)
		} else if m.ID.IsValid() {
			at[m.ID] = len(all)
			all = append(all, m)
		}
	}
	return all
}

func (p *program) callsTwins(f *function) bool {
	return slices.ContainsFunc(f.calls, func(c *call) bool { return p.twinOf(c.to) != "" })
}

// imports imports package arena and removes unused imports.
func (r *printer) imports() {
	has := false
	for _, im := range r.file.Imports {
		path, _ := strconv.Unquote(im.Path.Value)
		has = has || path == catalog.ArenaPath
		if r.p.unused[r.name+im.Path.Value] {
			from, to := im.Pos(), im.End()
			for _, d := range r.file.Decls {
				if g, ok := d.(*ast.GenDecl); ok && !g.Lparen.IsValid() && g.Specs[0] == ast.Spec(im) {
					from, to = g.Pos(), g.End()
				}
			}
			r.Put(from, to, token.NoPos, "")
		}
	}
	if has || r.p.unused[r.name+strconv.Quote(catalog.ArenaPath)] || !slices.ContainsFunc(r.Edits, func(e rewrite.Edit) bool { return strings.Contains(e.Text, r.arena+".") }) {
		return
	}
	spec := strconv.Quote(catalog.ArenaPath)
	if r.arena != "arena" {
		spec = r.arena + " " + spec
	}
	for _, d := range r.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if ok && g.Tok == token.IMPORT && g.Lparen.IsValid() && len(g.Specs) > 0 {
			r.Put(g.Rparen, g.Rparen, token.NoPos, "\n\n"+spec+"\n")
			return
		}
	}
	at, gap := r.file.Name.End(), "\n\n"
	for _, d := range r.file.Decls {
		if isImport(d) {
			at, gap = d.End(), "\n"
		}
	}
	r.Put(at, at, token.NoPos, gap+"import "+spec+"\n")
}

func isImport(d ast.Decl) bool {
	g, ok := d.(*ast.GenDecl)
	return ok && g.Tok == token.IMPORT
}

// declare turns F into its twin, and writes a new F before it.
func (r *printer) declare(f *function) {
	d := f.decl
	if f.keeps {
		r.Put(d.Type.Func, d.Type.Func, token.NoPos, r.original(f))
		r.Put(d.Name.Pos(), d.Name.End(), token.NoPos, f.twin)
	}
	first := f.arena + " *" + r.arena + ".Arena"
	for _, field := range d.Type.Params.List {
		if len(field.Names) == 0 { // all need names
			r.Put(field.Pos(), field.Pos(), token.NoPos, "_ ")
		}
	}
	if len(d.Type.Params.List) > 0 {
		first += ", "
	}
	at := d.Type.Params.Opening + 1
	r.Put(at, at, token.NoPos, first)
}

// original returns F as a call of its twin with a nil arena.
func (r *printer) original(f *function) string {
	d, sig := f.decl, f.obj.Signature()
	unnamed := false
	for v := range sig.Params().Variables() {
		unnamed = unnamed || v.Name() == "" || v.Name() == "_"
	}
	args, params := []string{"nil"}, []string(nil)
	for _, field := range d.Type.Params.List {
		var names []string
		for range max(len(field.Names), 1) {
			n := len(args) + len(names)
			if unnamed {
				names = append(names, fmt.Sprint("p", n))
			} else {
				names = append(names, sig.Params().At(n-1).Name())
			}
		}
		params = append(params, strings.Join(names, ", ")+" "+r.p.text(field.Type))
		args = append(args, names...)
	}
	call := f.twin + "(" + strings.Join(args, ", ")
	if sig.Variadic() {
		call += "..."
	}
	head, call := "func ", call+")"
	if d.Recv != nil {
		recv := sig.Recv().Name()
		if recv == "" || recv == "_" {
			recv = "r"
		}
		head += "(" + recv + " " + r.p.text(d.Recv.List[0].Type) + ") "
		call = recv + "." + call
	}
	head += d.Name.Name + "(" + strings.Join(params, ", ") + ")"
	if d.Type.Results != nil {
		head += " " + r.p.text(d.Type.Results)
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
		id, ok := ast.Unparen(c.expr.Fun).(*ast.Ident)
		if !ok {
			id = ast.Unparen(c.expr.Fun).(*ast.SelectorExpr).Sel
		}
		r.Put(id.Pos(), id.End(), token.NoPos, twin)
		first := f.arena
		if len(c.expr.Args) > 0 {
			first += ", "
		}
		r.Put(c.expr.Lparen+1, c.expr.Lparen+1, token.NoPos, first)
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
			r.Put(l.Lbrace+1, l.Lbrace+1, token.NoPos, text)
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
					r.Put(st.Fields.Opening+1, st.Fields.Opening+1, token.NoPos, "\n\t"+field+" *"+r.arena+".Arena\n")
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
			full := catalog.FunctionName(static(f.pkg.TypesInfo, s.node.(*ast.CallExpr)))
			if k := (key{f.pkg, full}); helpers[full].name != "" && !done[k] {
				done[k] = true
				r := in(f.file)
				r.Put(f.file.FileEnd, f.file.FileEnd, token.NoPos, helperText(full, f.file, r.arena))
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
				r.Put(i.End(), i.End(), token.NoPos, text)
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
	info := f.pkg.TypesInfo
	put := func(from, to token.Pos, text string) { r.Put(from, to, s.node.Pos(), text) }
	wrap := func(from, to token.Pos, begin string) { // in a call
		put(from, from, begin)
		put(to, to, ")")
	}
	begin, end := "", ")" // a conversion to a named type
	if n, ok := types.Unalias(s.typ).(*types.Named); ok {
		if _, ok := n.Underlying().(*types.Slice); ok {
			begin, end = r.typeExpr(f, n)+"(", "))"
		}
	}
	elem := func() string { return r.typeExpr(f, s.typ.Underlying().(*types.Slice).Elem()) }
	switch n := s.node.(type) {
	case *ast.UnaryExpr:
		put(n.Pos(), n.X.Pos(), r.call(f, "NewOf", ""))
		put(n.End(), n.End(), ")")
	case *ast.BinaryExpr:
		wrap(n.Pos(), n.End(), f.arena+".Concat(")
		r.operands(info, n, put)
	case *ast.CompositeLit:
		put(n.Pos(), n.Lbrace+1, begin+r.call(f, "SliceOf", elem()))
		put(n.Rbrace, n.End(), end)
	case *ast.AssignStmt:
		wrap(n.Rhs[0].Pos(), n.Rhs[0].End(), r.call(f, "NewOf", ""))
		r.uses(f, s.v, put)
	case *ast.DeclStmt:
		v := n.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec)
		put(n.Pos(), v.Type.Pos(), v.Names[0].Name+" := "+r.newOf(f)[0])
		put(v.Type.End(), n.End(), r.newOf(f)[1])
		r.uses(f, s.v, put)
	case *ast.CallExpr:
		last := n.Args[len(n.Args)-1]
		switch s.kind {
		case siteNew:
			text := r.newOf(f)
			if t := info.TypeOf(last); slices.Contains(r.p.Carry, typeName(t)) {
				text = [2]string{r.call(f, "NewOf", ""), "{" + r.p.carryField(types.NewPointer(t)) + ": " + f.arena + "})"}
			}
			put(n.Pos(), last.Pos(), text[0])
			put(last.End(), n.End(), text[1])
		case siteMake:
			put(n.Pos(), n.Args[1].Pos(), begin+r.call(f, "MakeSlice", elem()))
			if len(n.Args) == 2 { // the capacity
				end = ", " + r.p.text(last) + end
			}
			put(last.End(), n.End(), end)
		case siteAppend:
			of := ""
			for _, a := range n.Args[1:] {
				if !n.Ellipsis.IsValid() && !types.Identical(info.TypeOf(a), s.typ.Underlying().(*types.Slice).Elem()) {
					of = elem()
				}
			}
			put(n.Pos(), n.Lparen+1, begin+r.call(f, "Append", of))
			put(n.Rparen, n.End(), end)
			if n.Ellipsis.IsValid() && catalog.IsText(info.TypeOf(last)) {
				wrap(last.Pos(), last.End(), "[]byte(")
			}
		case siteString:
			wrap(last.Pos(), last.End(), f.arena+".AllocBytesToString(")
			if types.Identical(info.TypeOf(n), types.Typ[types.String]) { // instead of the conversion
				put(n.Pos(), last.Pos(), "")
				put(last.End(), n.End(), "")
			}
		case siteBytes:
			put(n.Pos(), last.Pos(), "append("+r.call(f, "MakeSlice", "byte")+"0, len("+r.p.text(last)+")), ")
			put(last.End(), n.End(), "...)")
		case siteCall:
			full := catalog.FunctionName(static(info, n))
			switch name := arenaCalls[full]; name {
			case "":
				put(n.Pos(), n.Lparen+1, helpers[full].name+"("+f.arena+", ")
			case "CloneSlice":
				put(n.Pos(), n.Lparen+1, r.call(f, name, ""))
			default:
				put(n.Pos(), n.Lparen, f.arena+"."+name)
			}
			put(n.End(), n.End(), "")
		}
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

// newOf returns a call of arena.New before and after its type.
func (r *printer) newOf(f *function) [2]string {
	c := rewrite.CallOf(f.pkg.Types, "New", r.arena, f.arena)
	return [2]string{c.Func("New") + "[", "]" + c.Only()}
}

// operands turns a concatenation into a list of arguments.
func (r *printer) operands(info *types.Info, e ast.Expr, put func(from, to token.Pos, text string)) {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || !concatenates(info, b) {
		return
	}
	if e != ast.Expr(b) { // without its parentheses
		put(e.Pos(), b.Pos(), "")
		put(b.End(), e.End(), "")
	}
	r.operands(info, b.X, put)
	put(b.X.End(), b.OpPos+1, ",")
	r.operands(info, b.Y, put)
}

// uses rewrites a variable that has become a pointer: &x is x, x.f stays, everything else is *x.
func (r *printer) uses(f *function, v *types.Var, put func(from, to token.Pos, text string)) {
	info := f.pkg.TypesInfo
	var stack []ast.Node
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if x, ok := n.(*ast.Ident); ok && info.Uses[x] == types.Object(v) {
			text := "(*" + x.Name + ")"
			switch parent := stack[len(stack)-1].(type) {
			case *ast.UnaryExpr:
				if parent.Op == token.AND {
					put(parent.Pos(), x.Pos(), "")
					text = x.Name
				}
			case *ast.SelectorExpr:
				call, ok := stack[len(stack)-2].(*ast.CallExpr)
				if sel := info.Selections[parent]; sel == nil || sel.Kind() != types.MethodVal || ok && call.Fun == parent {
					text = x.Name // a method value has a copy
				}
			}
			put(x.Pos(), x.End(), text)
		}
		stack = append(stack, n)
		return true
	})
}
