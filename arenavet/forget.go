package arenavet

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// What a function empties, and what nothing leads to any more, holds nothing:
// otherwise memory that was taken back would seem to be used by code that has
// let go of it before. Where one object stands for several, all of them count
// as emptied. That hides mistakes, but reports none where there is none.

// cutToNothing says whether v is x[:0], the same memory without elements.
// x[:0:0] is not: who appends to that asks for a copy, and reads x later.
func cutToNothing(v *ssa.Slice) bool {
	high, ok := v.High.(*ssa.Const)
	return ok && high.Int64() == 0 && v.Max == nil
}

// emptied forgets the elements of v, a slice, a map or a pointer to an array
// of type t, and the keys of a map.
func (f *function) emptied(st *state, v value, t types.Type) {
	empty := func(step string, of types.Type) {
		for _, a := range v.atoms() {
			st.store(a.site, a.off+step, leaves(of), nil, true)
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		empty(element, u.Elem())
	case *types.Map:
		empty(element, u.Elem())
		empty(keyStep, u.Key())
	case *types.Pointer:
		if array, ok := u.Elem().Underlying().(*types.Array); ok {
			empty(element, array.Elem())
		}
	}
}

// empties says whether w is what emptied does, seen by a caller: elements or
// keys that are overwritten on every path, and with nothing.
func (w *Write) empties() bool {
	within := w.To.Path[strings.LastIndex(w.To.Path, deref)+len(deref):] // the object that the last pointer leads to
	return w.Strong && len(w.From) == 0 && (strings.Contains(within, element) || strings.Contains(within, keyStep))
}
