package life

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// assign stores a value behind an address.
func (f *function) assign(addr set, path string, v set, t types.Type, why Reason) {
	if len(v) == 0 {
		return
	}
	fitting, to := map[string]set{}, f.written(addr, v, why)
	for _, l := range leaves(t) {
		k := key(l.typ)
		s, ok := fitting[k]
		if !ok {
			s = set{}
			for x := range v {
				if fits(x, l.typ) {
					s[x] = struct{}{}
				}
			}
			fitting[k] = s
		}
		if len(s) == 0 {
			continue
		}
		for r := range to {
			f.store(r, join(path, l.path), s, nil, why)
		}
	}
}

// written are those of addr that something is stored in. Where it may be either a package's
// mark or something else it is taken to be that: marks lie in lists, to be compared with. This is
// an assumption, and is told.
func (f *function) written(addr, values set, why Reason) set {
	for r := range values {
		if r.typ == "" { // read from JSON: that goes wherever it is given, marks or not
			return addr
		}
	}
	marks, others := 0, 0
	for r := range addr {
		if r.kind == global && r.n == sentinel {
			marks++
		} else if r.kind != global {
			others++
		}
	}
	if marks == 0 || others == 0 {
		return addr
	}
	all := make(set, len(addr))
	for r := range addr {
		if r.kind == global && r.n == sentinel {
			f.p.assumed[Assumption{Func: f.fn, Type: r.typ}] = why.Pos
			continue
		}
		all[r] = struct{}{}
	}
	return all
}

func (f *function) read(v ssa.Value, addr set, path string, t types.Type) {
	for r := range addr {
		f.add(v, f.load(r, path, t))
	}
}

// make is a new object that v refers to.
func (f *function) make(v ssa.Value) ref {
	k := key(v.Type())
	r := ref{f.made(site, v.(ssa.Instruction), k), "", k}
	f.add(v, set{r: {}})
	return r
}

// part are references to a part of what s refers to.
func part(s set, path, to string) set {
	all := make(set, len(s))
	for r := range s {
		if r.kind == global {
			all[ref{object{kind: global, n: r.n, typ: to}, "", to}] = struct{}{}
			continue
		}
		all[ref{r.object, join(r.path, path), to}] = struct{}{}
	}
	return all
}

// addTo is add for a tuple.
func (f *function) addTo(v ssa.Value, s set) {
	to := f.values[v]
	if to == nil {
		to = set{}
		f.values[v] = to
	}
	for r := range s {
		f.put(to, r)
	}
}

// longLived is a value that comes from elsewhere.
func (f *function) longLived(v ssa.Value) {
	for _, l := range leaves(v.Type()) {
		k := key(l.typ)
		f.addTo(v, set{ref{object{kind: global, typ: k}, "", k}: {}})
	}
}
