package life

import "strings"

// table numbers references.
type table struct {
	things map[object]*thing
	list   []*thing
	refs   []ref
	byType map[string]*set // by the type of the part
	open   []int           // whose part's type is not known
	untold set             // whose object's type is not known
	global set             // that live for long
	marks  set             // of those: marks
	outer  set             // that live for long, or that a parameter led to
	params []*thing        // what parameters lead to
}

// ref is a reference to an object or a part of it.
type ref struct {
	*place
	to string // type of the part; empty: unknown
}

// box is the type of the part where a value lies in an interface: a type assertion gives the value, not that.
const box = "box"

// thing is an object of a table.
type thing struct {
	object
	places map[string]*place
	cells  []*place // that something was stored in
	held   set      // what these have
	leaked bool
	why    Reason // of what leaked
	kept   bool   // others have it, or what leads to it: they may change it
	looked int
}

// place is a part of an object, by its path.
type place struct {
	*thing
	path    string
	looked  int
	cell    *set              // references that it holds
	parts   map[string]*place // by their paths in it
	numbers map[string]int    // of references to it, by the type of the part
}

// sentinel is the number of what a package's variable leads to that is a mark: a struct whose
// address the program takes, and whose parts it does not name.
const sentinel = 1

func newTable() *table { return &table{things: map[object]*thing{}, byType: map[string]*set{}} }

// thing returns that of an object.
func (t *table) thing(o object) *thing {
	g := t.things[o]
	if g == nil {
		g = &thing{object: o, places: map[string]*place{}}
		t.things[o] = g
		t.list = append(t.list, g)
		if o.kind == param {
			t.params = append(t.params, g)
		}
	}
	return g
}

func (g *thing) place(path string) *place {
	p := g.places[path]
	if p == nil {
		p = &place{thing: g, path: path}
		g.places[path] = p
	}
	return p
}

// deepest bounds a path, and arrays bounds arrays of arrays: what lies deeper is anywhere in the object.
const (
	deepest = 120
	arrays  = "[][][]"
)

func join(path, more string) string {
	if path == "*" || more == "*" || len(path)+len(more) > deepest || strings.HasPrefix(more, "[]") && strings.HasSuffix(path, arrays) {
		return "*"
	}
	return path + more
}

// part is a part of a place.
func (p *place) part(path string) *place {
	if path == "" {
		return p
	}
	to := p.parts[path]
	if to == nil {
		to = p.thing.place(join(p.path, path))
		if p.parts == nil {
			p.parts = map[string]*place{}
		}
		p.parts[path] = to
	}
	return to
}

// stored is the cell of a place, which something is stored in.
func (p *place) stored() *set {
	if p.cell == nil {
		p.cell = &set{}
		p.cells = append(p.cells, p)
	}
	return p.cell
}

// number is that of a reference to a place.
func (t *table) number(p *place, to string) int {
	n, ok := p.numbers[to]
	if ok {
		return n
	}
	if p.numbers == nil {
		p.numbers = map[string]int{}
	}
	n = len(t.refs)
	p.numbers[to] = n
	t.refs = append(t.refs, ref{p, to})
	if unknown(to) {
		t.open = append(t.open, n)
	}
	if t.byType[to] == nil {
		t.byType[to] = &set{}
	}
	t.byType[to].put(n)
	if p.typ == "" {
		t.untold.put(n)
	}
	if p.kind == global || p.kind == param {
		t.outer.put(n)
	}
	if p.kind == global {
		t.global.put(n)
		if p.n == sentinel {
			t.marks.put(n)
		}
	}
	return n
}

// whole is the number of a reference to an object.
func (t *table) whole(o object, to string) int { return t.number(t.thing(o).place(""), to) }

// lasting is the number of what lives for long, n of it a mark or not.
func (t *table) lasting(n int, to string) int {
	return t.whole(object{kind: global, n: n, typ: to}, to)
}

// led is the number of what a parameter led to by way of another.
func (t *table) led(n int, to string) int {
	return t.whole(object{kind: param, n: n, deep: true, typ: to}, to)
}
