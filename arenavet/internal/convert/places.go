package convert

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/rewrite"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// Where a value may be stored, and warnings of places where it may not.

// warn adds a warning, unless it is trusted: by its position, its function, or its own token.
func (p *program) warn(f *ssa.Function, pos token.Pos, token, format string, args ...any) {
	for g := f; !pos.IsValid() && g != nil; g = g.Parent() {
		pos = g.Pos()
	}
	w := Warning{At: p.at(pos), Function: declaring(f), Text: fmt.Sprintf(format, args...), pos: pos}
	own, isOwn := strings.CutPrefix(token, "-own ")
	if isOwn {
		w.own, token = own, own
	}
	if token == "" {
		token = w.At
	}
	if p.trusted[w.At] || p.trusted[w.Function] || p.trusted[token] {
		return
	}
	w.Hint = "-trust " + token
	if isOwn {
		w.Hint = "-own " + own + ", or -trust " + w.At
	}
	if !slices.ContainsFunc(p.warnings, func(x Warning) bool { return x.At == w.At && x.Text == w.Text }) {
		p.warnings = append(p.warnings, w)
	}
}

// declaring returns the name of the declared function that f is, or is a literal in.
func declaring(f *ssa.Function) string {
	for f.Parent() != nil {
		f = f.Parent()
	}
	if o, ok := f.Object().(*types.Func); ok {
		return name(o)
	}
	return f.Name()
}

// carries reports whether a value may lead to the arena: by its type, or as a function that has captured such
// a value.
func (p *program) carries(v ssa.Value) bool { return p.carriesIn(v, map[ssa.Value]bool{}) }

func (p *program) carriesIn(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Const, *ssa.Function, *ssa.Builtin:
		return false
	case *ssa.MakeClosure:
		return slices.ContainsFunc(v.Bindings, func(b ssa.Value) bool { return p.bearing(b.Type()) })
	case *ssa.ChangeType:
		return p.carriesIn(v.X, seen)
	case *ssa.ChangeInterface:
		return p.carriesIn(v.X, seen)
	case *ssa.MakeInterface:
		return p.carriesIn(v.X, seen)
	case *ssa.Phi:
		return p.bearing(v.Type()) && slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return p.carriesIn(e, seen) })
	case *ssa.Slice:
		if list, ok := variadic(v); ok {
			return slices.ContainsFunc(list, func(x ssa.Value) bool { return p.carriesIn(x, seen) })
		}
	}
	return p.bearing(v.Type())
}

// variadic returns the arguments of a call that are elements of a slice, and whether v is such a slice.
func variadic(v *ssa.Slice) (list []ssa.Value, ok bool) {
	if a, ok := v.X.(*ssa.Alloc); ok && a.Comment == "varargs" {
		return ssaform.Operands(v), true
	}
	return nil, false
}

// base follows an address to its beginning: a global, a local, or a pointer or slice. It also returns the
// fields on the way.
func base(v ssa.Value) (ssa.Value, []*ssa.FieldAddr) {
	var fields []*ssa.FieldAddr
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			fields = append(fields, x)
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
			if _, ok := x.X.Type().Underlying().(*types.Slice); ok {
				return v, fields
			}
		case *ssa.ChangeType:
			v = x.X
		default:
			return v, fields
		}
	}
}

// place returns why memory of the arena may not be stored at an address, and the token that answers it, or
// nothing.
func (p *program) place(addr ssa.Value) (why, token string) {
	root, fields := base(addr)
	if g, ok := root.(*ssa.Global); ok {
		if p.trusted[g.Name()] {
			return "", ""
		}
		return "global " + g.Name(), g.Name()
	}
	for _, f := range fields {
		if p.isOwned(rewrite.StructOf(f)) {
			return "", "" // a part of what is owned
		}
	}
	if a, ok := root.(*ssa.Alloc); ok && (!a.Heap || len(fields) == 0 && addr == ssa.Value(a)) {
		return "", ""
	}
	var t types.Type
	switch {
	case len(fields) > 0:
		t = rewrite.StructOf(fields[len(fields)-1])
	default:
		q, ok := addr.Type().Underlying().(*types.Pointer)
		if !ok {
			return "", ""
		}
		t = types.Unalias(q.Elem())
		if _, ok := t.Underlying().(*types.Struct); !ok || p.isOwned(t) {
			return "", "" // an element: what it belongs to was checked where it came in
		}
	}
	if n, ok := t.(*types.Named); ok && !p.trusted[n.Obj().Name()] {
		return "field of " + n.Obj().Name(), "-own " + n.Obj().Name()
	}
	return "", ""
}

func isGlobal(v ssa.Value) bool { _, ok := v.(*ssa.Global); return ok }

// heapOnly reports whether a function has no memory of the arena: it does not take the arena, and no
// parameter or captured variable leads to owned values.
func (p *program) heapOnly(f *ssa.Function, text bool) bool {
	for g := f; g != nil; g = g.Parent() {
		if fn := p.bySSA[g]; fn != nil && fn.threaded {
			return false
		}
	}
	inside := func(t types.Type) bool {
		return p.bearing(t) || text && holdsText(t)
	}
	return !slices.ContainsFunc(f.Params, func(v *ssa.Parameter) bool { return inside(v.Type()) }) &&
		!slices.ContainsFunc(f.FreeVars, func(v *ssa.FreeVar) bool { return inside(v.Type()) })
}

// sealed reports whether only types of the module, or types that embed one, implement an interface.
func (p *program) sealed(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for m := range i.Methods() {
		if !m.Exported() && p.inModule(m.Pkg()) {
			return true
		}
	}
	return false
}

// internal reports whether an unexported interface is implemented only by types of the module: no exported function,
// variable or field has it, and nothing is asserted to be one.
func (p *program) internal(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Exported() || !p.inModule(n.Obj().Pkg()) {
		return false
	}
	if slices.ContainsFunc(p.asserted, func(a types.Type) bool { return types.Identical(a, n) }) {
		return false
	}
	return !p.exposed(n)
}

// exposed reports whether other packages may supply a value of a type, or convert one to it.
func (p *program) exposed(n *types.Named) bool {
	for _, pkg := range p.pkgs {
		for id, o := range pkg.TypesInfo.Defs {
			v, ok := o.(*types.Var)
			if !ok || !mentions(v.Type(), n) {
				continue
			}
			if v.IsField() && v.Exported() || id.IsExported() && v.Parent() == pkg.Types.Scope() {
				return true
			}
		}
		for _, o := range pkg.TypesInfo.Defs {
			if f, ok := o.(*types.Func); ok && f.Exported() && mentions(f.Signature().Params(), n) {
				return true
			}
		}
	}
	return false
}

// mentions reports whether a type is n, or is composed of it without another name between.
func mentions(t types.Type, n *types.Named) bool {
	return access.Reaches(t, func(t types.Type) (found, enter bool) {
		switch u := t.(type) {
		case *types.Named:
			return u == n, false
		case *types.Signature:
			return mentions(u.Params(), n) || mentions(u.Results(), n), false
		}
		return false, true
	})
}

// keeper returns the name of the function of another package that a call may run and that may keep its arguments, and
// the token that answers the warning. The name is empty if no such function may run.
func (p *program) keeper(c *ssa.CallCommon) (who, token string) {
	g := c.StaticCallee()
	switch v := c.Value.(type) {
	case *ssa.Builtin:
		switch v.Name() {
		case "StringData", "SliceData", "String", "Slice", "Add":
			who = "unsafe." + v.Name()
		}
	case *ssa.Parameter:
		token = v.Name()
	}
	switch {
	case c.IsInvoke():
		m := c.Method
		if len(p.family[m]) == 0 && !p.sealed(c.Value.Type()) && !p.internal(c.Value.Type()) && !copiesArgument(m) {
			who, token = name(m)+", which other packages may implement,", name(m)
		}
	case g == nil && p.open[signature(c.Value.Type())]:
		who = "a function that another package may supply"
	case g != nil && g.Blocks == nil && g.Parent() == nil && p.effectOf(calleeName(g)) == retains:
		who, token = calleeName(g), calleeName(g)
	}
	if p.trusted[token] {
		return "", ""
	}
	return who, token
}
