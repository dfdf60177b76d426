package flow

import (
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// put stores v in an object and records the position.
func (f *function) put(st *state, k *Site, off string, parts []access.Leaf, v value, strong bool, pos token.Pos) {
	st.store(k, off, parts, v, strong)
	for _, e := range v {
		key := storeKey{k, off + e.path, e.a.Site}
		if _, ok := f.stored[key]; !ok && pos != token.NoPos {
			f.stored[key] = pos
		}
	}
	f.touch(st, v)
	if k.Kind == SymbolSite || strings.Contains(off, access.Element) {
		f.letGo(st, v)
	}
}

// putIn stores v at off of the objects of to, beside what is there.
func (f *function) putIn(st *state, to value, off string, v value, pos token.Pos) {
	for _, a := range to.atoms() {
		f.put(st, a.Site, a.off+off, nil, v, false, pos)
	}
}

// touch notes that others may write to v.
func (f *function) touch(st *state, v value) {
	if len(st.unread) == 0 {
		return
	}
	st.reach(v, func(a Atom, _ int) { delete(st.unread, a.Site) })
}

// letGo notes that others may put back the arenas that v leads to.
func (f *function) letGo(st *state, v value) {
	if len(st.open) == 0 {
		return
	}
	st.reach(v, func(a Atom, _ int) {
		if a.Region == nil {
			delete(st.open, a.Site)
		}
	})
}

// emptied forgets the elements and keys of v, a slice, a map or a pointer to an array of type t.
func (f *function) emptied(st *state, v value, t types.Type) {
	empty := func(step string, of types.Type) {
		for _, a := range v.atoms() {
			st.store(a.Site, a.off+step, access.Leaves(of), nil, true)
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		empty(access.Element, u.Elem())
	case *types.Map:
		empty(access.Element, u.Elem())
		empty(access.Key, u.Key())
	case *types.Pointer:
		if array, ok := u.Elem().Underlying().(*types.Array); ok {
			empty(access.Element, array.Elem())
		}
	}
}

// clobber forgets the contents of objects that unknown code may have changed.
func (f *function) clobber(st *state, v value) {
	for _, e := range v {
		k := e.a.Site
		for _, p := range st.parts(k) {
			stale := func(a Atom) bool { return a.Stale != nil }
			if slices.ContainsFunc(p.atoms, stale) {
				good := slices.DeleteFunc(slices.Clone(p.atoms), stale)
				st.set(k, p.off, union(good, k.initial(p.off)))
			}
		}
	}
}

// object returns a new object on Go's heap or stack.
func (f *function) object(st *state, v ssa.Value) value {
	k := f.site(v, "", LocalSite, v.Pos())
	k.typ = catalog.TypeName(access.TypeAlong(v.Type(), access.Deref))
	st.remake(k)
	return one(Atom{Site: k})
}

// holding returns a new object that holds v at off.
func (f *function) holding(st *state, call *ssa.Call, part, off string, v value) value {
	k := f.site(call, part, LocalSite, call.Pos())
	st.remake(k)
	st.store(k, off, nil, v, false)
	return one(Atom{Site: k})
}

// at returns the contents, of type t, at off of the objects of v.
func (f *function) at(st *state, v value, off string, t types.Type) value {
	var out value
	if t != nil {
		for _, a := range v.atoms() {
			out = out.union(st.load(a.Site, a.off+off, access.Leaves(t)))
		}
	}
	return out
}

// contents returns the elements of a slice, map or iterator.
func (f *function) contents(st *state, v value, t types.Type) value {
	elem, _ := access.Inside(t)
	return f.at(st, v, access.Element, elem)
}

// fill models maps.Copy and maps.Insert.
func (f *function) fill(st *state, instr ssa.CallInstruction, args []value) {
	from := instr.Common().Args[1].Type()
	elem, key := access.Inside(from)
	f.putIn(st, args[0], access.Element, f.at(st, args[1], access.Element, elem), f.position(instr))
	f.putIn(st, args[0], access.Key, f.at(st, args[1], access.Key, key), f.position(instr))
}

// reachOwn calls fn for everything that v leads to through objects of the function itself, and of the functions that it
// has called.
func (f *function) reachOwn(st *state, v value, fn func(Atom)) {
	st.reachBy(v, math.MaxInt, func(a Atom, p part) bool {
		_, result := a.Site.root.(ssa.Instruction)
		own := result || a.Site.Kind == LocalSite || a.Site.Kind == MemorySite
		return own && (a.Site.fn != nil || strings.HasPrefix(p.off, a.off))
	}, func(a Atom, _ int) { fn(a) })
}
