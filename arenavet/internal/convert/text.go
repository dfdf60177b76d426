package convert

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/rewrite"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// flat reports whether a value of a type may be, or hold, a string or slice that has its own node in the graph. Structs
// are followed by field.
func flat(x types.Type) bool { return leadsToText(x, false) }

// mutable reports whether a store through one copy of a value is visible through other copies.
func mutable(x types.Type) bool {
	switch x.Underlying().(type) {
	case *types.Slice, *types.Pointer, *types.Map, *types.Interface:
		return true
	case *types.Array, *types.Tuple:
		for part := range access.Parts(x) {
			if mutable(part) {
				return true
			}
		}
	}
	return false
}

func (g *graph) edge(from, to any, t types.Type) {
	if !flat(t) {
		return
	}
	g.back[to] = append(g.back[to], from)
	_, isSink := to.(sink)
	if _, known := g.sunk[from]; isSink && !known {
		g.sunk[from] = g.now
	}
	if isSink || !mutable(t) {
		return
	}
	if s, ok := t.Underlying().(*types.Slice); ok {
		if _, ok := s.Elem().Underlying().(*types.Basic); ok {
			g.written[from] = append(g.written[from], to)
			return
		}
	}
	g.back[from] = append(g.back[from], to)
}

// keep has a value flow into the sink, with the fields of the structs that it leads to.
func (g *graph) keep(v ssa.Value) {
	g.edge(v, sink{}, v.Type())
	g.keepFields(v.Type())
	switch m := v.(type) {
	case *ssa.MakeInterface:
		g.keep(m.X)
	case *ssa.MakeClosure:
		for _, b := range m.Bindings {
			g.keep(b)
		}
	case *ssa.Slice:
		list, _ := variadic(m)
		for _, x := range list {
			g.keep(x)
		}
	}
}

// keepFields has the fields of the structs that a type leads to flow into the sink. An owned value that is kept is a
// warning.
func (g *graph) keepFields(x types.Type) {
	access.Reaches(x, func(x types.Type) (found, enter bool) {
		if s, ok := x.Underlying().(*types.Struct); ok && !g.p.isOwned(x) {
			for i := range s.NumFields() {
				g.edge(fieldNode(x, i), sink{}, s.Field(i).Type())
			}
		}
		return false, !g.p.isOwned(x)
	})
}

// field is a field of a struct type.
type field struct{ t, name string }

func fieldNode(t types.Type, i int) field {
	return field{types.TypeString(types.Unalias(t), nil), t.Underlying().(*types.Struct).Field(i).Name()}
}

func (p *program) findFlow() {
	g := &graph{p: p, back: map[any][]any{}, written: map[any][]any{}, kept: map[any]any{}, from: map[ssa.Value]map[any]bool{}, sunk: map[any]ssa.Instruction{}}
	p.flow = g
	for _, f := range p.functions {
		for i := range ssaform.Instructions(f) {
			g.now = i
			g.instruction(f, i)
		}
		g.now = nil
		if p.outside[f] || f == p.root.ssa {
			for _, v := range f.Params {
				if mutable(v.Type()) { // the caller's
					g.edge(v, sink{}, v.Type())
				}
			}
		}
		if p.outside[f] {
			for i := range f.Signature.Results().Len() {
				t := f.Signature.Results().At(i).Type()
				g.edge(result{f, i}, sink{}, t)
				g.keepFields(t)
			}
		}
	}
	queue := []any{sink{}}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, from := range slices.Concat(g.back[n], g.written[n]) {
			if _, ok := g.kept[from]; !ok {
				g.kept[from] = n
				queue = append(queue, from)
			}
		}
	}
}

// why returns where a value may flow into something that outlives the call, or "".
func (g *graph) why(v ssa.Value) string {
	next, ok := g.kept[v]
	if !ok {
		return ""
	}
	last := any(v)
	for next != any(sink{}) {
		last, next = next, g.kept[next]
	}
	text := ""
	if f, ok := last.(field); ok {
		text = "field " + f.t[strings.LastIndexAny(f.t, "/.")+1:] + "." + f.name + " "
	}
	i := g.sunk[last]
	if i == nil {
		if v, ok := last.(*ssa.Parameter); ok {
			text = "parameter " + v.Name() + " "
		}
		return text + "of a caller outside of the module"
	}
	switch i := i.(type) {
	case *ssa.Store:
		if v, _ := base(i.Addr); isGlobal(v) {
			return "global " + v.Name() + " (-trust " + v.Name() + ")"
		}
	case ssa.CallInstruction:
		c := i.Common()
		switch s := c.StaticCallee(); {
		case c.IsInvoke():
			text += "a call of " + name(c.Method) + " (-trust " + name(c.Method) + ")"
		case s != nil && !g.p.reach[s]:
			text += "a call of " + calleeName(s) + " (-trust " + calleeName(s) + ")"
		default:
			text += "a call"
		}
	case *ssa.Panic:
		text += "a panic"
	}
	at := i.Pos()
	for f := i.Parent(); !at.IsValid() && f != nil; f = f.Parent() {
		at = f.Pos()
	}
	return cmp.Or(strings.TrimSpace(text), "the code") + " at " + g.p.at(at)
}

// at returns the node of the value stored at an address.
func (g *graph) at(a ssa.Value) any {
	switch a := a.(type) {
	case *ssa.FieldAddr:
		t := rewrite.StructOf(a)
		if why, _ := g.p.place(a); why != "" {
			return sink{}
		}
		if isGlobalPart(a) {
			return sink{}
		}
		if !g.p.isOwned(t) && mutable(t.Underlying().(*types.Struct).Field(a.Field).Type()) && !g.p.insideOwned(a) {
			return sink{} // a copy of the struct may lead to the same
		}
		return fieldNode(t, a.Field)
	case *ssa.IndexAddr:
		if _, ok := a.X.Type().Underlying().(*types.Pointer); ok { // of an array
			return g.at(a.X)
		}
		return a.X
	case *ssa.Global:
		if g.p.trusted[a.Name()] {
			return a
		}
		return sink{}
	}
	return a
}

// structural reports whether a type is a struct that is not owned, or an array of such.
func (g *graph) structural(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return !g.p.isOwned(types.Unalias(t))
	case *types.Array:
		return g.structural(u.Elem())
	}
	return false
}

func (g *graph) instruction(f *ssa.Function, i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Store:
		g.store(i)
	case *ssa.UnOp:
		switch {
		case i.Op == token.MUL:
			if from := g.at(i.X); from != any(sink{}) {
				g.edge(from, i, i.Type())
			} else if mutable(i.Type()) { // what is written to it is kept
				g.edge(i, sink{}, i.Type())
			}
		case i.Op == token.ARROW:
			if mutable(i.Type()) {
				g.edge(i, sink{}, i.Type())
			}
		}
	case *ssa.FieldAddr, *ssa.IndexAddr:
		g.address(i.(ssa.Value))
	case *ssa.Field:
		g.edge(fieldNode(i.X.Type(), i.Field), i, i.Type())
		if mutable(i.Type()) && !g.p.isOwned(types.Unalias(i.X.Type())) {
			g.edge(i, sink{}, i.Type())
		}
	case *ssa.Index:
		g.edge(i.X, i, i.Type())
	case *ssa.Phi:
		for _, e := range i.Edges {
			g.edge(e, i, i.Type())
		}
	case *ssa.ChangeType:
		g.edge(i.X, i, i.Type())
		if t := i.Type(); !flat(t) { // the fields of two types
			g.keep(i.X)
			g.keepFields(t)
		}
	case *ssa.ChangeInterface:
		g.edge(i.X, i, i.Type())
	case *ssa.MakeInterface:
		g.makeInterface(i)
	case *ssa.TypeAssert:
		g.edge(i.X, i, i.AssertedType)
	case *ssa.Extract:
		g.edge(i.Tuple, i, i.Type())
	case *ssa.Slice:
		g.edge(i.X, i, i.Type())
	case *ssa.SliceToArrayPointer:
		g.edge(i.X, i, i.Type())
	case *ssa.BinOp:
		if i.Op == token.ADD {
			g.edge(i.X, i, i.Type())
			g.edge(i.Y, i, i.Type())
		}
	case *ssa.Lookup:
		g.edge(i.X, i, anyType)
	case *ssa.Range:
		g.edge(i.X, i, anyType)
	case *ssa.Next:
		g.edge(i.Iter, i, anyType)
	case *ssa.MapUpdate:
		g.edge(i.Key, i.Map, i.Key.Type())
		g.edge(i.Value, i.Map, i.Value.Type())
		for _, v := range []ssa.Value{i.Key, i.Value} {
			if g.structural(v.Type()) {
				g.keep(v)
			}
		}
	case *ssa.Convert:
		_, from := i.X.Type().Underlying().(*types.Slice)
		_, to := i.Type().Underlying().(*types.Slice)
		if from == to {
			g.edge(i.X, i, i.Type())
		}
		if b, ok := i.Type().Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer {
			g.keep(i.X)
		}
	case *ssa.Send:
		g.keep(i.X)
	case *ssa.Select:
		for _, s := range i.States {
			if s.Send != nil {
				g.keep(s.Send)
			}
		}
	case *ssa.Panic:
		g.keep(i.X)
	case *ssa.MakeClosure:
		for k, b := range i.Bindings {
			v := i.Fn.(*ssa.Function).FreeVars[k]
			g.edge(b, v, b.Type())
			if g.p.escapes(i, map[ssa.Value]bool{}) {
				g.keep(b)
			}
		}
	case *ssa.Return:
		for k, r := range i.Results {
			g.edge(r, result{f, k}, r.Type())
		}
	case ssa.CallInstruction:
		g.call(f, i)
	}
}

var anyType = types.NewInterfaceType(nil, nil)

func (g *graph) store(i *ssa.Store) {
	to := g.at(i.Addr)
	if to == any(sink{}) {
		g.keep(i.Val)
		return
	}
	if why, _ := g.p.place(i.Addr); why != "" {
		g.keep(i.Val)
		return
	}
	if g.structural(i.Val.Type()) { // only a local variable, or a part of something owned, may have a copy
		root, fields := base(i.Addr)
		_, local := root.(*ssa.Alloc)
		owned := slices.ContainsFunc(fields, func(f *ssa.FieldAddr) bool { return g.p.isOwned(rewrite.StructOf(f)) })
		if !owned && (!local || root != i.Addr && len(fields) == 0) {
			g.keep(i.Val)
		}
	}
	g.edge(i.Val, to, i.Val.Type())
}

// address connects an address that is passed on with the value at it.
func (g *graph) address(v ssa.Value) {
	n := g.at(v)
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr == v {
				continue
			}
		case *ssa.UnOp, *ssa.FieldAddr, *ssa.IndexAddr:
			continue
		}
		g.edge(v, n, v.Type())
	}
}

func (g *graph) makeInterface(i *ssa.MakeInterface) {
	if !flat(i.X.Type()) {
		if _, owned := derefOwned(g.p, i.X.Type()); !owned {
			g.keepFields(i.X.Type())
		}
		return
	}
	g.edge(i.X, i, anyType)
	n, ok := types.Unalias(i.X.Type()).(*types.Named)
	if !ok || !g.p.inModule(n.Obj().Pkg()) {
		return
	}
	set := g.p.prog.MethodSets.MethodSet(n)
	for k := range set.Len() {
		if m := g.p.prog.MethodValue(set.At(k)); m != nil && g.p.reach[m] && len(m.Params) > 0 {
			g.edge(i.X, m.Params[0], i.X.Type())
		}
	}
}

func derefOwned(p *program, t types.Type) (types.Type, bool) {
	t = types.Unalias(t)
	if q, ok := t.(*types.Pointer); ok {
		t = types.Unalias(q.Elem())
	}
	return t, p.isOwned(t)
}

func (g *graph) call(f *ssa.Function, i ssa.CallInstruction) {
	c := i.Common()
	if _, ok := i.(*ssa.Go); ok {
		g.keepAll(i)
		if mc, ok := c.Value.(*ssa.MakeClosure); ok {
			g.keep(mc)
		}
		return
	}
	callee := c.StaticCallee()
	b, isBuiltin := c.Value.(*ssa.Builtin)
	switch {
	case c.IsInvoke():
		iface := c.Value.Type().Underlying().(*types.Interface)
		for h := range g.p.reach {
			if h.Signature.Recv() != nil && h.Name() == c.Method.Name() && types.Implements(h.Signature.Recv().Type(), iface) {
				g.pass(h, append([]ssa.Value{c.Value}, c.Args...), i.Value())
			}
		}
	case isBuiltin:
		g.builtin(b.Name(), i)
	case callee == nil:
		for _, h := range g.p.taken[signature(c.Value.Type())] {
			g.pass(h, c.Args, i.Value())
		}
	case g.p.reach[callee]:
		g.pass(callee, c.Args, i.Value())
	default:
		g.library(calleeName(callee), i)
	}
	if who, _ := g.p.keeper(c); who != "" {
		g.keepAll(i)
	}
}

// pass connects arguments with a function's parameters, and its results with the call's.
func (g *graph) pass(h *ssa.Function, args []ssa.Value, v *ssa.Call) {
	for k, a := range args {
		if k < len(h.Params) {
			g.edge(a, h.Params[k], a.Type())
		}
	}
	if v == nil {
		return
	}
	if h.Signature.Results().Len() == 1 {
		g.edge(result{h, 0}, v, v.Type())
		return
	}
	for _, r := range *v.Referrers() {
		if e, ok := r.(*ssa.Extract); ok {
			g.edge(result{h, e.Index}, e, e.Type())
		}
	}
}

// keepAll has all arguments of a call flow into the sink. The results may belong to the callee.
func (g *graph) keepAll(i ssa.CallInstruction) {
	c := i.Common()
	for _, a := range c.Args {
		g.keep(a)
	}
	v := i.Value()
	if v == nil {
		return
	}
	if mutable(v.Type()) {
		g.edge(v, sink{}, v.Type())
	}
	for _, r := range *v.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && mutable(e.Type()) {
			g.edge(e, sink{}, e.Type())
		}
	}
}

func (g *graph) builtin(name string, i ssa.CallInstruction) {
	c, v := i.Common(), i.Value()
	switch name {
	case "append":
		g.edge(c.Args[0], v, v.Type())
		if len(c.Args) < 2 {
			return
		}
		s := v.Type().Underlying().(*types.Slice)
		if flat(s.Elem()) {
			g.edge(c.Args[1], v, s.Elem())
		}
		if g.structural(s.Elem()) {
			g.keepFields(s.Elem())
		}
	case "copy":
		if s, ok := c.Args[0].Type().Underlying().(*types.Slice); ok {
			if flat(s.Elem()) {
				g.edge(c.Args[1], c.Args[0], s.Elem())
			}
			if g.structural(s.Elem()) {
				g.keepFields(s.Elem())
			}
		}
	case "min", "max":
		for _, a := range c.Args {
			g.edge(a, v, v.Type())
		}
	}
}

// library connects the arguments of a function of another package.
func (g *graph) library(full string, i ssa.CallInstruction) {
	c, v := i.Common(), i.Value()
	eff := g.p.effectOf(full)
	if eff == retains {
		return // see keeper
	}
	for _, a := range c.Args { // what functions among the arguments get
		if _, ok := a.Type().Underlying().(*types.Signature); !ok {
			continue
		}
		for _, h := range g.p.taken[signature(a.Type())] {
			for _, x := range h.Params {
				for _, b := range c.Args {
					if flat(b.Type()) {
						g.edge(b, x, anyType)
					}
				}
			}
		}
	}
	if eff == copies || v == nil {
		return
	}
	if !flatResults(c.Signature().Results()) {
		g.keepAll(i) // it may hold an argument
		return
	}
	for _, a := range c.Args {
		if !flat(a.Type()) {
			continue
		}
		t := types.Type(types.Typ[types.String])
		if mutable(v.Type()) {
			t = anyType
		}
		g.edge(a, v, t)
	}
}

// flatResults reports whether the graph follows all of a function's results, or they hold nothing.
func flatResults(r *types.Tuple) bool {
	for v := range r.Variables() {
		if _, basic := v.Type().Underlying().(*types.Basic); !basic && !flat(v.Type()) {
			return false
		}
	}
	return true
}

// measures says that a call depends on a capacity.
func (p *program) measures(c *ssa.Call) string {
	return "slice whose capacity may matter at " + p.at(c.Pos()) + " (-trust " + declaring(c.Parent()) + ")"
}

// roomy returns where the code depends on the capacity of the slice v, or "".
func (g *graph) roomy(v ssa.Value) string {
	for _, c := range g.p.slices.Roomy(v.Type().Underlying().(*types.Slice)) {
		base := rewrite.Measured(c)
		if g.from[base] == nil {
			from := map[any]bool{base: true}
			for queue := []any{base}; len(queue) > 0; queue = queue[1:] {
				for _, n := range g.back[queue[0]] {
					if !from[n] {
						from[n] = true
						queue = append(queue, n)
					}
				}
			}
			g.from[base] = from
		}
		if g.from[base][v] {
			return g.p.measures(c)
		}
	}
	return ""
}

// textStays returns why a string or flat slice, which f allocates at a position, stays on the heap, or "" if it reaches
// nothing that outlives the root.
func (p *program) textStays(f *function, kind siteKind, at token.Pos) string {
	v := rewrite.ValueAt(f.ssa, at)
	if v == nil {
		return "string that was not found in SSA form"
	}
	if why := p.flow.why(v); why != "" {
		return "string or slice that may outlive the call, by " + why
	}
	switch kind {
	case siteBytes, siteCall: // whose result gets another capacity
		if isBytes(v.Type()) {
			return p.flow.roomy(v)
		}
	}
	return ""
}

func isBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && types.Identical(s.Elem(), types.Typ[types.Byte])
}
