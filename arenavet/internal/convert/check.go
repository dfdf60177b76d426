package convert

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Warning is a place that may hold memory of the arena after its end.
type Warning struct {
	At       string // file:line
	Function string
	Text     string
	Hint     string // the flag that answers it
	pos      token.Pos
	own      string // a type that would answer it
}

// warn adds a warning, unless it is trusted: by its position, its function, or its own token.
func (p *program) warn(f *ssa.Function, pos token.Pos, token, format string, args ...any) {
	for g := f; !pos.IsValid() && g != nil; g = g.Parent() {
		pos = g.Pos()
	}
	outer := f
	for outer.Parent() != nil {
		outer = outer.Parent()
	}
	w := Warning{At: p.at(pos), Function: ssaName(outer), Text: fmt.Sprintf(format, args...), pos: pos}
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

func ssaName(f *ssa.Function) string {
	if o, ok := f.Object().(*types.Func); ok {
		return name(o)
	}
	return f.Name()
}

// check warns of all that may hold memory of the arena after its end.
func (p *program) check() {
	p.findWrites()
	for _, f := range p.sortedReach() {
		p.checkFunction(f)
	}
	p.checkRoot()
	slices.SortFunc(p.warnings, func(a, b Warning) int { return p.compare(a.pos, b.pos) })
}

func (p *program) sortedReach() []*ssa.Function {
	var all []*ssa.Function
	for f := range p.reach {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *ssa.Function) int {
		if a.Pos().IsValid() && b.Pos().IsValid() && a.Pos() != b.Pos() {
			return p.compare(a.Pos(), b.Pos())
		}
		return strings.Compare(a.String(), b.String())
	})
	return all
}

// checkRoot warns of what the root's caller has, and of results that cannot end with the arena.
func (p *program) checkRoot() {
	f := p.root.ssa
	for _, v := range f.Params {
		t := types.Unalias(v.Type())
		if q, ok := t.(*types.Pointer); ok {
			t = q.Elem()
		}
		if p.isOwned(t) {
			continue // the user says that it ends with the arena
		}
		p.source(f, v.Pos(), v.Type(), v.Name(), "parameter "+v.Name())
	}
	for v := range f.Signature.Results().Variables() {
		if f := functionIn(v.Type(), map[types.Type]bool{}); f != "" && p.capturing[f] {
			p.warn(p.root.ssa, p.root.decl.Pos(), "", "the result %s is or holds a function, which may capture memory of the arena", typeText(v.Type()))
		}
	}
}

// functionIn is the signature of a function that a type holds, or empty.
func functionIn(t types.Type, seen map[types.Type]bool) string {
	t = types.Unalias(t)
	if seen[t] {
		return ""
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return signature(u)
	case *types.Struct:
		for f := range u.Fields() {
			if s := functionIn(f.Type(), seen); s != "" {
				return s
			}
		}
	case *types.Map:
		return functionIn(u.Elem(), seen)
	case interface{ Elem() types.Type }:
		return functionIn(u.Elem(), seen)
	}
	return ""
}

// source warns of a value that existed before the call if the call writes to objects that it may lead to.
func (p *program) source(f *ssa.Function, pos token.Pos, t types.Type, token, what string) {
	if !p.bearing(t) {
		return
	}
	if w := p.written(t); w != "" {
		p.warn(f, pos, token, "%s may lead to objects that outlive the arena, and such are written to at %s", what, w)
	}
}

// carries reports whether a value may lead to the arena: by its type, or as a function that has captured such.
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
	case *ssa.Slice: // of arguments
		if a, ok := v.X.(*ssa.Alloc); ok && a.Comment == "varargs" {
			for _, r := range *a.Referrers() {
				if i, ok := r.(*ssa.IndexAddr); ok {
					for _, s := range *i.Referrers() {
						if s, ok := s.(*ssa.Store); ok && s.Addr == i && p.carriesIn(s.Val, seen) {
							return true
						}
					}
				}
			}
			return false
		}
	}
	return p.bearing(v.Type())
}

// base follows an address to what it begins in: a global, a local, or a pointer or slice. It also returns the
// structs that it passes.
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

func structOf(f *ssa.FieldAddr) types.Type {
	return types.Unalias(f.X.Type().Underlying().(*types.Pointer).Elem())
}

// place says why memory of the arena may not be stored at an address, and which token answers that, or nothing.
func (p *program) place(addr ssa.Value) (why, token string) {
	root, fields := base(addr)
	if g, ok := root.(*ssa.Global); ok {
		if p.trusted[g.Name()] {
			return "", ""
		}
		return "global " + g.Name(), g.Name()
	}
	for _, f := range fields {
		if p.isOwned(structOf(f)) {
			return "", "" // a part of what is owned
		}
	}
	if a, ok := root.(*ssa.Alloc); ok && (!a.Heap || len(fields) == 0 && addr == ssa.Value(a)) {
		return "", ""
	}
	var t types.Type
	switch {
	case len(fields) > 0:
		t = structOf(fields[len(fields)-1])
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

// heapOnly reports whether a function has nothing that may be in the arena: it does not take the arena, and no
// parameter or captured variable leads to owned values.
func (p *program) heapOnly(f *ssa.Function, text bool) bool {
	for g := f; g != nil; g = g.Parent() {
		if fn := p.bySSA[g]; fn != nil && fn.threaded {
			return false
		}
	}
	inside := func(t types.Type) bool {
		return p.bearing(t) || text && holdsText(t, map[types.Type]bool{})
	}
	return !slices.ContainsFunc(f.Params, func(v *ssa.Parameter) bool { return inside(v.Type()) }) &&
		!slices.ContainsFunc(f.FreeVars, func(v *ssa.FreeVar) bool { return inside(v.Type()) })
}

func (p *program) checkFunction(f *ssa.Function) {
	if p.heapOnly(f, false) {
		return
	}
	if p.outside[f] {
		for i, v := range f.Params {
			if f.Signature.Recv() == nil || i > 0 {
				p.source(f, v.Pos(), v.Type(), "", "parameter "+v.Name()+", which another package passes,")
			}
		}
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			p.checkInstruction(f, i)
		}
	}
}

func (p *program) checkInstruction(f *ssa.Function, i ssa.Instruction) {
	p.checkGlobals(f, i)
	switch i := i.(type) {
	case *ssa.Store:
		if p.carries(i.Val) {
			if why, token := p.place(i.Addr); why != "" {
				p.warn(f, i.Pos(), token, "%s is stored in a %s", typeText(i.Val.Type()), why)
			}
		}
	case *ssa.UnOp:
		switch {
		case i.Op != token.MUL:
		case isGlobal(i.X) && p.ofModule(i.X):
			p.source(f, i.Pos(), i.Type(), i.X.Name(), "global "+i.X.Name())
		case p.bearing(i.Type()):
			if why, token := p.place(i.X); why != "" && !isGlobal(i.X) {
				p.source(f, i.Pos(), i.Type(), token, "the "+why)
			}
		}
	case *ssa.FieldAddr:
		p.checkInterior(f, i)
	case *ssa.Send:
		if p.carries(i.X) {
			p.warn(f, i.Pos(), "", "%s is sent on a channel", typeText(i.X.Type()))
		}
	case *ssa.Select:
		for _, s := range i.States {
			if s.Send != nil && p.carries(s.Send) {
				p.warn(f, i.Pos(), "", "%s is sent on a channel", typeText(s.Send.Type()))
			}
		}
	case *ssa.Panic:
		if p.carries(i.X) {
			p.warn(f, i.Pos(), "", "panic with %s", typeText(i.X.Type()))
		}
	case *ssa.Convert:
		if b, ok := i.Type().Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer && p.bearing(i.X.Type()) {
			p.warn(f, i.Pos(), "", "%s becomes an unsafe.Pointer", typeText(i.X.Type()))
		}
		if b, ok := i.X.Type().Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer && p.bearing(i.Type()) {
			p.warn(f, i.Pos(), "", "an unsafe.Pointer becomes %s", typeText(i.Type()))
		}
	case ssa.CallInstruction:
		p.checkCall(f, i)
	}
}

func isGlobal(v ssa.Value) bool { _, ok := v.(*ssa.Global); return ok }

func (p *program) ofModule(v ssa.Value) bool {
	g := v.(*ssa.Global)
	return g.Pkg != nil && p.inModule(g.Pkg.Pkg) && !p.trusted[g.Name()]
}

// checkGlobals warns of globals whose address is used other than to load from it or store in it.
func (p *program) checkGlobals(f *ssa.Function, i ssa.Instruction) {
	var values []ssa.Value
	switch i := i.(type) {
	case *ssa.UnOp, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.DebugRef:
		if u, ok := i.(*ssa.UnOp); ok && u.Op == token.MUL && !isGlobal(u.X) { // a part of one
			if g, _ := base(u.X); isGlobal(g) && p.ofModule(g) {
				p.source(f, u.Pos(), u.Type(), g.Name(), "global "+g.Name())
			}
		}
		return
	case *ssa.Store:
		values = []ssa.Value{i.Val}
	default:
		for _, op := range i.Operands(nil) {
			values = append(values, *op)
		}
	}
	for _, v := range values {
		if v == nil {
			continue
		}
		if _, ok := v.Type().Underlying().(*types.Pointer); !ok {
			continue
		}
		if g, _ := base(v); isGlobal(g) && p.ofModule(g) {
			p.source(f, i.Pos(), v.Type(), g.Name(), "the address of global "+g.Name())
		}
	}
}

func (p *program) checkCall(f *ssa.Function, i ssa.CallInstruction) {
	c := i.Common()
	bears := ""
	for _, a := range c.Args {
		if p.carries(a) {
			bears = typeText(a.Type())
		}
	}
	if _, ok := i.(*ssa.Go); ok {
		if c.IsInvoke() && p.bearing(c.Value.Type()) || !c.IsInvoke() && p.carries(c.Value) {
			bears = "what it captures"
		}
		if bears != "" {
			p.warn(f, i.Pos(), "", "a goroutine gets %s, and may run after the root has returned", bears)
		}
		return
	}
	keep := func(token, who string) {
		if bears != "" {
			p.warn(f, i.Pos(), token, "%s may keep %s", who, bears)
		}
		if v := i.Value(); v != nil && !p.trusted[token] {
			p.source(f, i.Pos(), v.Type(), token, "the result of "+who)
		}
	}
	if c.IsInvoke() {
		m := c.Method
		if len(p.family[m]) > 0 || p.sealed(c.Value.Type()) || copiesArgument(m) || !m.Exported() && p.inModule(m.Pkg()) {
			return
		}
		if p.internal(c.Value.Type()) {
			return // an unexported interface, whose implementations are all of the module
		}
		keep(name(m), name(m)+", which other packages may implement,")
		return
	}
	switch g := c.StaticCallee(); {
	case g != nil && (g.Blocks != nil || g.Parent() != nil):
		return
	case g != nil:
		full := calleeName(g)
		if p.effectOf(full) == retains {
			keep(full, full)
		}
		return
	}
	switch v := c.Value.(type) {
	case *ssa.Builtin:
		switch v.Name() {
		case "StringData", "SliceData", "String", "Slice", "Add":
			keep("", "unsafe."+v.Name())
		}
	default:
		if s := signature(c.Value.Type()); p.open[s] {
			token := ""
			if v, ok := v.(*ssa.Parameter); ok {
				token = v.Name()
			}
			keep(token, "a function that another package may supply")
		}
	}
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
	switch u := types.Unalias(t).(type) {
	case *types.Named:
		return u == n
	case *types.Tuple:
		for v := range u.Variables() {
			if mentions(v.Type(), n) {
				return true
			}
		}
	case *types.Signature:
		return mentions(u.Params(), n) || mentions(u.Results(), n)
	case *types.Map:
		return mentions(u.Key(), n) || mentions(u.Elem(), n)
	case interface{ Elem() types.Type }:
		return mentions(u.Elem(), n)
	}
	return false
}
