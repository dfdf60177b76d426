package convert

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

func (p *program) inModule(pkg *types.Package) bool { return pkg != nil && p.modules[pkg] }

// tabulate resolves the owned types and finds the types that lead to them.
func (p *program) tabulate() error {
	t := &typeTable{own: map[string]bool{}, capturing: map[string]bool{}, memo: map[types.Type]int{}, open: map[string]bool{}}
	p.typeTable = t
	seen := map[types.Type]bool{}
	add := func(x types.Type) {
		n, ok := types.Unalias(x).(*types.Named)
		if !ok || seen[n] || types.IsInterface(n) || n.TypeArgs() == nil && n.TypeParams() != nil || mentionsTypeParam(n) {
			return
		}
		seen[n] = true
		t.concrete = append(t.concrete, n)
	}
	for _, pkg := range p.pkgs {
		for _, d := range pkg.TypesInfo.Defs {
			if tn, ok := d.(*types.TypeName); ok && !tn.IsAlias() {
				add(tn.Type())
			}
		}
		for _, i := range pkg.TypesInfo.Instances {
			if n, ok := i.Type.(*types.Named); ok && p.inModule(n.Obj().Pkg()) {
				add(n)
			}
		}
	}
	slices.SortFunc(t.concrete, func(a, b types.Type) int { return strings.Compare(a.String(), b.String()) })
	for _, name := range slices.Concat(p.Own, p.Carry) {
		found := false
		for _, x := range t.concrete {
			n := x.(*types.Named).Obj()
			found = found || name == n.Name() || name == n.Pkg().Name()+"."+n.Name() || name == n.Pkg().Path()+"."+n.Name()
		}
		if !found {
			return fmt.Errorf("convert: no type %s in the packages%s", name, p.meantType(name))
		}
		t.own[name] = true
	}
	for _, x := range t.concrete {
		if p.isOwned(x) {
			t.owned = append(t.owned, x)
		}
	}
	p.findOpen()
	p.settle()
	return nil
}

// mentionsTypeParam reports whether an instance is one of a generic body.
func mentionsTypeParam(n *types.Named) bool {
	for i := range n.TypeArgs().Len() {
		if strings.Contains(fmt.Sprintf("%T", types.Unalias(n.TypeArgs().At(i))), "TypeParam") {
			return true
		}
	}
	return false
}

func (p *program) meantType(name string) string {
	name = strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	for _, x := range p.concrete {
		if distance(name, strings.ToLower(typeName(x))) <= len(name)/3+1 {
			return "; did you mean " + typeName(x) + "?"
		}
	}
	return ""
}

// settle finds the holders and capturing signatures, which depend on each other.
func (p *program) settle() {
	t := p.typeTable
	t.holders = slices.Clone(t.owned)
	for size := -1; size != len(t.holders)+len(t.capturing); {
		size = len(t.holders) + len(t.capturing)
		t.memo = map[types.Type]int{}
		for _, x := range t.concrete {
			if !slices.Contains(t.holders, x) && p.bearing(x) {
				t.holders = append(t.holders, x)
			}
		}
		for f := range p.reach {
			for mc := range closures(f) {
				for _, b := range mc.Bindings {
					if p.bearing(b.Type()) {
						t.capturing[signature(mc.Type())] = true
					}
				}
			}
		}
	}
	t.memo = map[types.Type]int{}
}

// signature returns a function type without its receiver, for comparison.
func signature(t types.Type) string {
	s, ok := t.Underlying().(*types.Signature)
	if !ok {
		return ""
	}
	params, results := types.NewTuple(unnamed(s.Params())...), types.NewTuple(unnamed(s.Results())...)
	return types.TypeString(types.NewSignatureType(nil, nil, nil, params, results, s.Variadic()), nil)
}

// unnamed returns the variables of a tuple without their names.
func unnamed(t *types.Tuple) (all []*types.Var) {
	for v := range t.Variables() {
		all = append(all, types.NewVar(0, nil, "", v.Type()))
	}
	return all
}

// isOwned reports whether the user named a type as one that ends with the arena.
func (p *program) isOwned(x types.Type) bool {
	n, ok := types.Unalias(x).(*types.Named)
	if !ok || !p.inModule(n.Obj().Pkg()) || types.IsInterface(n) {
		return false
	}
	o := n.Obj()
	return p.own[o.Name()] || p.own[o.Pkg().Name()+"."+o.Name()] || p.own[o.Pkg().Path()+"."+o.Name()]
}

// bearing reports whether a value of a type may lead to an owned value, and so to memory of the arena.
func (p *program) bearing(x types.Type) bool {
	x = types.Unalias(x)
	switch p.memo[x] {
	case 1:
		return true
	case 2:
		return false
	}
	p.memo[x] = 2 // in a cycle the rest decides
	b := false
	switch u := x.(type) {
	case *types.Named:
		switch {
		case p.isOwned(u):
			b = true
		case types.IsInterface(u):
			b = p.bearingInterface(u.Underlying().(*types.Interface))
		default:
			for i := range u.TypeArgs().Len() {
				b = b || p.bearing(u.TypeArgs().At(i))
			}
			b = b || p.holdsUnknown(u)
			if _, isStruct := u.Underlying().(*types.Struct); !isStruct || p.inModule(u.Obj().Pkg()) {
				b = b || p.bearing(u.Underlying())
			}
		}
	case *types.Interface:
		b = p.bearingInterface(u)
	case *types.Signature:
		b = p.capturing[signature(u)]
	case *types.TypeParam:
		b = true
	default:
		for part := range access.Parts(u) {
			b = b || p.bearing(part)
		}
	}
	p.memo[x] = 2
	if b {
		p.memo[x] = 1
	} else {
		delete(p.memo, x) // what a cycle hid may be found later
	}
	return b
}

// holdsUnknown reports whether a type of the standard library is a container of any value.
func (p *program) holdsUnknown(n *types.Named) bool {
	if len(p.owned) == 0 || n.Obj().Pkg() == nil {
		return false
	}
	switch n.Obj().Pkg().Path() + "." + n.Obj().Name() {
	case "sync.Map", "sync.Pool", "sync/atomic.Value", "container/list.List", "container/list.Element", "container/ring.Ring", "reflect.Value":
		return true
	}
	return false
}

func (p *program) bearingInterface(i *types.Interface) bool {
	return i.Empty() && len(p.holders)+len(p.capturing) > 0 ||
		slices.ContainsFunc(p.holders, func(h types.Type) bool { return implements(h, i) })
}

// implements reports whether t or a pointer to it implements i.
func implements(t types.Type, i *types.Interface) bool {
	return types.Implements(t, i) || types.Implements(types.NewPointer(t), i)
}

// findOpen finds the signatures of variables that may hold functions of other packages: functions that the module uses as
// values, parameters of the root, exported variables and fields, results of other packages, and, if there is a place to
// store them, parameters of exported functions.
func (p *program) findOpen() {
	stored := p.storedSignatures()
	seen := map[types.Type]bool{}
	open := func(s *types.Signature) { p.open[signature(s)] = true }
	var walk func(t types.Type, found func(*types.Signature))
	walk = func(t types.Type, found func(*types.Signature)) {
		t = types.Unalias(t)
		if seen[t] {
			return
		}
		seen[t] = true
		switch u := t.(type) {
		case *types.Named:
			if !p.inModule(u.Obj().Pkg()) {
				return
			}
			if s, ok := u.Underlying().(*types.Struct); ok {
				for f := range s.Fields() {
					if f.Exported() {
						walk(f.Type(), found)
					}
				}
				return
			}
			walk(u.Underlying(), found)
		case *types.Signature:
			found(u)
			walk(u.Params(), found)
			walk(u.Results(), found)
		case *types.Interface:
			for m := range u.Methods() {
				walk(m.Signature().Results(), found) // its implementation may be another package's
			}
		default:
			for part := range access.Parts(u) {
				walk(part, found)
			}
		}
	}
	walk(p.root.obj.Signature().Params(), open)
	if r := p.root.obj.Signature().Recv(); r != nil {
		walk(r.Type(), open)
	}
	for s, list := range p.taken {
		if slices.ContainsFunc(list, func(f *ssa.Function) bool { return f.Blocks == nil }) { // of other packages
			p.open[s] = true
		}
	}
	for _, t := range p.asserted { // in an interface
		if s, ok := t.Underlying().(*types.Signature); ok {
			open(s)
		}
	}
	for _, pkg := range p.pkgs {
		for _, name := range pkg.Types.Scope().Names() {
			switch o := pkg.Types.Scope().Lookup(name).(type) {
			case *types.Var:
				if o.Exported() {
					walk(o.Type(), open)
				}
			case *types.TypeName:
				if o.Exported() {
					walk(o.Type(), open)
				}
			}
		}
	}
	seen = map[types.Type]bool{}
	perhaps := func(s *types.Signature) {
		if stored[signature(s)] {
			open(s)
		}
	}
	for _, f := range p.order {
		if f.obj.Exported() {
			walk(f.obj.Signature().Params(), perhaps)
		}
	}
}

// storedSignatures returns the signatures of functions that a field, a variable of a package, an element or a
// closure may hold.
func (p *program) storedSignatures() map[string]bool {
	all := map[string]bool{}
	add := func(t types.Type) { all[functionIn(t)] = true }
	for _, pkg := range p.pkgs {
		for _, o := range pkg.TypesInfo.Defs {
			if v, ok := o.(*types.Var); ok && (v.IsField() || v.Parent() == pkg.Types.Scope()) {
				add(v.Type())
			}
		}
		for _, tv := range pkg.TypesInfo.Types {
			switch tv.Type.(type) {
			case *types.Slice, *types.Map, *types.Chan:
				add(tv.Type)
			}
		}
	}
	var visit func(f *ssa.Function)
	visit = func(f *ssa.Function) {
		for mc := range closures(f) {
			for _, b := range mc.Bindings {
				if a, ok := b.(*ssa.Alloc); ok && onlyClosures(a) {
					continue // a literal that calls itself
				}
				add(b.Type())
			}
		}
		for _, a := range f.AnonFuncs {
			visit(a)
		}
	}
	for f := range p.bySSA {
		visit(f)
	}
	return all
}

func onlyClosures(a *ssa.Alloc) bool {
	for _, r := range *a.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Addr == a {
			if _, ok := s.Val.(*ssa.MakeClosure); !ok {
				return false
			}
		}
	}
	return true
}

func closures(f *ssa.Function) func(yield func(*ssa.MakeClosure) bool) {
	return func(yield func(*ssa.MakeClosure) bool) {
		for i := range ssaform.Instructions(f) {
			if mc, ok := i.(*ssa.MakeClosure); ok && !yield(mc) {
				return
			}
		}
	}
}

// functionIn returns the signature of a function that a type holds, or "".
func functionIn(t types.Type) (s string) {
	access.Reaches(t, func(t types.Type) (found, enter bool) {
		if f, ok := t.Underlying().(*types.Signature); ok {
			s = signature(f)
		}
		return s != "", true
	})
	return s
}

// holdsText reports whether a type is, or leads to, a string, a slice of plain values or an interface.
func holdsText(t types.Type) bool { return leadsToText(t, true) }

func leadsToText(t types.Type, inStructs bool) bool {
	return access.Reaches(t, func(t types.Type) (found, enter bool) {
		switch u := t.Underlying().(type) {
		case *types.Basic:
			return u.Info()&types.IsString != 0, false
		case *types.Slice:
			if b, ok := u.Elem().Underlying().(*types.Basic); ok {
				return b.Kind() != types.UnsafePointer, false
			}
		case *types.Interface:
			return true, false
		case *types.Struct, *types.Chan:
			return false, inStructs
		}
		return false, true
	})
}
