package arenavet

import (
	"go/ast"
	"go/token"
	"go/types"
)

// fate is what becomes of a value.
type fate uint8

const (
	stays    fate = iota // nobody but the function sees it
	goesOut              // it is returned, stored, or given to a call
	outlives             // it may be used when the arena is over
)

// of is what becomes of the value of an expression.
func (h *advisor) of(e ast.Node) fate {
	switch p := h.parents[e].(type) {
	case *ast.ParenExpr:
		return h.of(p)
	case *ast.KeyValueExpr:
		return h.of(p)
	case *ast.CompositeLit:
		return h.of(p)
	case *ast.TypeAssertExpr:
		return h.of(p)
	case *ast.SliceExpr:
		if p.X == e {
			return h.of(p)
		}
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
		if at, ok := p.(*ast.IndexExpr); ok && at.Index == e {
			if h.assigned(at) {
				return h.target(at) // a map keeps the key
			}
			return stays
		}
		if x, ok := p.(ast.Expr); ok && !pointerFree(h.typeOf(x)) {
			if _, called := h.parents[p].(*ast.CallExpr); called && h.parents[p].(*ast.CallExpr).Fun == p {
				return goesOut // a method
			}
			return h.of(p)
		}
	case *ast.UnaryExpr:
		if p.Op == token.AND {
			return h.of(p)
		}
	case *ast.BinaryExpr:
		if p.Op == token.ADD {
			return h.of(p)
		}
	case *ast.CallExpr:
		return h.argument(p, e)
	case *ast.ReturnStmt:
		if x, ok := e.(ast.Expr); ok && h.returnedAsError(p, x) {
			return outlives
		}
		return goesOut
	case *ast.SendStmt:
		return outlives
	case *ast.AssignStmt:
		worst := stays
		for i, rhs := range p.Rhs {
			if rhs != e {
				continue
			}
			for j, lhs := range p.Lhs {
				if i == j && len(p.Lhs) == len(p.Rhs) || len(p.Rhs) == 1 && !isError(orInvalid(h.typeOf(lhs))) || len(p.Lhs) == 1 {
					worst = max(worst, h.target(lhs))
				}
			}
		}
		return worst
	case *ast.ValueSpec:
		worst := stays
		for _, name := range p.Names {
			worst = max(worst, h.target(name))
		}
		return worst
	case *ast.RangeStmt:
		worst := stays
		for _, v := range []ast.Expr{p.Key, p.Value} {
			if v != nil && !pointerFree(h.typeOf(v)) {
				worst = max(worst, h.target(v))
			}
		}
		return worst
	}
	return stays
}

func (h *advisor) typeOf(e ast.Expr) types.Type { return h.c.pass.TypesInfo.TypeOf(e) }

// target is what becomes of what is assigned to e.
func (h *advisor) target(e ast.Expr) fate {
	if isError(orInvalid(h.typeOf(e))) {
		return outlives
	}
	direct := true
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			if v, ok := h.c.pass.TypesInfo.Uses[x.Sel].(*types.Var); ok && !v.IsField() {
				return outlives // of another package
			}
			e, direct = x.X, false
		case *ast.IndexExpr:
			e, direct = x.X, false
		case *ast.StarExpr:
			e, direct = x.X, false
		case *ast.Ident:
			if x.Name == "_" {
				return stays
			}
			obj := h.c.pass.TypesInfo.ObjectOf(x)
			f := h.variable(obj)
			if !direct && h.params[obj] {
				f = max(f, goesOut)
			}
			return f
		default:
			return goesOut
		}
	}
}

func orInvalid(t types.Type) types.Type {
	if t == nil {
		return types.Typ[types.Invalid]
	}
	return t
}

// variable is what becomes of what a variable holds.
func (h *advisor) variable(obj types.Object) fate {
	if obj == nil {
		return stays
	}
	if obj.Parent() == h.c.pass.Pkg.Scope() {
		return outlives
	}
	if obj.Pos() < h.body.Pos() && !h.params[obj] {
		if obj.Pos().IsValid() && !isResult(obj) {
			return outlives // of the function around this literal
		}
		return goesOut
	}
	if f, ok := h.fate[obj]; ok {
		return f
	}
	if h.busy[obj] {
		return stays
	}
	h.busy[obj] = true
	worst := stays
	ast.Inspect(h.body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if ok && h.c.pass.TypesInfo.Uses[id] == obj {
			if h.inGoroutine(id) {
				worst = outlives
			}
			worst = max(worst, h.of(id))
		}
		return true
	})
	delete(h.busy, obj)
	if len(h.busy) == 0 {
		h.fate[obj] = worst // within a cycle it is not known yet
	}
	return worst
}

func isResult(obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return ok && v.Kind() == types.ResultVar
}

func (h *advisor) inGoroutine(n ast.Node) bool {
	for p := h.parents[n]; p != nil; p = h.parents[p] {
		switch p := p.(type) {
		case *ast.GoStmt:
			return true
		case *ast.FuncLit:
			if h.runsLater(p) {
				return true
			}
		}
	}
	return false
}

// argument is what becomes of an argument of a call.
func (h *advisor) argument(call *ast.CallExpr, e ast.Node) fate {
	if _, ok := h.parents[call].(*ast.GoStmt); ok {
		return outlives
	}
	if tv, ok := h.c.pass.TypesInfo.Types[call.Fun]; ok && tv.IsType() {
		if isText(orInvalid(tv.Type)) != isText(orInvalid(h.typeOf(call.Args[0]))) {
			return stays // a copy
		}
		return h.of(call)
	}
	switch h.builtin(call) {
	case "append":
		return h.of(call)
	case "panic":
		return outlives
	case "len", "cap", "clear", "copy", "delete", "print", "println", "close":
		return stays
	}
	if isError(orInvalid(h.typeOf(call))) {
		return outlives
	}
	name, fn := h.called(call), h.function(call)
	switch name {
	case arenaPath + ".Arena.AllocBytesToString", arenaPath + ".Arena.AllocString", arenaPath + ".Arena.Concat":
		return stays // a copy
	case arenaPath + ".Append":
		return h.of(call)
	}
	if fn == nil {
		return goesOut
	}
	if startsGoroutine[name] || keepers[name] || mayKeep(packageOf(name)) {
		return outlives
	}
	if isStandard(packageOf(name)) {
		if f := h.of(call); f == outlives || results[name].is != 0 || results["text."+fn.Name()].is != 0 {
			return max(goesOut, f) // also what makes the text of a panic is for once
		}
		return goesOut
	}
	var s *Summary
	if f := h.c.ssa.Prog.FuncValue(fn.Origin()); f != nil {
		s = h.c.summary(f)
	}
	if s == nil {
		return goesOut
	}
	n := 0
	if fn.Signature().Recv() != nil {
		n = 1
	}
	for i, arg := range call.Args {
		if arg == e {
			n += i
			break
		}
	}
	from := func(src Source) bool { return src.Kind == Same && src.At.Param == n && src.At.Global == "" }
	for _, w := range s.Writes {
		for _, fl := range w.From {
			if w.To.Global != "" && from(fl.From) {
				return outlives
			}
		}
	}
	for _, x := range s.Effects {
		if (x.Op == opSent || x.Op == opRuns) && from(x.From) {
			return outlives
		}
	}
	for _, fl := range s.Results {
		if from(fl.From) {
			return max(goesOut, h.of(call))
		}
	}
	return goesOut
}

// returnedAsError says whether a return statement returns x as an error: errors
// are logged and kept long after the request.
func (h *advisor) returnedAsError(ret *ast.ReturnStmt, x ast.Expr) bool {
	var sig *types.Signature
	for p := h.parents[ret]; p != nil && sig == nil; p = h.parents[p] {
		if lit, ok := p.(*ast.FuncLit); ok {
			sig, _ = h.typeOf(lit).(*types.Signature)
		}
	}
	if sig == nil {
		sig = h.signature
	}
	if sig == nil || sig.Results().Len() != len(ret.Results) {
		return false
	}
	for i, r := range ret.Results {
		if r == x {
			return isError(sig.Results().At(i).Type())
		}
	}
	return false
}
