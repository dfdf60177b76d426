package convert

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// arena.Append grows a slice in place more often than append does. That is the same only if the old slice, the base,
// is not used afterwards, and nothing else has its memory and reads what is then written there.

// appendable says why an append may mean something else in an arena, or nothing.
func (p *program) appendable(f *function, c *ast.CallExpr, parents []ast.Node) string {
	info := f.pkg.TypesInfo
	from := ast.Unparen(c.Args[0])
	call := callAt(f.ssa, c.Lparen)
	if call == nil {
		return "append that was not found in SSA form"
	}
	switch b := from.(type) {
	case *ast.CallExpr: // []T(nil)
		if info.Types[b.Fun].IsType() && len(b.Args) == 1 && info.Types[b.Args[0]].IsNil() {
			return ""
		}
		return "append to a result"
	case *ast.CompositeLit: // nothing else has it
		return ""
	case *ast.Ident, *ast.SelectorExpr:
	default:
		return "append to another expression than a variable"
	}
	as, ok := parents[len(parents)-1].(*ast.AssignStmt)
	if !ok || len(as.Lhs) != 1 || p.text(as.Lhs[0]) != p.text(from) {
		return "append whose base lives on"
	}
	if sel, ok := from.(*ast.SelectorExpr); ok {
		if s := info.Selections[sel]; s == nil || s.Kind() != types.FieldVal {
			return "append to a global"
		}
		load, ok := call.Call.Args[0].(*ssa.UnOp)
		if !ok {
			return "append to a field of a copy"
		}
		fa, ok := load.X.(*ssa.FieldAddr)
		if !ok {
			return "append to a field of a copy"
		}
		return p.fieldAppendable(fieldOf(fa))
	}
	v, ok := info.ObjectOf(from.(*ast.Ident)).(*types.Var)
	if !ok || v.Parent() == f.pkg.Types.Scope() {
		return "append to a global"
	}
	return chainAppendable(call)
}

// callAt finds the call of a builtin or function whose parenthesis is at a position.
func callAt(f *ssa.Function, at token.Pos) *ssa.Call {
	if f == nil {
		return nil
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(*ssa.Call); ok && c.Pos() == at {
				return c
			}
		}
	}
	for _, a := range f.AnonFuncs {
		if c := callAt(a, at); c != nil {
			return c
		}
	}
	return nil
}

func fieldOf(fa *ssa.FieldAddr) field { return field{types.TypeString(structOf(fa), nil), fa.Field} }

func isAppend(i any) (*ssa.Call, bool) {
	c, ok := i.(*ssa.Call)
	if !ok {
		return nil, false
	}
	b, ok := c.Call.Value.(*ssa.Builtin)
	return c, ok && b.Name() == "append"
}

// chain is what one slice becomes by appends and slicing.
type chain struct {
	values  map[ssa.Value]bool
	old     []ssa.Value       // what it begins with, unless that is new
	changes []ssa.Instruction // appends and writes of elements
	given   []ssa.Instruction // uses that may give it away
}

// chainOf follows a slice forward, and backward if wanted.
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
			if _, ok := isAppend(d); ok {
				c.add(d.Call.Args[0], true)
			} else {
				c.old = append(c.old, v)
			}
		case *ssa.MakeSlice:
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

// use classifies one use of a value of the chain.
func (c *chain) use(v ssa.Value, r ssa.Instruction, back bool) {
	switch r := r.(type) {
	case *ssa.Phi:
		c.add(r, back)
	case *ssa.Slice:
		c.add(r, back)
	case *ssa.DebugRef:
	case *ssa.BinOp: // with nil
	case *ssa.IndexAddr:
		c.element(r)
	case *ssa.Call:
		b, ok := r.Call.Value.(*ssa.Builtin)
		if !ok {
			c.given = append(c.given, r)
			return
		}
		switch b.Name() {
		case "append":
			if r.Call.Args[0] == v {
				c.changes = append(c.changes, r)
				c.add(r, back)
			}
		case "copy", "clear":
			if r.Call.Args[0] == v {
				c.changes = append(c.changes, r)
			}
		case "len":
		default: // cap, too: it may differ
			c.given = append(c.given, r)
		}
	default:
		c.given = append(c.given, r)
	}
}

// element classifies the uses of an element's address.
func (c *chain) element(a ssa.Value) {
	for _, u := range *a.Referrers() {
		switch u := u.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.FieldAddr:
			c.element(u)
		case *ssa.IndexAddr:
			c.element(u)
		case *ssa.Store:
			c.changes = append(c.changes, u)
			if u.Addr != a {
				c.given = append(c.given, u)
			}
		default: // its address is passed on
			c.changes = append(c.changes, u)
			c.given = append(c.given, u)
		}
	}
}

// chainAppendable says why an append to a local variable may mean something else. The slice must be made here, its
// base must be dead after each append, and once it was given away nothing may change it.
func chainAppendable(call *ssa.Call) string {
	c := chainOf(call.Call.Args[0], true)
	if len(c.old) > 0 {
		return "append to a slice that was not made here"
	}
	for v := range ancestors(call.Call.Args[0]) {
		if v != call && liveAfter(v, call) { // after it, call is the new slice
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

// ancestors are the values whose memory a slice may have.
func ancestors(v ssa.Value) map[ssa.Value]bool {
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
			if _, ok := d.X.(*ssa.Alloc); !ok {
				add(d.X)
			}
		case *ssa.Call:
			if _, ok := isAppend(d); ok {
				add(d.Call.Args[0])
			}
		}
	}
	add(v)
	return all
}

// liveAfter reports whether v may be used after an instruction, before it is made anew.
func liveAfter(v ssa.Value, i ssa.Instruction) bool {
	uses := map[ssa.Instruction]bool{}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.Phi:
			continue
		case *ssa.Call: // its length alone
			if b, ok := r.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
				continue
			}
		}
		uses[r] = true
	}
	seen := map[*ssa.BasicBlock]bool{}
	var from func(b *ssa.BasicBlock, k int) bool
	from = func(b *ssa.BasicBlock, k int) bool {
		for ; k < len(b.Instrs); k++ {
			if d, ok := b.Instrs[k].(ssa.Value); ok && d == v {
				return false
			}
			if uses[b.Instrs[k]] {
				return true
			}
		}
		for _, s := range b.Succs {
			for _, in := range s.Instrs {
				phi, ok := in.(*ssa.Phi)
				if !ok {
					break
				}
				for e, pred := range s.Preds {
					if pred == b && phi.Edges[e] == v && phi != v {
						return true
					}
				}
			}
			if !seen[s] {
				seen[s] = true
				if from(s, 0) {
					return true
				}
			}
		}
		return false
	}
	b := i.Block()
	return from(b, indexOf(b, i)+1)
}

func indexOf(b *ssa.BasicBlock, i ssa.Instruction) int {
	for k, x := range b.Instrs {
		if x == i {
			return k
		}
	}
	return -1
}

// mayFollow reports whether j may run after i in one call.
func mayFollow(i, j ssa.Instruction) bool {
	if i.Parent() != j.Parent() {
		return true
	}
	if i.Block() == j.Block() && indexOf(i.Block(), i) < indexOf(j.Block(), j) {
		return true
	}
	seen := map[*ssa.BasicBlock]bool{}
	var from func(b *ssa.BasicBlock) bool
	from = func(b *ssa.BasicBlock) bool {
		for _, s := range b.Succs {
			if s == j.Block() {
				return true
			}
			if !seen[s] {
				seen[s] = true
				if from(s) {
					return true
				}
			}
		}
		return false
	}
	return from(i.Block())
}

// fieldUse records how the reached functions use one slice field.
type fieldUse struct {
	shared string // why an append to it is left, whatever else is done
	lent   bool   // its slice may be used after an append
	popped bool
}

// fieldAppendable says why x.F = append(x.F, ...) may mean something else. Each object must have a slice of its own.
// If what it had before an append may still be read, nothing may write elements of such slices.
func (p *program) fieldAppendable(fd field) string {
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
	if p.elementsWritten(fd) {
		return "append to a field whose old slice may be in use while elements are written"
	}
	return ""
}

func (p *program) fieldUses(fd field) (u fieldUse) {
	for f := range p.reach {
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
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
					if fieldOf(i) != fd {
						continue
					}
					for _, r := range *i.Referrers() {
						switch r := r.(type) {
						case *ssa.UnOp:
							p.fieldLoad(r, fd, &u)
						case *ssa.Store:
							if r.Val == i {
								u.shared = "append to a field whose address is used"
							} else {
								p.fieldStore(i, r, fd, &u)
							}
						case *ssa.DebugRef:
						default:
							u.shared = "append to a field whose address is used"
						}
					}
				}
			}
		}
	}
	return u
}

// isLiteral reports whether an address is that of a composite literal, which is copied once.
func isLiteral(v ssa.Value) bool {
	a, ok := v.(*ssa.Alloc)
	return ok && a.Comment == "complit"
}

func holdsStruct(t types.Type, name string) bool {
	if types.TypeString(types.Unalias(t), nil) == name {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if holdsStruct(f.Type(), name) {
				return true
			}
		}
	case *types.Array:
		return holdsStruct(u.Elem(), name)
	}
	return false
}

// fieldLoad looks at the uses of a field's slice.
func (p *program) fieldLoad(l *ssa.UnOp, fd field, u *fieldUse) {
	for _, i := range chainOf(l, false).given {
		if s, ok := i.(*ssa.Store); ok {
			if a, ok := s.Addr.(*ssa.FieldAddr); ok && fieldOf(a) == fd {
				continue // fieldStore looks at it
			}
		}
		u.lent = true
	}
	for _, r := range *l.Referrers() { // used where the field may have another slice
		if _, ok := r.(*ssa.DebugRef); ok {
			continue
		}
		if r.Block() != l.Block() {
			u.lent = true
			continue
		}
		for k := indexOf(l.Block(), l) + 1; k < indexOf(l.Block(), r); k++ {
			switch x := l.Block().Instrs[k].(type) {
			case *ssa.Call:
				if _, ok := x.Call.Value.(*ssa.Builtin); !ok {
					u.lent = true
				}
			case *ssa.Store:
				if a, ok := x.Addr.(*ssa.FieldAddr); ok && fieldOf(a) == fd {
					u.lent = true
				}
			}
		}
	}
}

// fieldStore looks at what becomes a field's slice: a new one, or the field's own with more or fewer elements.
func (p *program) fieldStore(to *ssa.FieldAddr, s *ssa.Store, fd field, u *fieldUse) {
	c := chainOf(s.Val, true)
	for _, o := range c.old {
		l, ok := o.(*ssa.UnOp)
		if ok {
			if fa, isField := l.X.(*ssa.FieldAddr); isField && fieldOf(fa) == fd && sameObject(fa.X, to.X) {
				continue
			}
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
	for _, g := range c.given { // a new slice that something else has, too
		if g != s {
			u.shared = "append to a field whose slice is stored elsewhere, too"
		}
	}
	for _, j := range c.changes {
		if mayFollow(s, j) && j.Block() != s.Block() || j.Block() == s.Block() && indexOf(s.Block(), s) < indexOf(j.Block(), j) {
			u.shared = "append to a field whose slice is changed after it was stored"
		}
	}
}

// sameObject reports whether two pointers are one, or are loaded from one place with nothing between that could change
// it.
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
	from, to := indexOf(a.Block(), a), indexOf(b.Block(), b)
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

// elementsWritten reports whether the reached functions write elements of slices such as the field's, other than of
// slices that they have just made, or append to them other than to a field.
func (p *program) elementsWritten(fd field) bool {
	var elem types.Type
	for f := range p.reach {
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				if fa, ok := i.(*ssa.FieldAddr); ok && fieldOf(fa) == fd {
					if s, ok := fa.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Slice); ok {
						elem = s.Elem()
					}
				}
			}
		}
	}
	if elem == nil {
		return true
	}
	same := func(v ssa.Value) bool {
		s, ok := v.Type().Underlying().(*types.Slice)
		return ok && types.Identical(s.Elem(), elem)
	}
	for f := range p.reach {
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.IndexAddr:
					if !same(i.X) || p.fresh(i.X) {
						continue
					}
					c := &chain{}
					c.element(i)
					if len(c.changes) > 0 {
						return true
					}
				case *ssa.Call:
					if a, ok := isAppend(i); ok && same(a.Call.Args[0]) && !p.fresh(a.Call.Args[0]) && !appendsToField(a) {
						return true
					}
					if b, ok := i.Call.Value.(*ssa.Builtin); ok && (b.Name() == "copy" || b.Name() == "clear") && same(i.Call.Args[0]) && !p.fresh(i.Call.Args[0]) {
						return true
					}
					if g := i.Call.StaticCallee(); i.Call.IsInvoke() || g == nil || g.Blocks == nil { // sort.Slice and such
						if _, ok := i.Call.Value.(*ssa.Builtin); ok {
							continue
						}
						for _, a := range i.Call.Args {
							if m, ok := a.(*ssa.MakeInterface); ok {
								a = m.X
							}
							if same(a) {
								return true
							}
						}
					}
				}
			}
		}
	}
	return false
}

// appendsToField reports whether an append's base is loaded from a field that the result is stored in.
func appendsToField(a *ssa.Call) bool {
	l, ok := a.Call.Args[0].(*ssa.UnOp)
	if !ok {
		return false
	}
	from, ok := l.X.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			to, ok := r.Addr.(*ssa.FieldAddr)
			if !ok || fieldOf(to) != fieldOf(from) || !sameObject(to.X, from.X) {
				return false
			}
		default:
			return false
		}
	}
	return true
}
