package convert

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/rewrite"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// findWrites records writes of values that may be in the arena into objects that may be older than the call,
// by the type that they change.
func (p *program) findWrites() {
	p.writes = map[string][]token.Pos{}
	add := func(key string, pos token.Pos) { p.writes[key] = append(p.writes[key], pos) }
	for f := range p.reach {
		if p.heapOnly(f, p.Strings) {
			continue
		}
		for i := range ssaform.Instructions(f) {
			switch i := i.(type) {
			case *ssa.Store:
				if !p.storable(i.Val) {
					continue
				}
				root, fields := base(i.Addr)
				if rewrite.Fresh(root) {
					continue
				}
				for _, f := range fields {
					add(key(rewrite.StructOf(f)), i.Pos())
				}
				if s, ok := root.Type().Underlying().(*types.Slice); ok {
					add(key(s), i.Pos())
				}
				if q, ok := i.Addr.Type().Underlying().(*types.Pointer); ok && len(fields) == 0 {
					add(key(q.Elem()), i.Pos())
				}
			case *ssa.MapUpdate:
				if (p.storable(i.Value) || p.storable(i.Key)) && !rewrite.Fresh(i.Map) {
					add(key(i.Map.Type()), i.Pos())
				}
			case *ssa.Call:
				c := &i.Call
				switch g := c.Value.(type) {
				case *ssa.Builtin:
					if (g.Name() == "append" || g.Name() == "copy") && len(c.Args) > 1 && p.storableElem(c.Args[0].Type()) && !rewrite.Fresh(c.Args[0]) {
						add(key(c.Args[0].Type()), i.Pos())
					}
				case *ssa.Function:
					if g.Blocks == nil && len(c.Args) > 1 { // slices.Insert and such
						if s, ok := c.Args[0].Type().Underlying().(*types.Slice); ok && p.storableElem(s) && !rewrite.Fresh(c.Args[0]) && inserts(calleeName(g)) {
							add(key(s), i.Pos())
						}
					}
				}
			}
		}
	}
	for _, l := range p.writes {
		slices.SortFunc(l, p.compare)
	}
}

func inserts(full string) bool {
	switch full {
	case "slices.Insert", "slices.Replace", "slices.AppendSeq", "maps.Copy", "maps.Insert":
		return true
	}
	return false
}

// storable reports whether a stored value may be memory of the arena.
func (p *program) storable(v ssa.Value) bool {
	return p.carries(v) || p.Strings && holdsText(v.Type()) && !isConst(v)
}

func isConst(v ssa.Value) bool { _, ok := v.(*ssa.Const); return ok }

func (p *program) storableElem(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && (p.bearing(s.Elem()) || p.Strings && holdsText(s.Elem()))
}

// key names a type for comparison. Named slices and maps have the key of their underlying type.
func key(t types.Type) string {
	t = types.Unalias(t)
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return "[]" + types.TypeString(u.Elem(), nil)
	case *types.Map, *types.Array:
		return types.TypeString(u, nil)
	}
	return types.TypeString(t, nil)
}

// written returns the place of a write to an object of a type that t leads to, or "".
func (p *program) written(t types.Type) string {
	seen := map[types.Type]bool{}
	var walk func(t types.Type, inside bool) string
	walk = func(t types.Type, inside bool) string {
		t = types.Unalias(t)
		if seen[t] || !p.bearing(t) && !(p.Strings && inside && holdsText(t)) {
			return ""
		}
		seen[t] = true
		inside = inside || p.isOwned(t)
		if w := p.writes[key(t)]; len(w) > 0 {
			return p.at(w[0])
		}
		parts := slices.Collect(access.Parts(t))
		if u, ok := t.Underlying().(*types.Interface); ok {
			lists := [][]types.Type{p.asserted}
			if p.changing(u) {
				lists = append(lists, p.holders, p.boxed)
			}
			for _, l := range lists {
				for _, x := range l {
					if i, ok := x.Underlying().(*types.Interface); ok {
						if p.changing(i) {
							parts = append(parts, x)
						}
					} else if types.Implements(x, u) {
						parts = append(parts, x)
					} else if types.Implements(types.NewPointer(x), u) {
						parts = append(parts, types.NewPointer(x))
					}
				}
			}
		}
		for _, x := range parts {
			if w := walk(x, inside); w != "" {
				return w
			}
		}
		return ""
	}
	return walk(t, false)
}

// changing reports whether a call of an interface's method may store memory of the arena in its receiver: the
// method takes the arena, or a value that may be in it.
func (p *program) changing(i *types.Interface) bool {
	for m := range i.Methods() {
		if len(p.family[m]) > 0 {
			return true
		}
		for v := range m.Signature().Params().Variables() {
			if p.bearing(v.Type()) || p.Strings && holdsText(v.Type()) {
				return true
			}
		}
	}
	return false
}
