package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// arena.Append grows a slice in place more often than append does, and to another capacity. It means the same only if
// the old slice, the base, is not used afterwards, if no other slice shares the memory that it writes, and if no other
// append depends on the capacity.

// Slices answers questions about the slices that Functions use.
type Slices struct {
	Functions []*ssa.Function
	Trusted   func(*ssa.Call) bool   // a call does not depend on a capacity, although it may; may be nil
	roomy     map[string][]*ssa.Call // by type of the elements
}

// Appendable returns the reason why arena.Append may not replace an append, or "". call is the SSA form of c, parent the
// node around c.
func (p *Slices) Appendable(info *types.Info, c *ast.CallExpr, parent ast.Node, call *ssa.Call) string {
	if call == nil {
		return "append without an SSA form"
	}
	if why := p.Growable(call); why != "" {
		return why
	}
	from := ast.Unparen(c.Args[0])
	if s, ok := from.(*ast.SliceExpr); ok && s.Max == nil {
		if id, ok := s.X.(*ast.Ident); ok {
			from = id
		}
	}
	place := field{}
	base, _ := Base(call)
	if load, ok := base.(*ssa.UnOp); ok && load.Op == token.MUL {
		place = placeOf(load.X)
	}
	switch b := from.(type) {
	case *ast.CallExpr: // []T(nil)
		if info.Types[b.Fun].IsType() && len(b.Args) == 1 && info.Types[b.Args[0]].IsNil() {
			return ""
		}
		return "append to a result"
	case *ast.CompositeLit: // nothing else has it
		return ""
	case *ast.SelectorExpr:
		if s := info.Selections[b]; s == nil || s.Kind() != types.FieldVal {
			return "append to a global"
		}
		if place.t == "" {
			return "append to a field of a copy"
		}
	case *ast.Ident:
		if v, ok := info.ObjectOf(b).(*types.Var); !ok || v.Parent() == v.Pkg().Scope() {
			return "append to a global"
		}
		if place.captured == nil {
			return chainAppendable(call)
		}
	default:
		return "append to another expression than a variable"
	}
	as, ok := parent.(*ast.AssignStmt)
	if !ok || len(as.Lhs) != 1 || types.ExprString(as.Lhs[0]) != types.ExprString(from) {
		return "append whose base lives on"
	}
	if place.t != "" && localAppendable(base.(*ssa.UnOp).X.(*ssa.FieldAddr), call) {
		return ""
	}
	return p.fieldAppendable(place, SliceOf(call.Type()).Elem())
}

// localAppendable reports whether an append replaces the slice in a field of a local struct, all of whose slices were made
// by such appends. The struct may be copied if no append follows.
func localAppendable(f *ssa.FieldAddr, call *ssa.Call) bool {
	v, ok := f.X.(*ssa.Alloc)
	return ok && !slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.FieldAddr:
			return r.Field == f.Field && slices.ContainsFunc(*r.Referrers(), func(u ssa.Instruction) bool {
				switch u := u.(type) {
				case *ssa.UnOp:
					return !onlyRead(u)
				case *ssa.Store:
					c, ok := u.Val.(*ssa.Call)
					return u.Addr != r || !ok || !appendsToField(c)
				}
				return true
			})
		case *ssa.UnOp:
			return mayFollow(r, call)
		case *ssa.Store: // of a literal that does not set the field
			if _, zero := r.Val.(*ssa.Const); zero {
				return false
			}
			l, ok := r.Val.(*ssa.UnOp)
			return r.Addr != v || !ok || !isLiteral(l.X) || slices.ContainsFunc(*l.X.Referrers(), func(r ssa.Instruction) bool {
				set, ok := r.(*ssa.FieldAddr)
				return ok && set.Field == f.Field
			})
		}
		return true
	})
}

// onlyRead reports whether a slice is measured, read, or appended to.
func onlyRead(s ssa.Value) bool {
	return !slices.ContainsFunc(*s.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.IndexAddr:
			c := &chain{}
			c.element(r)
			return len(c.changes)+len(c.given) > 0
		case *ssa.Call:
			b, ok := r.Call.Value.(*ssa.Builtin)
			_, appends := Base(r)
			return !appends && (!ok || b.Name() != "len")
		}
		return true
	})
}

// captured returns the local variable whose address is addr if function literals capture it, or nil. addr may be in the
// function that declares the variable or in one of the literals.
func captured(addr ssa.Value) *ssa.Alloc {
	switch v := addr.(type) {
	case *ssa.Alloc:
		for _, r := range *v.Referrers() {
			if _, ok := r.(*ssa.MakeClosure); ok {
				return v
			}
		}
	case *ssa.FreeVar:
		f := v.Parent()
		if f.Parent() == nil { // of a method value
			return nil
		}
		for _, r := range *f.Referrers() { // one literal: all of its values capture one variable
			if mc, ok := r.(*ssa.MakeClosure); ok {
				return captured(mc.Bindings[slices.Index(f.FreeVars, v)])
			}
		}
	}
	return nil
}

// Growable returns the reason why a slice may not be made with another capacity, or "". A program can see the capacity
// with cap, and by an append whose base lives on, because the base shares memory with a result that fits in it.
func (p *Slices) Growable(made ssa.Value) string {
	t := firstType(made)
	s := SliceOf(t)
	if s == nil {
		return "slice of a type parameter"
	}
	calls := p.Roomy(s)
	if len(calls) == 0 {
		return ""
	}
	if b, ok := calls[0].Call.Value.(*ssa.Builtin); ok && b.Name() == "cap" {
		return "slice of a type whose capacity is asked for"
	}
	return "slice of a type that is appended to while the old slice lives on"
}

// firstType returns the type of a value, or of a call's first result.
func firstType(v ssa.Value) types.Type {
	if list, ok := v.Type().(*types.Tuple); ok && list.Len() > 0 {
		return list.At(0).Type()
	}
	return v.Type()
}

// Roomy returns the calls that depend on the capacity of a slice with the elements of s: cap, and appends whose base may
// be used afterwards.
func (p *Slices) Roomy(s *types.Slice) (all []*ssa.Call) {
	key := types.TypeString(s.Elem(), nil)
	if all, ok := p.roomy[key]; ok {
		return all
	}
	for i := range ssaform.Instructions(p.Functions...) {
		c, ok := i.(*ssa.Call)
		if !ok {
			continue
		}
		v := Measured(c)
		if v == nil || !sameElem(v, s.Elem()) || p.Trusted != nil && p.Trusted(c) {
			continue
		}
		if b, ok := c.Call.Value.(*ssa.Builtin); ok && b.Name() == "cap" || p.basePersists(c, v) {
			all = append(all, c)
		}
	}
	if p.roomy == nil {
		p.roomy = map[string][]*ssa.Call{}
	}
	p.roomy[key] = all
	return all
}

// Measured returns the slice whose capacity a call may depend on: the argument of cap, and the base of an append, also of
// an append by a function without source. Otherwise it returns nil.
func Measured(c *ssa.Call) ssa.Value {
	if b, ok := c.Call.Value.(*ssa.Builtin); ok && b.Name() == "cap" {
		return c.Call.Args[0]
	}
	if base, ok := Base(c); ok {
		return base
	}
	if v, appends := sharedBy(c); appends {
		return v
	}
	return nil
}

// sharedBy returns the slice with which the result of a function without source may share memory, or nil, and whether the
// function may append to that slice. Such a function is of another package, a variable, or a method of an interface.
func sharedBy(c *ssa.Call) (v ssa.Value, appends bool) {
	appends = true
	if g := c.Call.StaticCallee(); g != nil {
		name := catalog.CalleeName(catalog.Origin(g))
		switch is := catalog.ResultOf(name, &c.Call).Is; {
		case g.Syntax() != nil || arenaFunction(c) != "" || name == "slices.Clip": // which leaves no spare capacity
			return nil, false
		case is == catalog.Grown || is == catalog.GrownBy:
		case is == catalog.Same:
			appends = false
		case is != 0 || catalog.PackageOf(name) == "slices" || catalog.PackageOf(name) == "bytes":
			return nil, false
		}
	}
	for _, a := range c.Call.Args {
		if types.Identical(a.Type(), firstType(c)) && SliceOf(a.Type()) != nil {
			return a, appends
		}
	}
	return nil, false
}

// sameElem reports whether v is a slice with elements of type elem.
func sameElem(v ssa.Value, elem types.Type) bool {
	t := SliceOf(v.Type())
	return t != nil && types.Identical(t.Elem(), elem)
}

// basePersists reports whether the base of an append may be used after it.
func (p *Slices) basePersists(c *ssa.Call, base ssa.Value) bool {
	for v := range ancestors(base, true) {
		if v != c && liveAfter(v, c) {
			return true
		}
		switch d := v.(type) {
		case *ssa.Parameter:
			if p.passedAlive(d) {
				return true
			}
		case *ssa.UnOp, *ssa.Lookup:
			if !storedBack(c, v) || p.shared(v, c) {
				return true
			}
		case *ssa.Call:
			g := d.Call.StaticCallee()
			if _, isAppend := Base(d); isAppend || arenaFunction(d) != "" || g != nil && g.Syntax() == nil && catalog.IsStandard(catalog.PackageOf(catalog.CalleeName(catalog.Origin(g)))) {
				continue
			}
			if _, builtin := d.Call.Value.(*ssa.Builtin); !builtin && !Fresh(d) {
				return true
			}
		case *ssa.Index, *ssa.Field, *ssa.Extract, *ssa.TypeAssert, *ssa.FreeVar:
			return true
		}
	}
	return false
}

// shared reports whether a slice that was loaded from a place, and to which c appends, may also be in another place.
func (p *Slices) shared(loaded ssa.Value, c *ssa.Call) bool {
	load, ok := loaded.(*ssa.UnOp)
	if !ok {
		return true
	}
	if a, ok := load.X.(*ssa.Alloc); ok && captured(a) == nil {
		return false
	}
	if f, ok := load.X.(*ssa.FieldAddr); ok && localAppendable(f, c) {
		return false
	}
	fd := placeOf(load.X)
	return fd == field{} || p.fieldUses(fd).shared != ""
}

// storedBack reports whether the result of an append replaces the base in the variable, field or map that base was loaded
// from. Local variables that do not escape count as replaced.
func storedBack(c *ssa.Call, base ssa.Value) bool {
	if load, ok := base.(*ssa.UnOp); ok {
		if a, ok := load.X.(*ssa.Alloc); ok && !a.Heap {
			return true
		}
	}
	for _, r := range *c.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if load, ok := base.(*ssa.UnOp); ok && pathTo(r.Addr) == pathTo(load.X) {
				return true
			}
		case *ssa.MapUpdate:
			if l, ok := base.(*ssa.Lookup); ok && pathTo(l.X) == pathTo(r.Map) && pathTo(l.Index) == pathTo(r.Key) {
				return true
			}
		}
	}
	return false
}

// pathTo returns a string that is equal for equal expressions.
func pathTo(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.UnOp:
		return v.Op.String() + pathTo(v.X)
	case *ssa.FieldAddr:
		return fmt.Sprint(pathTo(v.X), ".", v.Field)
	case *ssa.IndexAddr:
		return pathTo(v.X) + "[" + pathTo(v.Index) + "]"
	case *ssa.Lookup:
		return pathTo(v.X) + "[" + pathTo(v.Index) + "]"
	case *ssa.Const:
		return v.String()
	}
	return fmt.Sprintf("%p", v)
}

// passedAlive reports whether a function may be called with a slice that the caller uses afterwards.
func (p *Slices) passedAlive(d *ssa.Parameter) bool {
	f := d.Parent()
	for i := range ssaform.Instructions(p.Functions...) {
		c, ok := i.(ssa.CallInstruction)
		if !ok || !mayCall(c.Common(), f) {
			continue
		}
		args := c.Common().Args
		n := slices.Index(f.Params, d) + len(args) - len(f.Params) // without the receiver of a method of an interface
		if n < 0 {
			return true
		}
		for v := range ancestors(args[n], true) {
			_, isLoad := v.(*ssa.UnOp)
			if call := c.Value(); liveAfter(v, c) || isLoad && (call == nil || !storedBack(call, v)) {
				return true
			}
		}
	}
	return false
}

// mayCall reports whether a call may run f, by its callee, or by the type of a function that is not known.
func mayCall(c *ssa.CallCommon, f *ssa.Function) bool {
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return false
	}
	if g := c.StaticCallee(); g != nil {
		return g == f || f.Object() != nil && catalog.Origin(g).Object() == f.Object()
	}
	return (c.Method == nil || c.Method.Name() == f.Name()) && types.Identical(c.Signature(), f.Signature)
}

// Base returns the first argument of an append, of the builtin or of arena.Append.
func Base(c *ssa.Call) (ssa.Value, bool) {
	if b, ok := c.Call.Value.(*ssa.Builtin); ok {
		if b.Name() != "append" {
			return nil, false
		}
		return c.Call.Args[0], true
	}
	if arenaFunction(c) == "Append" {
		return c.Call.Args[1], true
	}
	return nil, false
}

// arenaFunction returns the name of the function of package arena that c calls, or "".
func arenaFunction(c *ssa.Call) string {
	if g := c.Call.StaticCallee(); g != nil {
		if name, ok := strings.CutPrefix(catalog.CalleeName(catalog.Origin(g)), catalog.ArenaPath+"."); ok {
			return name
		}
	}
	return ""
}

// onlyReads reports whether a function of another package does not write to the slices that it is given.
func onlyReads(g *ssa.Function) bool {
	if g == nil {
		return false
	}
	switch catalog.PackageOf(catalog.CalleeName(catalog.Origin(g))) {
	case "strings", "fmt", catalog.ArenaPath:
		return true
	}
	return false
}

// makesSlice lists the functions of package arena that return a new slice.
var makesSlice = map[string]bool{"MakeSlice": true, "MakeSliceUninit": true, "SliceOf": true, "CloneSlice": true, "Collect": true, "ReadAll": true, "Arena.AllocBytes": true}

// CallAt returns the call in f, or in its function literals, whose parenthesis is at a position, or nil.
func CallAt(f *ssa.Function, at token.Pos) *ssa.Call {
	c, _ := ValueAt(f, at).(*ssa.Call)
	return c
}

// ValueAt returns the value of an operation in f, or in its function literals, or nil.
func ValueAt(f *ssa.Function, at token.Pos) ssa.Value {
	if f == nil {
		return nil
	}
	for i := range ssaform.Instructions(f) {
		switch v := i.(type) {
		case *ssa.Convert, *ssa.BinOp, *ssa.Call, *ssa.MakeSlice, *ssa.Slice: // make with a constant length is a slice of an array
			if v.Pos() == at {
				return v.(ssa.Value)
			}
		}
	}
	for _, a := range f.AnonFuncs {
		if v := ValueAt(a, at); v != nil {
			return v
		}
	}
	return nil
}

func fieldOf(fa *ssa.FieldAddr) field {
	return field{t: types.TypeString(StructOf(fa), nil), i: fa.Field}
}

// placeOf returns the field or captured variable at an address, or the zero field.
func placeOf(addr ssa.Value) field {
	if fa, ok := addr.(*ssa.FieldAddr); ok {
		return fieldOf(fa)
	}
	if a := captured(addr); a != nil {
		return field{captured: a}
	}
	return field{}
}

// field is field i of struct type t, or a variable that function literals capture.
type field struct {
	t        string
	i        int
	captured *ssa.Alloc
}

// StructOf returns the type of the struct whose field has an address.
func StructOf(f *ssa.FieldAddr) types.Type {
	return types.Unalias(f.X.Type().Underlying().(*types.Pointer).Elem())
}

// chain is a slice with the slices that are made from it by appends and slice expressions.
type chain struct {
	values  map[ssa.Value]bool
	old     []ssa.Value       // first slices that existed before
	changes []ssa.Instruction // appends and writes of elements
	given   []ssa.Instruction // uses that may pass it on
}

// chainOf returns the chain of v. With backward set, it also has the slices that v is made from.
func chainOf(v ssa.Value, backward bool) *chain {
	c := &chain{values: map[ssa.Value]bool{}}
	c.add(v, backward)
	return c
}

func (c *chain) add(v ssa.Value, back bool) {
	if c.values[v] {
		return
	}
	if k, ok := v.(*ssa.Const); ok && k.IsNil() {
		return
	}
	c.values[v] = true
	if back {
		switch d := v.(type) {
		case *ssa.Phi:
			for _, e := range d.Edges {
				c.add(e, true)
			}
		case *ssa.Call:
			if base, ok := Base(d); ok {
				c.add(base, true)
			} else if !makesSlice[arenaFunction(d)] {
				c.old = append(c.old, v)
			}
		case *ssa.MakeSlice:
		case *ssa.ChangeType:
			c.add(d.X, true)
		case *ssa.Slice:
			if a, ok := d.X.(*ssa.Alloc); ok && (a.Comment == "slicelit" || a.Comment == "makeslice") {
				break
			}
			if _, ok := d.X.Type().Underlying().(*types.Slice); ok {
				c.add(d.X, true)
			} else {
				c.old = append(c.old, v)
			}
		default:
			c.old = append(c.old, v)
		}
	}
	if v.Referrers() == nil {
		return
	}
	for _, r := range *v.Referrers() {
		c.use(v, r, back)
	}
}

// use adds instruction r, which uses v.
func (c *chain) use(v ssa.Value, r ssa.Instruction, back bool) {
	switch r := r.(type) {
	case *ssa.Phi:
		c.add(r, back)
	case *ssa.Slice:
		c.add(r, back)
	case *ssa.ChangeType:
		c.add(r, back)
	case *ssa.BinOp: // with nil
	case *ssa.IndexAddr:
		c.element(r)
	case *ssa.Call:
		if base, ok := Base(r); ok && base == v {
			c.changes = append(c.changes, r)
			c.add(r, back)
			return
		}
		b, ok := r.Call.Value.(*ssa.Builtin)
		if !ok {
			c.given = append(c.given, r)
			return
		}
		switch b.Name() {
		case "append": // of the elements
		case "copy", "clear":
			if r.Call.Args[0] == v {
				c.changes = append(c.changes, r)
			}
		case "len":
		default: // such as cap
			c.given = append(c.given, r)
		}
	default:
		c.given = append(c.given, r)
	}
}

// element adds the uses of the address of an element.
func (c *chain) element(a ssa.Value) {
	for _, u := range *a.Referrers() {
		switch u := u.(type) {
		case *ssa.UnOp:
		case *ssa.FieldAddr:
			c.element(u)
		case *ssa.IndexAddr:
			c.element(u)
		case *ssa.Store:
			c.changes = append(c.changes, u)
			if u.Addr != a {
				c.given = append(c.given, u)
			}
		default: // the address is passed on
			c.changes = append(c.changes, u)
			c.given = append(c.given, u)
		}
	}
}

// chainAppendable is Appendable for a local variable. The function must make the slice, must not use the base after an
// append, and must not change the slice after it was passed on.
func chainAppendable(call *ssa.Call) string {
	base, _ := Base(call)
	c := chainOf(base, true)
	if len(c.old) > 0 {
		return "append to a slice that was not made here"
	}
	for v := range ancestors(base, false) {
		if v != call && liveAfter(v, call) { // call is the new slice
			return "append whose base lives on"
		}
	}
	for _, i := range c.given {
		for _, j := range c.changes {
			if mayFollow(i, j) {
				return "append after the slice was passed on"
			}
		}
	}
	return ""
}

// ancestors returns the values that may share memory with slice v. With roomy set, it returns only the values whose spare
// capacity v may have.
func ancestors(v ssa.Value, roomy bool) map[ssa.Value]bool {
	all := map[ssa.Value]bool{}
	var add func(v ssa.Value)
	add = func(v ssa.Value) {
		if _, ok := v.(*ssa.Const); ok || all[v] {
			return
		}
		all[v] = true
		switch d := v.(type) {
		case *ssa.Phi:
			for _, e := range d.Edges {
				add(e)
			}
		case *ssa.Slice:
			if _, ok := d.X.(*ssa.Alloc); !ok && (d.Max == nil || !roomy) {
				add(d.X)
			}
		case *ssa.ChangeType:
			add(d.X)
		case *ssa.Call:
			if base, ok := Base(d); ok {
				add(base)
			} else if shared, _ := sharedBy(d); shared != nil {
				add(shared)
			}
		}
	}
	add(v)
	return all
}

// liveAfter reports whether v may be used after instruction i, before v is computed again.
func liveAfter(v ssa.Value, i ssa.Instruction) bool {
	uses := map[ssa.Instruction]bool{}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Phi: // it reads v at the end of a block before it
			for e, x := range r.Edges {
				if b := r.Block().Preds[e]; x == v && r != v {
					uses[b.Instrs[len(b.Instrs)-1]] = true
				}
			}
			continue
		case *ssa.Call:
			if b, ok := r.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
				continue
			}
		}
		uses[r] = true
	}
	return follows(i, func(x ssa.Instruction) (found, stop bool) {
		d, _ := x.(ssa.Value)
		return uses[x], d == v
	})
}

// mayFollow reports whether j may run after i in one call.
func mayFollow(i, j ssa.Instruction) bool {
	return i.Parent() != j.Parent() || follows(i, func(x ssa.Instruction) (found, stop bool) { return x == j, false })
}

// follows reports whether visit finds an instruction that may run after i. A path ends where visit returns stop.
func follows(i ssa.Instruction, visit func(ssa.Instruction) (found, stop bool)) bool {
	seen := map[*ssa.BasicBlock]bool{}
	var walk func(b *ssa.BasicBlock, rest []ssa.Instruction) bool
	walk = func(b *ssa.BasicBlock, rest []ssa.Instruction) bool {
		for _, x := range rest {
			if found, stop := visit(x); found || stop {
				return found
			}
		}
		for _, s := range b.Succs {
			if !seen[s] {
				seen[s] = true
				if walk(s, s.Instrs) {
					return true
				}
			}
		}
		return false
	}
	return walk(i.Block(), i.Block().Instrs[indexOf(i)+1:])
}

// indexOf returns the place of an instruction in its block.
func indexOf(i ssa.Instruction) int { return slices.Index(i.Block().Instrs, i) }

// fieldUse says how Functions use a field whose type is a slice.
type fieldUse struct {
	shared string // reason why an append to the field may not be rewritten
	lent   bool   // the old slice may be used after an append
	popped bool   // the slice is shortened
}

// fieldAppendable is Appendable for x.F = append(x.F, ...). Each object must have a slice of its own. If the old slice
// may be read after an append, no function may write elements of such slices.
func (p *Slices) fieldAppendable(fd field, elem types.Type) string {
	u := p.fieldUses(fd)
	if u.shared != "" {
		return u.shared
	}
	if !u.lent {
		return ""
	}
	if u.popped {
		return "append to a field that is shortened while its old slice may be in use"
	}
	if p.elementsWritten(elem) {
		return "append to a field whose old slice may be in use while elements are written"
	}
	return ""
}

func (p *Slices) fieldUses(fd field) (u fieldUse) {
	if fd.captured != nil {
		u.address(fd.captured, fd)
		return u
	}
	for i := range ssaform.Instructions(p.Functions...) {
		switch i := i.(type) {
		case *ssa.UnOp:
			if i.Op == token.MUL && holdsStruct(i.Type(), fd.t) && !isLiteral(i.X) {
				u.shared = "append to a field of a struct that is copied"
			}
		case *ssa.Field:
			if types.TypeString(types.Unalias(i.X.Type()), nil) == fd.t && i.Field == fd.i {
				u.shared = "append to a field of a struct that is copied"
			}
		case *ssa.FieldAddr:
			if fieldOf(i) == fd {
				u.address(i, fd)
			}
		}
	}
	return u
}

// address adds the uses of an address of the field or captured variable.
func (u *fieldUse) address(addr ssa.Value, fd field) {
	for _, r := range *addr.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp:
			u.load(r, fd)
		case *ssa.Store:
			if r.Val == addr {
				u.shared = "append to a field whose address is used"
			} else {
				u.store(addr, r, fd)
			}
		case *ssa.MakeClosure:
			f := r.Fn.(*ssa.Function)
			for k, b := range r.Bindings {
				if b == addr {
					u.address(f.FreeVars[k], fd)
				}
			}
		default:
			u.shared = "append to a field whose address is used"
		}
	}
}

// isLiteral reports whether v is the address of a composite literal, which is copied once.
func isLiteral(v ssa.Value) bool {
	a, ok := v.(*ssa.Alloc)
	return ok && a.Comment == "complit"
}

// holdsStruct reports whether a value of type t is, or has a part that is, a struct with a type name.
func holdsStruct(t types.Type, name string) bool {
	return access.Reaches(t, func(t types.Type) (found, enter bool) {
		switch t.Underlying().(type) {
		case *types.Struct, *types.Array:
			enter = true
		}
		return types.TypeString(t, nil) == name, enter
	})
}

// load adds the uses of a slice that is loaded from the field.
func (u *fieldUse) load(l *ssa.UnOp, fd field) {
	for _, i := range chainOf(l, false).given {
		if s, ok := i.(*ssa.Store); ok {
			if placeOf(s.Addr) == fd {
				continue // see store
			}
		}
		u.lent = true
	}
	for _, r := range *l.Referrers() { // when the field may have another slice
		if r.Block() != l.Block() {
			u.lent = true
			continue
		}
		for k := indexOf(l) + 1; k < indexOf(r); k++ {
			switch x := l.Block().Instrs[k].(type) {
			case *ssa.Call:
				if _, ok := x.Call.Value.(*ssa.Builtin); !ok {
					u.lent = true
				}
			case *ssa.Store:
				if placeOf(x.Addr) == fd {
					u.lent = true
				}
			}
		}
	}
}

// store adds a store of a slice to the field: a new slice, or the field's own with more or fewer elements.
func (u *fieldUse) store(to ssa.Value, s *ssa.Store, fd field) {
	c := chainOf(s.Val, true)
	again := false // a value may be of the last iteration of a loop, whose object is another
	for v := range c.values {
		phi, ok := v.(*ssa.Phi)
		again = again || ok && mayFollow(phi, phi)
	}
	for _, o := range c.old {
		if l, ok := o.(*ssa.UnOp); ok && placeOf(l.X) == fd && !(again && madeAgain(to)) && sameHolder(l.X, to) {
			continue
		}
		u.shared = "append to a field that also gets slices from elsewhere"
	}
	for v := range c.values {
		if _, ok := v.(*ssa.Slice); ok && len(c.old) > 0 {
			u.popped = true
		}
	}
	if len(c.old) > 0 {
		return
	}
	if slices.ContainsFunc(c.given, func(i ssa.Instruction) bool { return i != s }) {
		u.shared = "append to a field whose slice is also stored elsewhere"
	}
	for _, j := range c.changes {
		if mayFollow(s, j) && j.Block() != s.Block() || j.Block() == s.Block() && indexOf(s) < indexOf(j) {
			u.shared = "append to a field whose slice is changed after it was stored"
		}
	}
}

// sameHolder reports whether two addresses are of the same field of the same object, or of one captured variable.
func sameHolder(x, y ssa.Value) bool {
	a, ok := x.(*ssa.FieldAddr)
	if !ok {
		return x == y
	}
	b, ok := y.(*ssa.FieldAddr)
	return ok && sameObject(a.X, b.X)
}

// madeAgain reports whether the object that holds an address may be another one in the next iteration of a loop.
func madeAgain(addr ssa.Value) bool {
	if fa, ok := addr.(*ssa.FieldAddr); ok {
		addr = fa.X
	}
	i, ok := addr.(ssa.Instruction)
	return ok && mayFollow(i, i)
}

// sameObject reports whether two pointers are equal: one value, or loads from one place without a change in between.
func sameObject(x, y ssa.Value) bool {
	if x == y {
		return true
	}
	a, ok := x.(*ssa.UnOp)
	if !ok {
		return false
	}
	b, ok := y.(*ssa.UnOp)
	if !ok || a.Op != token.MUL || b.Op != token.MUL || a.Block() != b.Block() || !sameAddress(a.X, b.X) {
		return false
	}
	from, to := indexOf(a), indexOf(b)
	for _, i := range a.Block().Instrs[min(from, to):max(from, to)] {
		switch i := i.(type) {
		case *ssa.Store, *ssa.MapUpdate, *ssa.Send, *ssa.Defer, *ssa.Go:
			return false
		case *ssa.Call:
			if _, ok := i.Call.Value.(*ssa.Builtin); !ok {
				return false
			}
		}
	}
	return true
}

func sameAddress(x, y ssa.Value) bool {
	if x == y {
		return true
	}
	a, ok := x.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	b, ok := y.(*ssa.FieldAddr)
	return ok && a.Field == b.Field && sameObject(a.X, b.X)
}

// elementsWritten reports whether Functions may write elements of slices of a type, except of slices that they have just
// made, or may append to such slices, except to a field.
func (p *Slices) elementsWritten(elem types.Type) bool {
	same := func(v ssa.Value) bool { return sameElem(v, elem) }
	for i := range ssaform.Instructions(p.Functions...) {
		switch i := i.(type) {
		case *ssa.IndexAddr:
			c := &chain{}
			if same(i.X) && !Fresh(i.X) {
				c.element(i)
			}
			if len(c.changes) > 0 {
				return true
			}
		case *ssa.Call:
			if base, ok := Base(i); ok && same(base) && !Fresh(base) && !appendsToField(i) {
				return true
			}
			if b, ok := i.Call.Value.(*ssa.Builtin); ok {
				if (b.Name() == "copy" || b.Name() == "clear") && same(i.Call.Args[0]) && !Fresh(i.Call.Args[0]) {
					return true
				}
			} else if g := i.Call.StaticCallee(); (g == nil || g.Blocks == nil) && !onlyReads(g) { // such as sort.Slice
				if slices.ContainsFunc(i.Call.Args, func(a ssa.Value) bool { return same(ssaform.Unboxed(a)) }) {
					return true
				}
			}
		}
	}
	return false
}

// appendsToField reports whether an append replaces the slice of the field or captured variable that its base was loaded
// from.
func appendsToField(a *ssa.Call) bool {
	base, _ := Base(a)
	l, ok := base.(*ssa.UnOp)
	if !ok || placeOf(l.X) == (field{}) {
		return false
	}
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if placeOf(r.Addr) != placeOf(l.X) || !sameHolder(l.X, r.Addr) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// Fresh reports whether a function has made the object that v leads to, by itself or by a call of a function that returns
// a new one.
func Fresh(v ssa.Value) bool { return freshIn(v, map[ssa.Value]bool{}) }

func freshIn(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice:
		return true
	case *ssa.Const:
		return v.Value == nil
	case *ssa.Phi:
		for _, e := range v.Edges {
			if !freshIn(e, seen) {
				return false
			}
		}
		return true
	case *ssa.Slice:
		return freshIn(v.X, seen)
	case *ssa.ChangeType:
		return freshIn(v.X, seen)
	case *ssa.UnOp: // of a local variable
		a, ok := v.X.(*ssa.Alloc)
		if !ok || v.Op != token.MUL {
			return false
		}
		for _, r := range *a.Referrers() {
			switch r := r.(type) {
			case *ssa.Store:
				if r.Addr != a || !freshIn(r.Val, seen) {
					return false
				}
			case *ssa.UnOp:
			default:
				return false
			}
		}
		return true
	case *ssa.FreeVar:
		f := v.Parent()
		if f.Parent() == nil {
			return false
		}
		for i := range ssaform.Instructions(f.Parent()) {
			if mc, ok := i.(*ssa.MakeClosure); ok && mc.Fn == f && !freshIn(mc.Bindings[slices.Index(f.FreeVars, v)], seen) {
				return false
			}
		}
		return true
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok {
			return b.Name() == "append" && freshIn(v.Call.Args[0], seen)
		}
		g := v.Call.StaticCallee()
		if g == nil || g.Blocks == nil || v.Call.Signature().Results().Len() != 1 {
			return false
		}
		for _, b := range g.Blocks {
			r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
			if !ok {
				continue
			}
			switch x := r.Results[0].(type) {
			case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice:
			case *ssa.Const:
				if x.Value != nil {
					return false
				}
			default:
				return false
			}
		}
		return true
	}
	return false
}
