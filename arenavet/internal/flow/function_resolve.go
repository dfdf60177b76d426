package flow

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// resolve returns the value at a callee's place.
func (f *function) resolve(st *state, instr ssa.CallInstruction, p Place, args []value) value {
	var v value
	switch {
	case p.Global != "":
		g := f.c.global(p.Global)
		if g == nil {
			return nil
		}
		v = one(Atom{Site: f.symbol(g, "")})
	case p.Fresh != 0:
		return one(Atom{Site: f.site(instr, "h"+strconv.Itoa(p.Fresh), HandleSite, f.position(instr))})
	case p.Param >= 0 && p.Param < len(args):
		v = args[p.Param]
	default:
		return nil
	}
	return follow(st, v, p.Path).at(p.Off)
}

// objectOf returns the site of the object that a callee's source makes, or nil.
func (f *function) objectOf(instr ssa.CallInstruction, part string, src Source) *Site {
	switch src.Kind {
	case Memory:
		k := f.site(instr, part, MemorySite, f.position(instr))
		k.typ = src.Type
		return k
	case Body:
		k := f.site(instr, part, LocalSite, f.position(instr))
		k.fn, k.bindings = src.fn, len(src.fn.FreeVars)
		return k
	case Tagged:
		k := f.site(instr, part, LocalSite, f.position(instr))
		k.tag = src.Type
		return k
	}
	return nil
}

// remade returns the value of a source that is the only one of its kind in a call.
func (f *function) remade(st *state, instr ssa.CallInstruction, part string, src Source, args []value) value {
	if k := f.objectOf(instr, part, src); k != nil {
		st.remake(k)
	}
	return f.sourceValue(st, instr, part, src, args)
}

// sourceValue returns the value of a callee's source. Its object was remade before.
func (f *function) sourceValue(st *state, instr ssa.CallInstruction, part string, src Source, args []value) value {
	switch src.Kind {
	case Same:
		return f.resolve(st, instr, src.At, args)
	case Handle:
		v := f.resolve(st, instr, src.At, args)
		if len(v) == 0 {
			return nil
		}
		k := v[0].a.Site
		if !freshened(k, part) {
			f.lostInLoop(st, k)
			st.remake(k)
		}
		k.gotten = src.Gotten
		if src.Gotten {
			happen(st, st.open, k, k.Pos, "")
			if call, ok := instr.(ssa.Value); ok && mayFail(instr.Common()) {
				k.fallible = call
			}
		}
		return one(Atom{Site: k})
	case Memory:
		return f.memory(st, f.objectOf(instr, part, src), f.resolve(st, instr, src.At, args))
	case Body, Tagged:
		return one(Atom{Site: f.objectOf(instr, part, src)})
	case Called:
		at := src.At
		at.Off = ""
		return f.called[siteKey{instr, at.key()}].sel(src.At.Off)
	case Taken:
		k := f.site(instr, part, MarkSite, f.position(instr))
		return f.mark(st, k, f.resolve(st, instr, src.At, args))
	}
	return nil
}

// rebuild returns the value that a callee describes by flows, and makes the objects it leads to. what distinguishes the
// values of one call. t is the type of the value, or nil.
func (f *function) rebuild(st *state, instr ssa.CallInstruction, what string, flows []Flow, args []value, t types.Type) value {
	var out value
	objects := map[string][]*Site{} // behind the pointer at a path
	pointers := map[*Site]value{}
	flows = slices.Clone(flows)
	slices.SortStableFunc(flows, func(a, b Flow) int { return strings.Count(a.Path, access.Deref) - strings.Count(b.Path, access.Deref) })
	// add stores v at path, in the value or in an object behind it.
	var add func(path string, v value)
	add = func(path string, v value) {
		i := strings.LastIndex(path, access.Deref)
		if i < 0 {
			out = out.union(v.under(path))
			return
		}
		parent, off := path[:i], path[i+len(access.Deref):]
		if len(objects[parent]) == 0 {
			// An object on Go's heap that holds memory of an arena.
			k := f.site(instr, what+" object "+parent, LocalSite, f.position(instr))
			k.typ = catalog.TypeName(access.TypeAlong(t, parent+access.Deref))
			st.remake(k)
			objects[parent] = append(objects[parent], k)
			pointers[k] = one(Atom{Site: k})
			add(parent, one(Atom{Site: k}))
		}
		for _, k := range objects[parent] {
			st.store(k, off, nil, v, false)
		}
	}
	part := func(n int) string { return what + " " + flows[n].Path + strconv.Itoa(n) }
	given := make([]value, len(flows)) // before any object is remade that the arguments lead to
	known := map[Place]value{}
	var again []*Site
	for n, fl := range flows {
		if k := f.objectOf(instr, part(n), fl.From); k != nil {
			again = append(again, k)
		}
		if fl.From.Kind == Same {
			v, ok := known[fl.From.At]
			if !ok {
				v = f.resolve(st, instr, fl.From.At, args)
				known[fl.From.At] = v
			}
			given[n] = v
		}
	}
	st.remake(again...)
	for n, fl := range flows {
		if fl.From.Kind == Again {
			continue
		}
		v := given[n]
		if fl.From.Kind != Same {
			v = f.sourceValue(st, instr, part(n), fl.From, args)
		}
		if (fl.From.Kind == Memory || fl.From.Kind == Body) && len(v) > 0 {
			k := v[0].a.Site
			objects[fl.Path] = append(objects[fl.Path], k)
			pointers[k] = v
			if k.typ == "" {
				k.typ = catalog.TypeName(access.TypeAlong(t, fl.Path+access.Deref))
			}
		}
		if in := access.TypeAlong(t, fl.Path); fl.From.Kind == Memory && in != nil && isComposite(in) {
			// A generic function decoded it, and only the caller knows the type.
			d := decoded{f: f, st: st, instr: instr, arena: f.resolve(st, instr, fl.From.At, args), known: map[string]value{}}
			for _, l := range access.Leaves(in) {
				add(fl.Path+l.Path, d.of(l.Type))
			}
			continue
		}
		add(fl.Path, v)
	}
	for _, fl := range flows { // now that all objects exist
		if fl.From.Kind == Again {
			for _, k := range objects[fl.From.At.Path] {
				add(fl.Path, pointers[k])
			}
		}
	}
	return out
}

// freshened reports whether this call has already made the handle, for another part of its result.
func freshened(k *Site, part string) bool {
	if k.firstPart == "" {
		k.firstPart = part
	}
	return k.firstPart != part
}

// isComposite reports whether a value of type t has parts that may be memory of an arena.
func isComposite(t types.Type) bool {
	all := access.Leaves(t)
	return len(all) > 1 || len(all) == 1 && all[0].Path != ""
}

// mayFail reports whether a call's last result is an error or a flag.
func mayFail(common *ssa.CallCommon) bool {
	r := common.Signature().Results()
	if r.Len() < 2 {
		return false
	}
	t := r.At(r.Len() - 1).Type()
	b, isBasic := t.Underlying().(*types.Basic)
	return isBasic && b.Kind() == types.Bool || catalog.IsError(t)
}
