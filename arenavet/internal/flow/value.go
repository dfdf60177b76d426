package flow

import (
	"slices"
	"strings"
)

// entry is one possible content of the part at path.
type entry struct {
	path string
	a    Atom
}

// value is all possible contents of an SSA value. It is nil for values without pointers, and for unknown ones.
type value []entry

func (v value) add(e entry) value {
	return v[:len(v):len(v)].push(e)
}

// push is add for a value that is not shared, so it may grow in place.
func (v value) push(e entry) value {
	if len(v) >= maxEntries || slices.Contains(v, e) {
		return v
	}
	return append(v, e)
}

// fill adds atoms at a path to a value that is not shared.
func (v value) fill(path string, atoms []Atom) value {
	if v == nil && len(atoms) > 0 {
		v = make(value, len(atoms))
		for i, a := range atoms { // each is there once
			v[i] = entry{path, a}
		}
		return v
	}
	for _, a := range atoms {
		v = v.push(entry{path, a})
	}
	return v
}

func (v value) union(w value) value { return union(v, w) }

// sel returns the part of v at path.
func (v value) sel(path string) value {
	if path == "" {
		return v
	}
	var out value
	for _, e := range v {
		if rest, ok := strings.CutPrefix(e.path, path); ok {
			out = out.push(entry{rest, e.a})
		}
	}
	return out
}

// under returns v as the part at path of a larger value.
func (v value) under(path string) value {
	if path == "" {
		return v
	}
	out := make(value, 0, len(v))
	for _, e := range v {
		out = out.push(entry{path + e.path, e.a})
	}
	return out
}

// at moves the pointers of v by off.
func (v value) at(off string) value {
	if off == "" {
		return v
	}
	var out value
	for _, e := range v {
		if e.path == "" {
			e.a.off += off
			out = out.push(e)
		}
	}
	return out
}

// atoms returns the entries with an empty path.
func (v value) atoms() []Atom {
	var out []Atom
	for _, e := range v {
		if e.path == "" {
			out = append(out, e.a)
		}
	}
	return out
}

// nth returns argument i, or nil.
func nth(args []value, i int) value {
	if i < len(args) {
		return args[i]
	}
	return nil
}

func one(a Atom) value { return value{{"", a}} }

// exactly reports whether v is one known object.
func exactly(v value) bool {
	atoms := v.atoms()
	return len(atoms) > 0 && !slices.ContainsFunc(atoms, func(a Atom) bool {
		return a.Site != atoms[0].Site || a.Site.isOld || summarySymbol(a.Site)
	})
}

// escaped returns the result of Escape: v without the memory of the arena. Two arenas of callers may be the same one.
func escaped(v, arena value) value {
	var out value
	for _, e := range v {
		mine := false
		for _, a := range arena.atoms() {
			r := e.a.Region
			mine = mine || r != nil && (endsWith(r, a.Site) || endsWith(a.Site, r) || r.Kind == SymbolSite && a.Site.Kind == SymbolSite)
		}
		if !mine {
			out = out.add(e)
		}
	}
	return out
}

// oneOfSeveral reports whether an arena may also be one of an earlier iteration, as elements of a slice of arenas are.
func oneOfSeveral(all []Atom, a Atom) bool {
	return a.Site.older != nil && slices.ContainsFunc(all, func(b Atom) bool { return b.Site == a.Site.older })
}
