package life

import (
	"go/types"
	"iter"

	"golang.org/x/tools/go/ssa"
)

// places are references of a set, one to each place: what others lead to is the same.
func (f *function) places(s *set) iter.Seq[ref] {
	return func(yield func(ref) bool) {
		f.looks++
		look := f.looks
		for n := range s.all() {
			r := f.refs[n]
			if r.place.looked == look {
				continue
			}
			r.place.looked = look
			if !yield(r) {
				return
			}
		}
	}
}

// assign stores a value behind an address.
func (f *function) assign(addr *set, path string, v *set, t types.Type, why Reason) {
	if v.empty() {
		return
	}
	fitting, to := map[string]*set{}, f.written(addr, v, why)
	for _, l := range leaves(t) {
		k := key(l.typ)
		s, ok := fitting[k]
		if !ok {
			s = &set{}
			f.putFitting(s, v, k)
			fitting[k] = s
		}
		if s.empty() {
			continue
		}
		for r := range f.places(to) {
			f.store(r, join(path, l.path), s, nil, why)
		}
	}
}

// written are those of addr that something is stored in. Where it may be either a package's
// mark or something else it is taken to be that: marks lie in lists, to be compared with. This is
// an assumption, and is told.
func (f *function) written(addr, values *set, why Reason) *set {
	// What was read from JSON goes wherever it is given, marks or not.
	if values.meets(&f.untold) || !addr.meets(&f.marks) || addr.within(&f.global) {
		return addr
	}
	for n := range addr.both(&f.marks) {
		f.p.assume(Assumption{Func: f.fn, Type: f.refs[n].typ}, why.Pos)
	}
	return addr.without(&f.marks)
}

// read is what parts of what addr refers to hold.
func (f *function) read(addr *set, path string, t types.Type) *set {
	s := &set{}
	for r := range f.places(addr) {
		f.load(s, r, path, t)
	}
	return s
}

// make is a new object that v refers to.
func (f *function) make(v ssa.Value) ref {
	k := key(v.Type())
	n := f.whole(f.made(site, v.(ssa.Instruction), k), k)
	f.add(v, setOf(n))
	return f.refs[n]
}

// part are references to a part of what s refers to.
func (f *function) part(s *set, path, to string) *set {
	all := &set{}
	for n := range s.all() {
		if r := f.refs[n]; r.kind == global {
			all.put(f.lasting(r.n, to))
		} else {
			all.put(f.number(r.part(path), to))
		}
	}
	return all
}

// addTo is add for a tuple.
func (f *function) addTo(v ssa.Value, s *set) {
	if f.values[v] == nil {
		f.values[v] = &set{}
	}
	f.note(f.values[v].putAll(s))
}

// longLived is a value that comes from elsewhere.
func (f *function) longLived(v ssa.Value) {
	for _, l := range leaves(v.Type()) {
		f.addTo(v, setOf(f.lasting(0, key(l.typ))))
	}
}
