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

// findConcrete finds the types of the module that are no interfaces.
func (p *program) findConcrete() {
	seen := map[types.Type]bool{}
	add := func(x types.Type) {
		n, ok := types.Unalias(x).(*types.Named)
		if !ok || seen[n] || types.IsInterface(n) || n.TypeArgs() == nil && n.TypeParams() != nil || mentionsTypeParam(n) {
			return
		}
		seen[n] = true
		p.concrete = append(p.concrete, n)
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
	slices.SortFunc(p.concrete, func(a, b types.Type) int { return strings.Compare(a.String(), b.String()) })
}

// tabulate resolves the owned types and finds the types that lead to them.
func (p *program) tabulate() error {
	t := &typeTable{own: map[string]bool{}, capturing: map[string]bool{}, memo: map[types.Type]bool{}}
	p.typeTable = t
	known, short := map[string]bool{}, []string(nil)
	for _, x := range p.concrete {
		short = append(short, typeName(x))
		for _, name := range namesOf(x.(*types.Named).Obj()) {
			known[name] = true
		}
	}
	for _, name := range slices.Concat(p.Own, p.Carry) {
		if t.own[name] = true; !known[name] {
			return fmt.Errorf("convert: no type %s in the packages%s", name, meant(name, short))
		}
	}
	for _, x := range p.concrete {
		if p.isOwned(x) {
			t.owned = append(t.owned, x)
		}
	}
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

// settle finds the holders and capturing signatures, which depend on each other.
func (p *program) settle() {
	t := p.typeTable
	t.holders = slices.Clone(t.owned)
	for size := -1; size != len(t.holders)+len(t.capturing); {
		size = len(t.holders) + len(t.capturing)
		t.memo = map[types.Type]bool{}
		for _, x := range p.concrete {
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
	t.memo = map[types.Type]bool{}
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
	return slices.ContainsFunc(namesOf(n.Obj()), func(name string) bool { return p.own[name] })
}

// namesOf returns the names by which users name a type.
func namesOf(o *types.TypeName) []string {
	return []string{o.Name(), o.Pkg().Name() + "." + o.Name(), o.Pkg().Path() + "." + o.Name()}
}

// bearing reports whether a value of a type may lead to an owned value, and so to memory of the arena.
func (p *program) bearing(x types.Type) bool {
	x = types.Unalias(x)
	if b, ok := p.memo[x]; ok {
		return b
	}
	p.memo[x] = false // in a cycle the rest decides
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
	if p.memo[x] = b; !b {
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
