package life

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// typeGraph knows which types of objects lead to which, going by the types alone.
type typeGraph struct {
	next       map[string][]string
	interfaces map[string]*types.Interface
	held       map[string]map[string]bool // by interface: types of objects that lie in it
	concrete   map[string]types.Type      // types that a program puts into interfaces, or finds there
	parts      map[string]map[string]bool // by object: types of its parts, which no pointer leads to
	paths      map[string]map[string]bool // by object: where its parts are
	seen       map[string]bool
	closures   map[string][]types.Type
	memo       map[string]map[string]bool
	errors     map[string]bool // of pointers that are errors
}

func newTypeGraph(functions []*ssa.Function) *typeGraph {
	g := &typeGraph{
		next: map[string][]string{}, interfaces: map[string]*types.Interface{}, held: map[string]map[string]bool{}, concrete: map[string]types.Type{},
		parts: map[string]map[string]bool{}, paths: map[string]map[string]bool{}, seen: map[string]bool{}, closures: map[string][]types.Type{}, memo: map[string]map[string]bool{}, errors: map[string]bool{},
	}
	for _, fn := range functions {
		for _, v := range fn.FreeVars {
			k := key(fn.Signature)
			g.closures[k] = append(g.closures[k], v.Type())
			g.visit(v.Type())
		}
		for _, v := range fn.Params {
			g.visit(v.Type())
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.MakeInterface:
					g.put(i.X.Type())
				case *ssa.TypeAssert: // another module may have put one there
					if !types.IsInterface(i.AssertedType) {
						g.put(i.AssertedType)
					}
				}
				if v, ok := i.(ssa.Value); ok {
					g.visit(v.Type())
				}
			}
		}
	}
	for k, list := range g.closures {
		for _, t := range list {
			g.next[k] = append(g.next[k], g.keys(t)...)
		}
	}
	for _, t := range g.concrete {
		if _, isPointer := t.Underlying().(*types.Pointer); isPointer && types.Implements(t, errorType) {
			g.errors[key(t)] = true
		}
	}
	for k, i := range g.interfaces {
		g.held[k] = map[string]bool{}
		for _, t := range g.concrete {
			if types.Implements(t, i) {
				if !types.Identical(i, errorType) { // what lies in those lives for long in any case
					g.next[k] = append(g.next[k], g.keys(t)...)
				}
				for _, in := range g.keys(t) {
					g.held[k][in] = true
				}
			}
		}
	}
	return g
}

// put notes that a value of a type may lie in an interface.
func (g *typeGraph) put(t types.Type) {
	g.concrete[nameOf(t)] = t
	g.visit(t)
}

func (g *typeGraph) keys(t types.Type) (all []string) {
	for _, l := range leaves(t) {
		all = append(all, key(l.typ))
	}
	return all
}

func (g *typeGraph) visit(t types.Type) {
	for _, l := range leaves(t) {
		k, name := key(l.typ), nameOf(l.typ) // a variable of a slice or map has the key of what that leads to
		if g.seen[name] {
			continue
		}
		g.seen[name] = true
		if _, ok := g.next[k]; !ok {
			g.next[k] = nil
		}
		var to []types.Type
		switch u := l.typ.Underlying().(type) {
		case *types.Pointer:
			to = append(to, u.Elem())
			g.divide(k, u.Elem())
			if _, isFunc := u.Elem().Underlying().(*types.Signature); !isFunc { // whose key closures may have, too
				g.locate(k, "", u.Elem())
			}
		case *types.Slice:
			to = append(to, u.Elem())
			g.divide(k, types.NewArray(u.Elem(), 0))
			g.locate(k, "", types.NewArray(u.Elem(), 0))
		case *types.Map:
			to = append(to, u.Key(), u.Elem())
			g.locate(k, "k", u.Key())
			g.locate(k, "v", u.Elem())
		case *types.Chan:
			to = append(to, u.Elem())
			g.locate(k, "v", u.Elem())
		case *types.Interface:
			g.interfaces[k] = u
		}
		for _, t := range to {
			g.next[k] = append(g.next[k], g.keys(t)...)
			g.visit(t)
		}
	}
}

// divide notes the parts of an object.
func (g *typeGraph) divide(object string, t types.Type) {
	part := func(t types.Type) {
		if g.parts[object] == nil {
			g.parts[object] = map[string]bool{}
		}
		g.parts[object][nameOf(t)] = true
		g.divide(object, t)
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for v := range u.Fields() {
			part(v.Type())
		}
	case *types.Array:
		part(u.Elem())
	}
}

// locate notes where the parts of an object are.
func (g *typeGraph) locate(object, path string, t types.Type) {
	if g.paths[object] == nil {
		g.paths[object] = map[string]bool{}
	}
	if path == "*" {
		return
	}
	g.paths[object][path] = true
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for v := range u.Fields() {
			g.locate(object, join(path, "."+v.Name()), v.Type())
		}
	case *types.Array:
		g.locate(object, join(path, "[]"), u.Elem())
	}
}

// has reports whether an object of a type may have a part at a path.
func (g *typeGraph) has(object, path string) bool {
	all, known := g.paths[object]
	return unknown(object) || path == "" || path == "*" || !known || all[path]
}

// within are the types of the objects that a value of a type may lead to, those that lie in errors with them; nil
// where any may.
func (g *typeGraph) within(t types.Type) map[string]bool {
	all := map[string]bool{}
	for _, l := range leaves(t) {
		for todo := []string{key(l.typ)}; len(todo) > 0; {
			k := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if k == "" {
				return nil
			}
			if all[k] {
				continue
			}
			all[k] = true
			todo = append(todo, g.next[k]...)
			for in := range g.held[k] {
				todo = append(todo, in)
			}
		}
	}
	return all
}

// reaches reports whether an object of one type may lead to one of another.
func (g *typeGraph) reaches(from, to string) bool {
	if from == "" || to == "" || from == to {
		return true
	}
	return g.from(from)[to]
}

// leads reports whether an object of one type may lead to another object, which is of one.
func (g *typeGraph) leads(from, to string) bool {
	if from == "" || to == "" {
		return true
	}
	for _, k := range g.next[from] {
		if k == "" || g.from(k)[to] {
			return true
		}
	}
	return false
}

// shared reports whether what a reference of one type leads to may be what one of another does, by an
// interface that has it: of unknown types that is not known.
func (g *typeGraph) shared(a, b string) bool {
	if !unknown(a) {
		a, b = b, a
	}
	in, known := g.held[a]
	if !unknown(b) {
		return unknown(a) && (!known || in[b])
	}
	other, alsoKnown := g.held[b]
	if !known || !alsoKnown {
		return true
	}
	for k := range in {
		if other[k] {
			return true
		}
	}
	return false
}

// from are the types of what an object of a type may lead to, with that.
func (g *typeGraph) from(from string) map[string]bool {
	all := g.memo[from]
	if all == nil {
		all = map[string]bool{}
		g.memo[from] = all
		todo := []string{from}
		for len(todo) > 0 {
			k := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if all[k] {
				continue
			}
			all[k] = true
			todo = append(todo, g.next[k]...)
		}
	}
	return all
}
