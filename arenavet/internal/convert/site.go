package convert

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/advise"
	"github.com/ebbpool/arena/arenavet/internal/convert/life"
)

// Site is a place where the source allocates.
type Site struct {
	What   string
	Pos    token.Pos // of the expression, where package heap reports it
	Reason string    // why it is left on the heap; empty: it moves
	at     []ssa.Instruction
	fn     *ssa.Function
	kind   string // what the compiler's message of it begins with
	fix    bool   // there is a text for it
	json   *jsonCall
	copier *ast.CallExpr   // one of those
	tuple  *ast.AssignStmt // of several results, whose box it is
}

// sitesOf are the sites of a function and its literals that the compiler sends to the heap, and
// calls and appends, of which it does not tell. Bodies are what runs for the function.
func (p *program) sitesOf(fn *ssa.Function, bodies []*ssa.Function) (all []*Site) {
	d := p.decls[fn]
	made := map[token.Pos][]ssa.Instruction{}
	var note func(fn *ssa.Function)
	note = func(fn *ssa.Function) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch i.(type) {
				case *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeClosure, *ssa.Call, *ssa.BinOp, *ssa.Convert, *ssa.MultiConvert:
					made[i.Pos()] = append(made[i.Pos()], i)
				}
			}
		}
		for _, g := range fn.AnonFuncs {
			note(g)
		}
	}
	for _, body := range bodies {
		note(body)
	}
	told := map[int]int{} // how many of the compiler's messages of a line have a site
	add := func(n ast.Node, kind string, pos, at token.Pos) bool {
		line := p.fset.PositionFor(pos, false)
		messages := p.messages(pos)
		if kind != "" {
			if _, isLit := n.(*ast.CompositeLit); (isLit || kind == "value") && (p.stays(pos) || p.stays(at)) {
				return false // texts and lists of any length have room on the stack for small ones only
			}
			other := p.fset.PositionFor(at, false)
			if other.Line != line.Line {
				messages = append(messages, p.messages(at)...)
			}
			found := false
			for _, m := range messages {
				found = found || kindOf(m) == kind
			}
			if !found {
				return false
			}
		}
		told[line.Line]++
		s := &Site{What: short(n), Pos: pos, at: made[at], fn: fn, kind: kind}
		for _, i := range s.at {
			s.fn = p.base(i.Parent())
		}
		all = append(all, s)
		return true
	}
	info := d.pkg.TypesInfo
	sums := map[ast.Expr]bool{}
	var lits []*ast.FuncLit
	box := func(e ast.Expr, from, to types.Type, at token.Pos, n int) bool {
		if to == nil { // the blank identifier
			return false
		}
		if i, ok := to.Underlying().(*types.Interface); !ok || i.NumMethods() > 0 || types.IsInterface(from) {
			return false
		}
		for _, body := range bodies {
			made[e.Pos()] = append(made[e.Pos()], boxed(body, at, n)...)
		}
		return add(e, "box", e.Pos(), e.Pos())
	}
	for _, v := range fn.Params { // of which a copy is made where the function begins
		if slices.Contains(p.messages(v.Pos()), "var "+v.Name()) {
			add(ast.NewIdent(v.Name()), "variable", d.decl.Body.Lbrace, v.Pos())
		}
	}
	ast.Inspect(d.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if lit, ok := ast.Unparen(n.X).(*ast.CompositeLit); ok && n.Op == token.AND {
				add(n, "value", n.Pos(), lit.Lbrace)
			}
		case *ast.CompositeLit:
			switch info.TypeOf(n).Underlying().(type) {
			case *types.Slice:
				if len(n.Elts) > 0 && add(n, "slice", n.Pos(), n.Lbrace) { // the empty one takes no memory
					s := all[len(all)-1]
					for _, x := range n.Elts {
						if lit, ok := x.(*ast.CompositeLit); ok && lit.Type == nil { // it may be a pointer, and moves with the slice
							s.at = append(s.at, made[lit.Lbrace]...)
						}
					}
				}
			case *types.Map:
				add(n, "map", n.Pos(), n.Lbrace)
			}
		case *ast.BinaryExpr:
			if n.Op == token.ADD && isString(info.TypeOf(n)) && info.Types[n].Value == nil && !sums[n] {
				for x := ast.Expr(n); ; {
					b, ok := x.(*ast.BinaryExpr)
					if !ok {
						break
					}
					sums[b] = true
					x = b.X
				}
				add(n, "text", n.Pos(), n.OpPos)
			}
		case *ast.ReturnStmt:
			sig := fn.Signature
			for _, lit := range lits {
				if lit.Pos() <= n.Pos() && n.Pos() < lit.End() { // the innermost comes last
					sig = info.TypeOf(lit).(*types.Signature)
				}
			}
			if results := sig.Results(); results.Len() == len(n.Results) {
				for i, e := range n.Results {
					box(e, info.TypeOf(e), results.At(i).Type(), n.Return, i)
				}
			}
		case *ast.AssignStmt:
			if n.Tok == token.ASSIGN && len(n.Lhs) == len(n.Rhs) {
				for i, e := range n.Rhs {
					box(e, info.TypeOf(e), info.TypeOf(n.Lhs[i]), placeOf(n.Lhs[i]), 0)
				}
			}
			if call, ok := n.Rhs[0].(*ast.CallExpr); ok && n.Tok == token.ASSIGN && len(n.Lhs) > 1 && len(n.Rhs) == 1 {
				for i, e := range n.Lhs {
					if box(e, info.TypeOf(call).(*types.Tuple).At(i).Type(), info.TypeOf(e), placeOf(e), 0) {
						all[len(all)-1].tuple = n
					}
				}
			}
			if n.Tok == token.ADD_ASSIGN && isString(info.TypeOf(n.Lhs[0])) {
				made[n.TokPos] = append(made[n.TokPos], made[n.Pos()]...)
				add(n, "text", n.Pos(), n.TokPos)
			}
		case *ast.CallExpr:
			if j, why := jsonSite(info, d.decl.Body, n); j != nil {
				add(n, "", n.Pos(), n.Lparen)
				s := all[len(all)-1]
				if life.Parameterized(fn) {
					why = "is in a generic function"
				}
				s.json, s.Reason, s.at = j, why, nil
				for _, at := range j.makes {
					s.at = append(s.at, made[at]...)
				}
				return true
			}
			before := len(all)
			p.callSite(info, n, add)
			onStack := !slices.ContainsFunc(p.messages(n.Pos()), func(m string) bool { return kindOf(m) == "append" })
			if onStack && len(all) > before && slices.ContainsFunc(all[before].at, inRoom) {
				all[before].Reason = "has room in its function"
			}
			if of := copierOf(info, n); of != "" && (len(all) > before || !info.Types[n.Fun].IsType() && add(n, "", n.Pos(), n.Lparen)) {
				all[len(all)-1].copier = n
			}
		case *ast.Ident:
			v, ok := info.Defs[n].(*types.Var)
			if ok && !v.IsField() && builders[types.TypeString(v.Type(), nil)] {
				texts := builderTexts(info, d.decl.Body, v)
				if len(texts) == 0 {
					return true
				}
				for _, at := range texts {
					made[n.Pos()] = append(made[n.Pos()], made[at]...)
				}
				add(n, "", n.Pos(), n.Pos())
			} else if ok && !v.IsField() {
				add(n, "variable", n.Pos(), n.Pos())
			}
		case *ast.FuncLit:
			lits = append(lits, n)
			add(n, "closure", n.Pos(), n.Type.Func)
		}
		return true
	})
	return append(all, p.boxes(fn, told)...)
}

// stays reports whether the compiler leaves on the stack what is made at a place.
func (p *program) stays(pos token.Pos) bool {
	at := p.fset.PositionFor(pos, false)
	return p.staying[advise.Place{LineKey: advise.LineKey{File: at.Filename, Line: at.Line}, Column: at.Column}]
}

// messages are the compiler's for a line, by its place in its file and by that which a directive gives it.
func (p *program) messages(pos token.Pos) (all []string) {
	at, told := p.fset.PositionFor(pos, false), p.fset.PositionFor(pos, true)
	all = slices.Clone(p.escaping[advise.LineKey{File: at.Filename, Line: at.Line}])
	if told.Filename != at.Filename {
		name := filepath.Join(filepath.Dir(at.Filename), filepath.Base(told.Filename)) // a directive's name has no folder
		if p.cgo[at.Filename] {
			name = told.Filename
		}
		all = append(all, p.escaping[advise.LineKey{File: name, Line: told.Line}]...)
	}
	return all
}

func (p *program) callSite(info *types.Info, n *ast.CallExpr, add func(n ast.Node, kind string, pos, at token.Pos) bool) {
	if tv := info.Types[n.Fun]; tv.IsType() {
		if info.Types[n].Value == nil && (isString(tv.Type) || isBytes(tv.Type)) {
			add(n, "text", n.Pos(), n.Lparen)
		}
		return
	}
	id, _ := ast.Unparen(n.Fun).(*ast.Ident)
	if id != nil {
		if b, ok := info.Uses[id].(*types.Builtin); ok {
			switch b.Name() {
			case "new":
				add(n, "value", n.Pos(), n.Lparen)
			case "make":
				kind := "slice"
				if _, isMap := info.TypeOf(n).Underlying().(*types.Map); isMap {
					kind = "map"
				}
				add(n, kind, n.Pos(), n.Lparen)
			case "append":
				add(n, "", n.Pos(), n.Lparen)
			}
			return
		}
	}
	if fn := calledFunc(info, n); fn != nil && twins[fn.FullName()] {
		add(n, "", n.Pos(), n.Lparen)
	}
}

// boxed are the instructions that make an interface of what is stored in a place, or is the n-th that is
// returned there: they have no place of their own.
func boxed(fn *ssa.Function, at token.Pos, n int) (all []ssa.Instruction) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if i.Pos() != at {
				continue
			}
			var v ssa.Value
			switch i := i.(type) {
			case *ssa.Store:
				v = i.Val
			case *ssa.MapUpdate:
				v = i.Value
			case *ssa.Return:
				v = i.Results[n]
			}
			if m, ok := v.(*ssa.MakeInterface); ok {
				all = append(all, m)
			}
		}
	}
	for _, g := range fn.AnonFuncs {
		all = append(all, boxed(g, at, n)...)
	}
	return all
}

// placeOf is where the instruction stands that stores in what an expression names.
func placeOf(e ast.Expr) token.Pos {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return e.Sel.Pos()
	case *ast.IndexExpr:
		return e.Lbrack
	}
	return ast.Unparen(e).Pos()
}

var builders = map[string]bool{"strings.Builder": true, "bytes.Buffer": true}

// builderTexts are the calls that take the text of a builder.
func builderTexts(info *types.Info, body ast.Node, v *types.Var) (all []token.Pos) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if s, ok := call.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "String" || s.Sel.Name == "Bytes") {
			if id, ok := s.X.(*ast.Ident); ok && info.Uses[id] == v {
				all = append(all, call.Lparen)
			}
		}
		return true
	})
	return all
}

// twins are calls of the standard library that an arena has a function for.
var twins = map[string]bool{
	"fmt.Sprintf": true, "fmt.Sprint": true, "fmt.Sprintln": true, "strings.Join": true, "strings.ToLower": true, "strings.ToUpper": true,
	"strings.Clone": true, "bytes.Clone": true, "slices.Clone": true, "slices.Collect": true, "io.ReadAll": true, "io/ioutil.ReadAll": true, "io.LimitReader": true,
}

// boxes are the other values that the compiler sends to the heap: values in interfaces, arguments, method
// values. There is no text for them.
func (p *program) boxes(fn *ssa.Function, told map[int]int) (all []*Site) {
	from, to := p.fset.PositionFor(p.decls[fn].decl.Body.Pos(), false), p.fset.PositionFor(p.decls[fn].decl.Body.End(), false)
	file := p.fset.File(p.decls[fn].decl.Pos())
	for line := from.Line; line <= to.Line; line++ {
		messages := p.escaping[advise.LineKey{File: from.Filename, Line: line}]
		for i, m := range messages {
			if kind := kindOf(m); i >= told[line] && (kind == "box" || kind == "arguments" || kind == "channel") {
				what := kind
				if kind == "box" && p.methodValue(fn, line, m) {
					what = "method value"
				}
				all = append(all, &Site{What: m, Pos: file.LineStart(line), Reason: "is a " + what + ", and has no text in an arena", fn: fn, kind: kind})
			}
		}
	}
	return all
}

// methodValue reports whether a text in a line of a function is a method that is not called there: a closure.
func (p *program) methodValue(fn *ssa.Function, line int, text string) (found bool) {
	d := p.decls[fn]
	called := map[ast.Expr]bool{}
	ast.Inspect(d.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			called[ast.Unparen(n.Fun)] = true
		case *ast.SelectorExpr:
			s := d.pkg.TypesInfo.Selections[n]
			found = found || s != nil && s.Kind() == types.MethodVal && !called[n] && types.ExprString(n) == text && p.fset.PositionFor(n.Pos(), false).Line == line
		}
		return !found
	})
	return found
}

// kindOf sorts the compiler's messages.
func kindOf(what string) string {
	switch {
	case strings.HasPrefix(what, "var "):
		return "variable"
	case strings.HasPrefix(what, "&"), strings.HasPrefix(what, "new("):
		return "value"
	case what == "func literal":
		return "closure"
	case strings.HasPrefix(what, "append"):
		return "append"
	case what == "... argument":
		return "arguments"
	case strings.HasPrefix(what, "make(map"), strings.HasPrefix(what, "map["):
		return "map"
	case strings.HasPrefix(what, "make(chan"):
		return "channel"
	case strings.HasPrefix(what, "make("), strings.HasSuffix(what, "{...}"), strings.HasSuffix(what, "{}"):
		return "slice"
	case strings.HasPrefix(what, "string("), strings.Contains(what, " + "), strings.HasPrefix(what, "([]byte)("), strings.HasPrefix(what, "[]byte("):
		return "text"
	case strings.HasPrefix(what, "\""), strings.HasPrefix(what, "`"):
		return "constant"
	}
	return "box"
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func isBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	b, ok := s.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// short is a node's text, in one line of at most 40 characters.
func short(n ast.Node) string {
	text := ""
	switch n := n.(type) {
	case *ast.FuncLit:
		return "func literal"
	case *ast.AssignStmt:
		text = types.ExprString(n.Lhs[0]) + " += " + types.ExprString(n.Rhs[0])
	case ast.Expr:
		text = types.ExprString(n)
	}
	if r := []rune(text); len(r) > 40 {
		text = string(r[:37]) + "..."
	}
	return text
}
