package convert

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"

	"golang.org/x/tools/go/packages"
)

// The inverse check does not look at edits. It walks the original and the result side by side. The only
// differences that it accepts vanish when the arena is erased: a parameter, a wrapper, or a call of package
// arena for the original expression.

// matcher compares two files.
type matcher struct {
	p        *program
	from, to *types.Info
	toFset   *token.FileSet
	moved    map[types.Object]types.Object // variables that have become pointers, in the result and in the original
	differs  ast.Node                      // the first node of the original that does not match
}

// checkInverse reports an error if the result without the arena is not the original.
func (p *program) checkInverse(pkgs []*packages.Package) error {
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
			m := &matcher{p: p, from: pkg.TypesInfo, to: to.TypesInfo, toFset: to.Fset, moved: map[types.Object]types.Object{}}
			if !m.file(file, to.Syntax[i]) {
				at := file.Pos()
				if m.differs != nil {
					at = m.differs.Pos()
				}
				return fmt.Errorf("convert: nothing written: without the arena the result differs from the original at %s", p.at(at))
			}
		}
	}
	return nil
}

func (m *matcher) file(o, c *ast.File) bool {
	if o.Name.Name != c.Name.Name || !m.imports(o, c) {
		return false
	}
	rest := slices.DeleteFunc(slices.Clone(c.Decls), isImport)
	for _, d := range o.Decls {
		if isImport(d) {
			continue
		}
		if len(rest) == 0 {
			return m.fail(d)
		}
		f := (*function)(nil)
		if fd, ok := d.(*ast.FuncDecl); ok {
			obj, _ := m.from.Defs[fd.Name].(*types.Func)
			f = m.p.funcs[obj]
		}
		if f != nil && f.threaded && f.carrier == "" {
			if f.keeps {
				if !m.wrapper(f, rest[0]) || len(rest) < 2 {
					return m.fail(d)
				}
				rest = rest[1:]
			}
			if !m.twin(f, rest[0]) {
				return m.fail(d)
			}
		} else if !m.node(d, rest[0]) {
			return m.fail(d)
		}
		rest = rest[1:]
	}
	return !slices.ContainsFunc(rest, func(d ast.Decl) bool { return !m.isHelper(d, c) })
}

func (m *matcher) fail(n ast.Node) bool {
	if m.differs == nil {
		m.differs = n
	}
	return false
}

func isImport(d ast.Decl) bool {
	g, ok := d.(*ast.GenDecl)
	return ok && g.Tok == token.IMPORT
}

func (m *matcher) imports(o, c *ast.File) bool {
	list := func(f *ast.File, skip bool) map[string]bool {
		all := map[string]bool{}
		for _, im := range f.Imports {
			name := ""
			if im.Name != nil {
				name = im.Name.Name + " "
			}
			if path, _ := strconv.Unquote(im.Path.Value); path == arenaPath {
				continue
			}
			if skip && m.p.unused[m.p.position(f.FileStart).Filename+im.Path.Value] {
				continue
			}
			all[name+im.Path.Value] = true
		}
		return all
	}
	return reflect.DeepEqual(list(o, true), list(c, false))
}

// wrapper reports whether a declaration is F(x) { return FIn(nil, x) }.
func (m *matcher) wrapper(f *function, d ast.Decl) bool {
	w, ok := d.(*ast.FuncDecl)
	if !ok || w.Name.Name != f.decl.Name.Name || w.Body == nil || len(w.Body.List) != 1 {
		return false
	}
	var call *ast.CallExpr
	switch s := w.Body.List[0].(type) {
	case *ast.ReturnStmt:
		if len(s.Results) == 1 {
			call, _ = s.Results[0].(*ast.CallExpr)
		}
	case *ast.ExprStmt:
		call, _ = s.X.(*ast.CallExpr)
	}
	if call == nil {
		return false
	}
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		ok = fun.Name == f.twin && w.Recv == nil
	case *ast.SelectorExpr:
		x, isIdent := fun.X.(*ast.Ident)
		ok = fun.Sel.Name == f.twin && w.Recv != nil && isIdent && x.Name == w.Recv.List[0].Names[0].Name
	default:
		ok = false
	}
	if id, isIdent := call.Args[0].(*ast.Ident); !ok || !isIdent || id.Name != "nil" {
		return false
	}
	k := 1
	for _, field := range w.Type.Params.List {
		for _, id := range field.Names {
			if k >= len(call.Args) {
				return false
			}
			x, ok := call.Args[k].(*ast.Ident)
			if !ok || x.Name != id.Name {
				return false
			}
			k++
		}
		if _, variadic := field.Type.(*ast.Ellipsis); variadic != call.Ellipsis.IsValid() && k == len(call.Args) {
			return false
		}
	}
	was, is := f.obj.Signature(), m.to.Defs[w.Name].(*types.Func).Signature()
	return k == len(call.Args) && typeKey(was) == typeKey(is)
}

// typeKey names a type for comparison between two loads of one program.
func typeKey(t types.Type) string {
	if s, ok := t.(*types.Signature); ok {
		return signature(s)
	}
	return types.TypeString(t, nil)
}

// twin reports whether a declaration is the function with the arena as its first parameter.
func (m *matcher) twin(f *function, d ast.Decl) bool {
	w, ok := d.(*ast.FuncDecl)
	if !ok || w.Name.Name != f.twin || len(w.Type.Params.List) == 0 {
		return false
	}
	o := f.decl
	first := w.Type.Params.List[0]
	if !isArena(m.to.TypeOf(first.Type)) || len(first.Names) > 1 {
		return false
	}
	params := &ast.FieldList{List: w.Type.Params.List[1:]}
	if len(o.Type.Params.List) > 0 && len(o.Type.Params.List[0].Names) == 0 { // they got names
		was, is := f.obj.Signature(), m.to.Defs[w.Name].(*types.Func).Signature()
		if was.Params().Len()+1 != is.Params().Len() {
			return false
		}
		for i := range was.Params().Len() {
			if typeKey(was.Params().At(i).Type()) != typeKey(is.Params().At(i+1).Type()) {
				return false
			}
		}
	} else if !m.node(o.Type.Params, params) {
		return false
	}
	return m.value(reflect.ValueOf(o.Recv), reflect.ValueOf(w.Recv)) &&
		m.value(reflect.ValueOf(o.Type.Results), reflect.ValueOf(w.Type.Results)) && m.node(o.Body, w.Body)
}

func isArena(t types.Type) bool {
	return t != nil && types.TypeString(t, nil) == "*"+arenaPath+".Arena"
}

func unparen(n ast.Node) ast.Node {
	if e, ok := n.(ast.Expr); ok && e != nil {
		return ast.Unparen(e)
	}
	return n
}

// node reports whether c without the arena is o.
func (m *matcher) node(o, c ast.Node) bool {
	o, c = unparen(o), unparen(c)
	if ok, decided := m.special(o, c); decided {
		if !ok {
			return m.fail(o)
		}
		return true
	}
	if reflect.TypeOf(o) != reflect.TypeOf(c) || !m.value(reflect.ValueOf(o).Elem(), reflect.ValueOf(c).Elem()) {
		return m.fail(o)
	}
	return true
}

var nodeType = reflect.TypeFor[ast.Node]()

// value compares two fields of nodes.
func (m *matcher) value(o, c reflect.Value) bool {
	if o.Type() != c.Type() {
		return false
	}
	switch o.Type() {
	case reflect.TypeFor[*ast.CommentGroup](), reflect.TypeFor[*ast.Object](), reflect.TypeFor[*ast.Scope]():
		return true
	case reflect.TypeFor[token.Pos]():
		return o.Interface().(token.Pos).IsValid() == c.Interface().(token.Pos).IsValid()
	}
	switch o.Kind() {
	case reflect.Interface, reflect.Pointer:
		if o.IsNil() || c.IsNil() {
			return o.IsNil() == c.IsNil()
		}
		if o.Type().Implements(nodeType) {
			return m.node(o.Interface().(ast.Node), c.Interface().(ast.Node))
		}
		return false
	case reflect.Slice:
		if o.Len() != c.Len() {
			return false
		}
		for i := range o.Len() {
			if !m.value(o.Index(i), c.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range o.NumField() {
			switch name := o.Type().Field(i).Name; {
			case slices.Contains([]string{"Opening", "Closing", "Lparen", "Rparen", "Semicolon", "Implicit", "Incomplete", "Doc", "Comment"}, name):
			case !m.value(o.Field(i), c.Field(i)):
				return false
			}
		}
		return true
	}
	return o.Interface() == c.Interface()
}

func (m *matcher) list(o, c []ast.Expr) bool {
	if len(o) != len(c) {
		return false
	}
	for i := range o {
		if !m.node(o[i], c[i]) {
			return false
		}
	}
	return true
}

// special compares nodes that may differ by the arena. It is decided if one of its cases applies.
func (m *matcher) special(o, c ast.Node) (ok, decided bool) {
	switch c := c.(type) {
	case *ast.StarExpr:
		if v := m.movedVar(c.X); v != nil {
			id, isIdent := o.(*ast.Ident)
			return isIdent && m.from.ObjectOf(id) == v, true
		}
	case *ast.SelectorExpr:
		if v := m.movedVar(c.X); v != nil {
			s, isSel := o.(*ast.SelectorExpr)
			if !isSel || s.Sel.Name != c.Sel.Name {
				return false, true
			}
			id, isIdent := ast.Unparen(s.X).(*ast.Ident)
			return isIdent && m.from.ObjectOf(id) == v, true
		}
	case *ast.Ident:
		if v := m.movedVar(c); v != nil {
			if id, isIdent := o.(*ast.Ident); isIdent && m.to.Defs[c] != nil {
				return m.from.Defs[id] == v, true
			}
			u, isUnary := o.(*ast.UnaryExpr)
			if !isUnary || u.Op != token.AND {
				return false, true
			}
			id, isIdent := ast.Unparen(u.X).(*ast.Ident)
			return isIdent && m.from.ObjectOf(id) == v, true
		}
		if id, isIdent := o.(*ast.Ident); isIdent {
			return id.Name == c.Name && m.sameObject(id, c), true
		}
	case *ast.AssignStmt:
		return m.movedDefinition(o, c)
	case *ast.CallExpr:
		return m.call(o, c)
	case *ast.CompositeLit:
		return m.carrier(o, c)
	case *ast.StructType:
		return m.structType(o, c)
	case *ast.InterfaceType:
		return m.interfaceType(o, c)
	}
	return false, false
}

// sameObject reports whether a name with a meaning outside of functions has the same meaning in the result.
func (m *matcher) sameObject(o, c *ast.Ident) bool {
	was, is := m.from.Uses[o], m.to.Uses[c]
	if was == nil || is == nil {
		return was == nil && is == nil
	}
	global := func(x types.Object) bool {
		return x.Parent() == types.Universe || x.Pkg() != nil && x.Parent() == x.Pkg().Scope()
	}
	return global(was) == global(is) && reflect.TypeOf(was) == reflect.TypeOf(is)
}

func (m *matcher) movedVar(e ast.Expr) types.Object {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		return m.moved[m.to.ObjectOf(id)]
	}
	return nil
}

// movedDefinition compares x := v or var x T with the definition of a pointer.
func (m *matcher) movedDefinition(o ast.Node, c *ast.AssignStmt) (ok, decided bool) {
	if c.Tok != token.DEFINE || len(c.Lhs) != 1 || len(c.Rhs) != 1 {
		return false, false
	}
	call, isCall := c.Rhs[0].(*ast.CallExpr)
	if !isCall {
		return false, false
	}
	id := c.Lhs[0].(*ast.Ident)
	name, call := m.arenaFunc(call)
	switch name {
	case "New":
		d, isDecl := o.(*ast.DeclStmt)
		if !isDecl {
			return false, false
		}
		s, isValue := d.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec)
		if !isValue || len(s.Names) != 1 || len(s.Values) != 0 || s.Names[0].Name != id.Name || len(d.Decl.(*ast.GenDecl).Specs) != 1 {
			return false, true
		}
		m.moved[m.to.Defs[id]] = m.from.Defs[s.Names[0]]
		return m.node(s.Type, call.Fun.(*ast.IndexExpr).Index), true
	case "NewOf":
		a, isAssign := o.(*ast.AssignStmt)
		if !isAssign || len(a.Lhs) != 1 || len(a.Rhs) != 1 || a.Tok != token.DEFINE {
			return false, true
		}
		was, isIdent := a.Lhs[0].(*ast.Ident)
		if _, isPointer := m.from.TypeOf(a.Rhs[0]).(*types.Pointer); isPointer || !isIdent {
			return false, false // x := &T{}
		}
		if was.Name != id.Name || len(call.Args) != 2 {
			return false, true
		}
		ok := m.node(a.Rhs[0], call.Args[1])
		m.moved[m.to.Defs[id]] = m.from.Defs[was]
		return ok, true
	}
	return false, false
}

// arenaFunc returns the name of a function of package arena that is called with an arena, and the call, or "". A call
// of the function's method has the arena as its first argument in the call that is returned.
func (m *matcher) arenaFunc(c *ast.CallExpr) (string, *ast.CallExpr) {
	fun := ast.Unparen(c.Fun)
	if i, ok := fun.(*ast.IndexExpr); ok {
		fun = i.X
	}
	s, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return "", c
	}
	f, ok := m.to.Uses[s.Sel].(*types.Func)
	switch {
	case !ok || f.Pkg() == nil || f.Pkg().Path() != arenaPath:
	case f.Signature().Recv() == nil && len(c.Args) > 0 && isArena(m.to.TypeOf(c.Args[0])):
		return f.Name(), c
	case isArena(m.to.TypeOf(s.X)) && f.Origin().Signature().TypeParams().Len() > 0:
		function := &ast.CallExpr{Fun: c.Fun, Args: slices.Concat([]ast.Expr{s.X}, c.Args), Ellipsis: c.Ellipsis}
		m.to.Types[function] = m.to.Types[c]
		return f.Name(), function
	}
	return "", c
}

func (m *matcher) call(o ast.Node, c *ast.CallExpr) (ok, decided bool) {
	was, isCall := o.(*ast.CallExpr)
	if isCall && usesArena(m.from, was) {
		return false, false // the program's own
	}
	if name, function := m.arenaFunc(c); name != "" {
		return m.arenaCall(name, o, function), true
	}
	if s, isSel := ast.Unparen(c.Fun).(*ast.SelectorExpr); isSel && isArena(m.to.TypeOf(s.X)) {
		return m.arenaMethod(s.Sel.Name, o, c), true
	}
	if tv := m.to.Types[c.Fun]; tv.IsType() && len(c.Args) == 1 { // N(arena.MakeSlice...)
		if x, isInner := ast.Unparen(c.Args[0]).(*ast.CallExpr); isInner && typeKey(m.from.TypeOf(o.(ast.Expr))) == typeKey(tv.Type) {
			s, isSel := ast.Unparen(x.Fun).(*ast.SelectorExpr)
			if name, _ := m.arenaFunc(x); name != "" || isSel && isArena(m.to.TypeOf(s.X)) {
				if ok, decided := m.call(o, x); decided && ok {
					return true, true
				}
			}
		}
	}
	if b := builtin(m.to, c); b == "append" && len(c.Args) == 2 { // append(arena.MakeSlice[byte](a, 0, len(s)), s...)
		if x, isInner := c.Args[0].(*ast.CallExpr); isInner && isCall && m.from.Types[was.Fun].IsType() {
			if name, _ := m.arenaFunc(x); name == "MakeSlice" {
				return isBytes(m.from.TypeOf(was)) && c.Ellipsis.IsValid() && m.node(was.Args[0], c.Args[1]), true
			}
		}
	}
	if !isCall {
		return false, false
	}
	args := c.Args
	if len(args) == len(was.Args)+1 && isArena(m.to.TypeOf(args[0])) {
		to := static(m.from, was)
		if to == nil {
			return false, true
		}
		if m.helperCall(to, c) {
			return c.Ellipsis.IsValid() == was.Ellipsis.IsValid() && m.list(was.Args, args[1:]), true
		}
		twin := m.p.twinOf(to.Origin())
		var sameFun bool
		switch f := ast.Unparen(c.Fun).(type) {
		case *ast.Ident:
			_, isIdent := ast.Unparen(was.Fun).(*ast.Ident)
			sameFun = isIdent && f.Name == twin
		case *ast.SelectorExpr:
			s, isSel := ast.Unparen(was.Fun).(*ast.SelectorExpr)
			sameFun = isSel && f.Sel.Name == twin
			if sameFun && m.movedVar(f.X) != nil {
				id, isIdent := ast.Unparen(s.X).(*ast.Ident)
				sameFun = isIdent && m.from.ObjectOf(id) == m.movedVar(f.X)
			} else if sameFun {
				sameFun = m.node(s.X, f.X)
			}
		}
		return sameFun && twin != "" && c.Ellipsis.IsValid() == was.Ellipsis.IsValid() && m.list(was.Args, args[1:]), true
	}
	return false, false
}

// usesArena reports whether a call is of a method of an arena, or has an arena as its first argument.
func usesArena(info *types.Info, c *ast.CallExpr) bool {
	if s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && isArena(info.TypeOf(s.X)) {
		return true
	}
	return len(c.Args) > 0 && isArena(info.TypeOf(c.Args[0]))
}

// arenaCall compares a call of a function of package arena with the original expression.
func (m *matcher) arenaCall(name string, o ast.Node, c *ast.CallExpr) bool {
	elem := func(t types.Type) string {
		s, ok := t.Underlying().(*types.Slice)
		if !ok {
			return ""
		}
		return typeKey(s.Elem())
	}
	result := m.to.TypeOf(c)
	switch name {
	case "NewOf":
		u, ok := o.(*ast.UnaryExpr)
		return ok && u.Op == token.AND && len(c.Args) == 2 && m.node(u.X, c.Args[1])
	case "New":
		was, ok := o.(*ast.CallExpr)
		return ok && builtin(m.from, was) == "new" && m.node(was.Args[0], c.Fun.(*ast.IndexExpr).Index)
	case "MakeSlice":
		was, ok := o.(*ast.CallExpr)
		if !ok || builtin(m.from, was) != "make" || len(c.Args) != 3 || elem(m.from.TypeOf(was)) != elem(result) {
			return false
		}
		return m.node(was.Args[1], c.Args[1]) && m.node(was.Args[len(was.Args)-1], c.Args[2])
	case "SliceOf":
		was, ok := o.(*ast.CompositeLit)
		return ok && elem(m.from.TypeOf(was)) == elem(result) && m.list(was.Elts, c.Args[1:])
	case "Append":
		was, ok := o.(*ast.CallExpr)
		if !ok || builtin(m.from, was) != "append" || len(was.Args)+1 != len(c.Args) || was.Ellipsis.IsValid() != c.Ellipsis.IsValid() || elem(m.from.TypeOf(was)) != elem(result) {
			return false
		}
		args := slices.Clone(c.Args[1:])
		if last := len(args) - 1; c.Ellipsis.IsValid() && isString(m.from.TypeOf(was.Args[last])) {
			conv, ok := args[last].(*ast.CallExpr)
			if !ok || !m.to.Types[conv.Fun].IsType() || len(conv.Args) != 1 {
				return false
			}
			args[last] = conv.Args[0]
		}
		return m.list(was.Args, args)
	}
	return false
}

// arenaMethod compares a call of a method of the arena with the original expression.
func (m *matcher) arenaMethod(name string, o ast.Node, c *ast.CallExpr) bool {
	switch name {
	case "Concat":
		b, ok := o.(*ast.BinaryExpr)
		return ok && b.Op == token.ADD && m.list(operands(m.from, b), c.Args)
	case "AllocBytesToString":
		was, ok := o.(*ast.CallExpr)
		return ok && m.from.Types[was.Fun].IsType() && isString(m.from.TypeOf(was)) && isBytes(m.from.TypeOf(was.Args[0])) && m.list(was.Args, c.Args)
	}
	was, ok := o.(*ast.CallExpr)
	if !ok {
		return false
	}
	to := static(m.from, was)
	return to != nil && arenaCalls[fullName(to)] && to.Name() == name && was.Ellipsis.IsValid() == c.Ellipsis.IsValid() && m.list(was.Args, c.Args)
}

// carrier compares a literal that also sets the arena.
func (m *matcher) carrier(o ast.Node, c *ast.CompositeLit) (ok, decided bool) {
	was, isLit := o.(*ast.CompositeLit)
	if !isLit || len(c.Elts) != len(was.Elts)+1 {
		return false, false
	}
	first := c.Elts[0]
	if kv, ok := first.(*ast.KeyValueExpr); ok {
		first = kv.Value
	}
	return isArena(m.to.TypeOf(first)) && m.value(reflect.ValueOf(&was.Type).Elem(), reflect.ValueOf(&c.Type).Elem()) && m.list(was.Elts, c.Elts[1:]), true
}

func (m *matcher) structType(o ast.Node, c *ast.StructType) (ok, decided bool) {
	was, isStruct := o.(*ast.StructType)
	if !isStruct || len(c.Fields.List) != len(was.Fields.List)+1 {
		return false, false
	}
	return isArena(m.to.TypeOf(c.Fields.List[0].Type)) && m.node(was.Fields, &ast.FieldList{List: c.Fields.List[1:]}), true
}

func (m *matcher) interfaceType(o ast.Node, c *ast.InterfaceType) (ok, decided bool) {
	was, isInterface := o.(*ast.InterfaceType)
	if !isInterface || len(c.Methods.List) == len(was.Methods.List) {
		return false, false
	}
	list := slices.DeleteFunc(slices.Clone(c.Methods.List), func(f *ast.Field) bool {
		ft, ok := f.Type.(*ast.FuncType)
		return ok && len(ft.Params.List) > 0 && isArena(m.to.TypeOf(ft.Params.List[0].Type))
	})
	return m.node(was.Methods, &ast.FieldList{List: list}), true
}

// isHelper reports whether a declaration of the result is a helper, word for word.
func (m *matcher) isHelper(d ast.Decl, c *ast.File) bool {
	fd, ok := d.(*ast.FuncDecl)
	if !ok {
		return false
	}
	var is bytes.Buffer
	if err := format.Node(&is, m.toFset, d); err != nil {
		return false
	}
	for full, h := range helpers {
		if h.name == fd.Name.Name {
			want, err := format.Source([]byte(helperText(full, c, m.p.arenaName(c))))
			return err == nil && bytes.Equal(bytes.TrimSpace(want), is.Bytes())
		}
	}
	return false
}

// helperCall reports whether a call of a helper stands for a call of its function.
func (m *matcher) helperCall(was *types.Func, c *ast.CallExpr) bool {
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	if !ok || helpers[fullName(was)].name != id.Name {
		return false
	}
	f, ok := m.to.Uses[id].(*types.Func)
	return ok && f.Parent() == f.Pkg().Scope()
}
