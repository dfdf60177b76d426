package convert

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// The inverse check does not look at edits. It prints the original and the result as syntax trees, the result without the
// arena, and compares them. Erased are the parameter and the argument that is the arena, the field that holds it, and
// calls of package arena with it, which are printed as the expressions that they replace.

// inverse is the state of the check.
type inverse struct {
	p         *program
	originals map[string]*types.Func // functions and methods of interfaces that have twins, by the twin's full name
	functions map[string]*function   // by full name
	moved     map[types.Object]bool  // variables of the original that become pointers
	result    *ssa.Program
}

// checkInverse reports an error if the result without the arena is not the original.
func (p *program) checkInverse(pkgs []*packages.Package) error {
	v := &inverse{p, map[string]*types.Func{}, map[string]*function{}, map[types.Object]bool{}, nil}
	add := func(o *types.Func) {
		if twin := p.twinOf(o); twin != "" {
			v.originals[strings.TrimSuffix(catalog.FunctionName(o), o.Name())+twin] = o
		}
	}
	for _, f := range p.order {
		add(f.obj)
		v.functions[catalog.FunctionName(f.obj)] = f
		for _, s := range f.sites {
			if s.v != nil && f.threaded && p.moves(s) {
				v.moved[s.v] = true
			}
		}
	}
	for m := range p.family {
		add(m)
	}
	v.result, _ = ssautil.Packages(pkgs, ssa.InstantiateGenerics)
	v.result.Build()
	results := map[string]*packages.Package{}
	for _, pkg := range pkgs {
		results[pkg.PkgPath] = pkg
	}
	for _, pkg := range p.pkgs {
		to := results[pkg.PkgPath]
		if to == nil || len(to.Syntax) != len(pkg.Syntax) {
			return fmt.Errorf("convert: the result has other packages than the original")
		}
		for i, file := range pkg.Syntax {
			if at := v.differs(pkg, to, file, to.Syntax[i]); at != nil {
				return fmt.Errorf("convert: nothing written: without the arena the result differs from the original at %s", p.at(at.Pos()))
			}
		}
	}
	return nil
}

// differs returns the first declaration of a file that the result without the arena does not have, the file if the result
// has more, or nil.
func (v *inverse) differs(from, to *packages.Package, original, result *ast.File) ast.Node {
	name := v.p.position(original.FileStart).Filename
	if original.Name.Name != result.Name.Name || !maps.Equal(v.imports(original, name), v.imports(result, name)) {
		return original
	}
	erased, ok := v.erased(to, result)
	if !ok {
		return original
	}
	for _, d := range original.Decls {
		if isImport(d) {
			continue
		}
		e, named := &eraser{inverse: v, info: from.TypesInfo}, d
		if f, ok := d.(*ast.FuncDecl); ok {
			named = withParams(f.Name.Name, f, f.Type.Params.List)
		}
		if len(erased) == 0 || erased[0] != e.print(named) {
			return d
		}
		erased = erased[1:]
	}
	if len(erased) > 0 {
		return original
	}
	return nil
}

// imports returns the imports of a file, except package arena and what the result no longer imports.
func (v *inverse) imports(f *ast.File, name string) map[string]bool {
	all := map[string]bool{}
	for _, im := range f.Imports {
		if path, _ := strconv.Unquote(im.Path.Value); path != catalog.ArenaPath && !v.p.unused[name+im.Path.Value] {
			all[fmt.Sprint(im.Name)+im.Path.Value] = true
		}
	}
	return all
}

// erased prints the declarations of a file of the result without the arena. It fails if there is a function that should
// not be there.
func (v *inverse) erased(pkg *packages.Package, file *ast.File) (list []string, ok bool) {
	for _, d := range file.Decls {
		if isImport(d) {
			continue
		}
		e := &eraser{inverse: v, info: pkg.TypesInfo, erases: true}
		if fd, ok := d.(*ast.FuncDecl); ok {
			obj := pkg.TypesInfo.Defs[fd.Name].(*types.Func)
			name, params := fd.Name.Name, fd.Type.Params.List
			f, twinOf := v.functions[catalog.FunctionName(obj)], v.originals[catalog.FunctionName(obj)]
			switch {
			case f != nil && f.threaded && f.keeps:
				if ssaform.Twin(v.result.FuncValue(obj)) != f.twin || typeKey(obj.Type()) != typeKey(f.obj.Type()) {
					return nil, false
				}
				continue
			case v.isHelper(fd, pkg, file):
				continue
			case f != nil && f.carrier != "":
				e.arena = f.arena
			case twinOf != nil:
				name, e.arena = twinOf.Name(), v.p.funcs[twinOf].arena
				if len(params[0].Names) != 1 || params[0].Names[0].Name != e.arena || !isArena(pkg.TypesInfo.TypeOf(params[0].Type)) {
					return nil, false
				}
				params = params[1:]
			}
			d = withParams(name, fd, params)
		}
		list = append(list, e.print(d))
	}
	return list, true
}

// withParams returns a function with other parameters and another name. All parameters have names.
func withParams(name string, f *ast.FuncDecl, params []*ast.Field) ast.Decl {
	list := &ast.FieldList{}
	for _, field := range params {
		names := field.Names
		if names == nil {
			names = []*ast.Ident{ast.NewIdent("_")}
		}
		list.List = append(list.List, &ast.Field{Names: names, Type: field.Type})
	}
	t := &ast.FuncType{TypeParams: f.Type.TypeParams, Params: list, Results: f.Type.Results}
	return &ast.FuncDecl{Recv: f.Recv, Name: ast.NewIdent(name), Type: t, Body: f.Body}
}

// isHelper reports whether a function of the result is a helper, word for word.
func (v *inverse) isHelper(d *ast.FuncDecl, pkg *packages.Package, file *ast.File) bool {
	for full, h := range helpers {
		if h.name == d.Name.Name && d.Recv == nil {
			var is bytes.Buffer
			want, err := format.Source([]byte(helperText(full, file, v.p.arenaName(file))))
			return err == nil && format.Node(&is, pkg.Fset, d) == nil && bytes.Equal(bytes.TrimSpace(want), is.Bytes())
		}
	}
	return false
}

// typeKey names a type for comparison between two loads of one program.
func typeKey(t types.Type) string {
	if s, ok := t.(*types.Signature); ok {
		return signature(s)
	}
	return types.TypeString(t, nil)
}

func isArena(t types.Type) bool {
	return t != nil && types.TypeString(t, nil) == "*"+catalog.ArenaPath+".Arena"
}

// eraser prints one declaration, of the original or of the result.
type eraser struct {
	*inverse
	info     *types.Info
	replaced map[ast.Expr]form     // in the original: what their declarations become
	erases   bool                  // the declaration is of the result
	arena    string                // the arena in a function of the result, or ""
	renamed  map[*ast.Ident]string // in the result: names of twins in calls
	out      strings.Builder
}

// form is an expression for which package arena has a function.
type form struct {
	op       string // a builtin, an operation, or the full name of a function
	of       string // the type of the result
	args     []ast.Expr
	variadic bool
}

func (e *eraser) write(words ...string) {
	for _, w := range words {
		e.out.WriteString(w)
		e.out.WriteByte(' ')
	}
}

// print returns the text of a declaration.
func (e *eraser) print(d ast.Decl) string {
	e.replaced, e.renamed = map[ast.Expr]form{}, map[*ast.Ident]string{}
	e.node(d)
	return e.out.String()
}

// node prints a node without parentheses.
func (e *eraser) node(n ast.Node) {
	if x, ok := n.(ast.Expr); ok {
		x = ast.Unparen(x)
		if f, ok := e.form(x); ok {
			if f.op == "&" && e.isZero(f.args[0]) {
				f = form{op: "new", of: "*" + typeKey(e.info.TypeOf(f.args[0]))}
			}
			e.write("(", f.op, fmt.Sprint(f.variadic))
			if f.op != "&" { // whose type is that of its operand
				e.write(f.of)
			}
			for _, a := range f.args {
				e.node(a)
			}
			e.write(")")
			return
		}
		n = x
	}
	switch x := n.(type) {
	case *ast.Ident:
		if e.isMoved(x) {
			e.write("(", "ast.StarExpr")
			defer e.write(")")
		}
		e.name(x)
		return
	case *ast.UnaryExpr:
		if x.Op == token.AND { // of a variable that is a pointer; see form
			e.name(ast.Unparen(x.X).(*ast.Ident))
			return
		}
	case *ast.SelectorExpr: // x.f is (*x).f
		of := ast.Unparen(x.X)
		if star, ok := of.(*ast.StarExpr); ok {
			of = ast.Unparen(star.X)
		}
		e.write("(", "select")
		if id, ok := of.(*ast.Ident); ok {
			e.name(id)
		} else {
			e.node(of)
		}
		e.name(x.Sel)
		e.write(")")
		return
	case *ast.AssignStmt:
		if id, ok := x.Lhs[0].(*ast.Ident); ok && e.moved[e.info.Defs[id]] {
			n = e.define(id, form{op: "&", args: x.Rhs})
		}
	case *ast.DeclStmt:
		for _, s := range x.Decl.(*ast.GenDecl).Specs {
			if v, ok := s.(*ast.ValueSpec); ok && e.moved[e.info.Defs[v.Names[0]]] {
				n = e.define(v.Names[0], form{op: "new", of: "*" + typeKey(e.info.TypeOf(v.Type))})
			}
		}
	}
	if e.erases {
		n = e.erase(n)
	}
	e.fields(reflect.ValueOf(n).Elem())
}

// isZero reports whether x is the literal of a struct without values, so that &x is a call of new.
func (e *eraser) isZero(x ast.Expr) bool {
	l, ok := ast.Unparen(x).(*ast.CompositeLit)
	if !ok {
		return false
	}
	if e.erases {
		l = e.erase(l).(*ast.CompositeLit)
	}
	_, ok = e.info.TypeOf(x).Underlying().(*types.Struct)
	return ok && len(l.Elts) == 0
}

// name prints a name, and what kind of object it is if it has a meaning outside of the function.
func (e *eraser) name(id *ast.Ident) {
	text := id.Name
	if was := e.renamed[id]; was != "" {
		text = was
	}
	if o := e.info.Uses[id]; o != nil {
		text += fmt.Sprintf(":%T", o)
		if o.Parent() == types.Universe || o.Pkg() != nil && o.Parent() == o.Pkg().Scope() {
			text += ":global"
		}
	}
	e.write(text)
}

func (e *eraser) isMoved(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	return ok && e.moved[e.info.Uses[id]]
}

// define returns the definition of a variable that becomes a pointer.
func (e *eraser) define(id *ast.Ident, f form) ast.Node {
	x := &ast.BadExpr{}
	e.replaced[x] = f
	return &ast.AssignStmt{Lhs: []ast.Expr{id}, Tok: token.DEFINE, Rhs: []ast.Expr{x}}
}

// fields prints the fields of a node. Positions and comments do not count.
func (e *eraser) fields(v reflect.Value) {
	e.write("(", v.Type().String())
	for i := range v.NumField() {
		switch f := v.Field(i); x := f.Interface().(type) {
		case token.Pos:
			if name := v.Type().Field(i).Name; x.IsValid() && (name == "Ellipsis" || name == "Assign") {
				e.write(name)
			}
		case *ast.CommentGroup, *ast.Object, bool:
			if name := v.Type().Field(i).Name; name == "Slice3" {
				e.write(fmt.Sprint(x))
			}
		case string:
			e.write(strconv.Quote(x))
		default:
			e.value(f)
		}
	}
	e.write(")")
}

func (e *eraser) value(v reflect.Value) {
	switch k := v.Kind(); {
	case k == reflect.Slice:
		e.write("[")
		for i := range v.Len() {
			e.value(v.Index(i))
		}
		e.write("]")
	case (k == reflect.Interface || k == reflect.Pointer) && v.IsNil():
		e.write("nil")
	case k == reflect.Interface || k == reflect.Pointer:
		e.node(v.Interface().(ast.Node))
	default:
		e.write(fmt.Sprint(v.Interface()))
	}
}

// erase returns a node of the result without the arena, if the node is not a form.
func (e *eraser) erase(n ast.Node) ast.Node {
	switch x := n.(type) {
	case *ast.CallExpr: // of a twin
		if to := static(e.info, x); to != nil && len(x.Args) > 0 && e.isArena(x.Args[0]) {
			if was := e.originals[catalog.FunctionName(to)]; was != nil {
				id, ok := ast.Unparen(x.Fun).(*ast.Ident)
				if !ok {
					id = ast.Unparen(x.Fun).(*ast.SelectorExpr).Sel
				}
				e.renamed[id] = was.Name()
				return &ast.CallExpr{Fun: x.Fun, Args: x.Args[1:], Ellipsis: x.Ellipsis}
			}
		}
	case *ast.CompositeLit:
		if len(x.Elts) > 0 && slices.Contains(e.p.Carry, typeName(e.info.TypeOf(x))) {
			first := x.Elts[0]
			if kv, ok := first.(*ast.KeyValueExpr); ok {
				first = kv.Value
			}
			if e.isArena(first) {
				return &ast.CompositeLit{Type: x.Type, Elts: x.Elts[1:]}
			}
		}
	case *ast.TypeSpec:
		s, ok := x.Type.(*ast.StructType)
		if ok && slices.Contains(e.p.Carry, x.Name.Name) && len(s.Fields.List) > 0 && isArena(e.info.TypeOf(s.Fields.List[0].Type)) {
			return &ast.TypeSpec{Name: x.Name, TypeParams: x.TypeParams, Type: &ast.StructType{Fields: &ast.FieldList{List: s.Fields.List[1:]}}}
		}
	case *ast.InterfaceType:
		list := slices.DeleteFunc(slices.Clone(x.Methods.List), func(f *ast.Field) bool {
			if len(f.Names) != 1 {
				return false
			}
			m, ok := e.info.Defs[f.Names[0]].(*types.Func)
			return ok && e.originals[catalog.FunctionName(m)] != nil && m.Signature().Params().Len() > 0 && isArena(m.Signature().Params().At(0).Type())
		})
		return &ast.InterfaceType{Methods: &ast.FieldList{List: list}}
	}
	return n
}

// isArena reports whether an expression is the function's arena.
func (e *eraser) isArena(x ast.Expr) bool {
	return e.arena != "" && types.ExprString(x) == e.arena && isArena(e.info.TypeOf(x))
}

// form returns the form of an expression, if it has one.
func (e *eraser) form(x ast.Expr) (f form, ok bool) {
	if f, ok := e.replaced[x]; ok {
		return f, true
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.UnaryExpr:
		return form{op: "&", args: []ast.Expr{x.X}}, x.Op == token.AND && !e.isMoved(x.X)
	case *ast.CompositeLit:
		_, ok = e.info.TypeOf(x).Underlying().(*types.Slice)
		return form{op: "literal", of: typeKey(e.info.TypeOf(x)), args: x.Elts}, ok
	case *ast.BinaryExpr:
		if concatenates(e.info, x) {
			return form{op: "concat", of: typeKey(e.info.TypeOf(x)), args: operands(e.info, x)}, true
		}
	case *ast.CallExpr:
		if e.info.Types[x.Fun].IsType() {
			return e.conversion(x)
		}
		return e.call(x)
	}
	return form{}, false
}

func (e *eraser) conversion(x *ast.CallExpr) (form, bool) {
	to, from := e.info.TypeOf(x), e.info.TypeOf(x.Args[0])
	if f, ok := e.form(x.Args[0]); ok && types.Identical(to.Underlying(), from.Underlying()) {
		f.of = typeKey(to)
		return f, true
	}
	switch {
	case catalog.IsText(to) && isBytes(from):
		return form{op: "string", of: typeKey(to), args: x.Args}, true
	case isBytes(to) && catalog.IsText(from):
		return form{op: "bytes", of: typeKey(to), args: x.Args}, true
	}
	return form{}, false
}

func (e *eraser) call(x *ast.CallExpr) (form, bool) {
	f := form{of: typeKey(e.info.TypeOf(x)), args: x.Args, variadic: x.Ellipsis.IsValid()}
	if to := static(e.info, x); to != nil && (arenaCalls[catalog.FunctionName(to)] != "" || helpers[catalog.FunctionName(to)].name != "") {
		f.op = catalog.FunctionName(to)
		return f, true
	}
	switch f.op = builtin(e.info, x); f.op {
	case "":
		e.arenaCall(&f, x)
	case "new":
		if e.info.Types[x.Args[0]].IsType() {
			f.args = nil
		}
	case "make":
		if _, ok := e.info.TypeOf(x).Underlying().(*types.Slice); !ok {
			return form{}, false
		}
		f.args = []ast.Expr{x.Args[1], x.Args[len(x.Args)-1]}
	case "append":
	default:
		return form{}, false
	}
	if last := len(f.args) - 1; f.op == "append" && f.variadic { // of a string, which may be converted
		if b, ok := e.form(f.args[last]); ok && b.op == "bytes" {
			f.args = append(slices.Clone(f.args[:last]), b.args...)
		}
		m, ok := e.form(f.args[0])
		if s := f.args[last]; ok && m.op == "make" && catalog.IsText(e.info.TypeOf(s)) && types.ExprString(m.args[0]) == "0" && types.ExprString(m.args[1]) == "len("+types.ExprString(s)+")" {
			f = form{op: "bytes", of: f.of, args: []ast.Expr{s}}
		}
	}
	return f, f.op != ""
}

// arenaCall sets the form of a call of package arena, or of a helper, with the function's arena.
func (e *eraser) arenaCall(f *form, x *ast.CallExpr) {
	fun := ast.Unparen(x.Fun)
	if i, ok := fun.(*ast.IndexExpr); ok {
		fun = i.X
	}
	sel, _ := fun.(*ast.SelectorExpr)
	switch {
	case sel != nil && e.isArena(sel.X):
	case len(x.Args) == 0 || !e.isArena(x.Args[0]):
		return
	case sel == nil:
		if o := static(e.info, x); o != nil && o.Signature().Recv() == nil {
			for full, h := range helpers {
				if h.name == o.Name() {
					f.op, f.args = full, x.Args[1:]
				}
			}
		}
		return
	default:
		if o, ok := e.info.Uses[sel.Sel].(*types.Func); !ok || catalog.FunctionName(o) != catalog.ArenaPath+"."+o.Name() {
			return
		}
		f.args = x.Args[1:]
	}
	f.op = forms[sel.Sel.Name]
	if f.op == "concat" {
		f.args = nil
		for _, a := range x.Args {
			f.args = append(f.args, operands(e.info, a)...)
		}
	}
	for full, name := range arenaCalls {
		if name == sel.Sel.Name {
			f.op = full
		}
	}
}

// forms lists the functions of package arena that are written, and what they replace.
var forms = map[string]string{"NewOf": "&", "New": "new", "MakeSlice": "make", "SliceOf": "literal", "Append": "append", "AllocBytesToString": "string", "Concat": "concat"}
