package life

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/ssa"
)

// World answers for the code beside the functions that are analyzed.
type World struct {
	Whole   bool               // nothing: it is a program
	Empty   map[int]bool       // parameters of the root's that have nothing in them
	Borders map[token.Pos]bool // where a string can be copied before an error or a panic has it
	Escapes map[token.Pos]bool // where a value can be copied before what lives for long has it
}

// Escaped has what a function stores where it lives for long, if it can store a copy instead.
type Escaped struct {
	Func    *ssa.Function
	Sites   map[ssa.Instruction]bool            // of its own, that lead to others
	Made    map[ssa.Instruction]map[string]bool // by calls, the same
	Refused bool                                // the place stores elsewhere, too, or what callers gave
}

// Program is the code that is analyzed.
type Program struct {
	root      *ssa.Function
	graph     *callgraph.Graph
	own       map[*ssa.Function]bool
	world     World
	functions map[instance]*function
	instances map[*ssa.Function][]*function // that the root leads to
	users     map[instance]map[instance]bool
	queue     []instance
	queued    map[instance]bool
	summaries map[instance]*summary
	unsettled map[*ssa.Function]bool // the rounds were not enough
	types     *typeGraph
	assumed   map[Assumption]token.Pos
	taken     map[string][]*ssa.Function // functions that are values, by signature
	sealed    map[string][]*ssa.Function // methods, by interface and name
	marks     map[*ssa.Global]bool
	crossed   map[token.Pos]bool
	escapes   map[token.Pos]*Escaped
	readers   []*ssa.Function // methods that read JSON
	outside   outside
	packages  map[*ssa.Package]bool // of the functions
	sorted    []*ssa.Function
	behind    map[behind][]*ssa.Function
	boxable   []types.Type
}

// Assumption is that a function stores nothing in a package's variable of a type, by a pointer
// that may also lead elsewhere; or that what it calls to make one makes a new one, and
// that what methods of that give and get is its own.
type Assumption struct {
	Func *ssa.Function
	Type string
	New  bool
	Own  bool
}

// Assumed are the assumptions that were made, and where.
func (p *Program) Assumed() map[Assumption]token.Pos { return p.assumed }

// FineSteps bounds what one function may cost, all rounds together, before its objects of a type count
// as one. Tests set it.
var FineSteps = 40_000_000

// maxSteps bounds it after that: those that are larger count as unknown, so that what they are given
// stays on the heap.
const maxSteps = 400_000_000

// function is the analysis of one.
type function struct {
	p       *Program
	inst    instance
	fn      *ssa.Function
	values  map[ssa.Value]set
	tuples  map[ssa.Value][]set
	cells   map[object]map[string]set
	leaked  map[object]Reason
	kept    map[object]bool // what leaked and what it leads to: others may change it
	changed bool
	steps   int               // references that were moved, at most maxSteps
	alike   map[object]*alike // where its objects of a type count as one; else nil
}

// alike are the instructions that make what counts as one object. It has the first one's name.
type alike struct {
	first ssa.Instruction
	all   map[ssa.Instruction]bool
}

// made is the object of a type that an instruction makes.
func (f *function) made(k kind, at ssa.Instruction, typ string) object {
	o := object{kind: k, typ: typ}
	if _, closure := at.(*ssa.MakeClosure); f.alike != nil && !closure { // variables have numbers in their own alone
		if f.alike[o] == nil {
			f.alike[o] = &alike{at, map[ssa.Instruction]bool{}}
		}
		f.alike[o].all[at] = true
		at = f.alike[o].first
	}
	o.at = at
	return o
}

// makers are the instructions that make an object.
func (f *function) makers(o object) map[ssa.Instruction]bool {
	if same := f.alike[object{kind: o.kind, typ: o.typ}]; same != nil && same.first == o.at {
		return same.all
	}
	return map[ssa.Instruction]bool{o.at: true}
}

func newFunction(p *Program, inst instance) *function {
	fn := inst.fn
	f := &function{
		p: p, inst: inst, fn: fn, values: map[ssa.Value]set{}, tuples: map[ssa.Value][]set{},
		cells: map[object]map[string]set{}, leaked: map[object]Reason{}, kept: map[object]bool{},
	}
	n := 0
	for _, v := range fn.Params {
		if fn != p.root || !p.world.Empty[n] {
			f.values[v] = f.given(n, v.Type())
		}
		n++
	}
	for _, v := range fn.FreeVars {
		f.values[v] = f.given(n, v.Type())
		n++
	}
	return f
}

// given returns what a parameter leads to at first.
func (f *function) given(n int, t types.Type) set {
	s := set{}
	for _, l := range leaves(t) {
		k := key(l.typ)
		s[ref{object{kind: param, n: n, typ: k}, "", k}] = struct{}{}
	}
	return s
}

// of returns what a value refers to.
func (f *function) of(v ssa.Value) set {
	if g, ok := v.(*ssa.Global); ok {
		k := key(g.Type())
		n := 0
		if f.p.marks[g] {
			n = sentinel
		}
		return set{ref{object{kind: global, n: n, typ: k}, "", k}: {}}
	}
	return f.values[v]
}

func fits(r ref, t types.Type) bool {
	k := key(t)
	return unknown(k) || unknown(r.to) || r.to == k
}

// add makes v refer to what s does, as far as its type may.
func (f *function) add(v ssa.Value, s set) {
	if f.steps += len(s); len(s) == 0 {
		return
	}
	all := leaves(v.Type())
	to := f.values[v]
	if to == nil {
		to = set{}
		f.values[v] = to
	}
	for r := range s {
		for _, l := range all {
			if fits(r, l.typ) {
				f.put(to, r)
				break
			}
		}
	}
}

func (f *function) put(to set, r ref) {
	if _, ok := to[r]; !ok {
		to[r] = struct{}{}
		f.changed = true
	}
}

// deepest bounds a path: what lies deeper is anywhere in the object.
const deepest = 120

func join(path, more string) string {
	if len(path)+len(more) > deepest {
		return "*"
	}
	if path == "*" || more == "*" {
		return "*"
	}
	return path + more
}

// store puts references into a part of what r refers to.
func (f *function) store(r ref, path string, s set, t types.Type, why Reason) {
	if r.kind == global {
		f.leak(s, t, why)
		return
	}
	path = join(r.path, path)
	cells := f.cells[r.object]
	if cells == nil {
		cells = map[string]set{}
		f.cells[r.object] = cells
	}
	to := cells[path]
	if to == nil {
		to = set{}
		cells[path] = to
	}
	f.steps += len(s)
	for x := range s {
		if t == nil || fits(x, t) {
			f.put(to, x)
			if f.kept[r.object] {
				f.keep(x.object)
			}
		}
	}
}

// keep notes that others have an object, and what it leads to.
func (f *function) keep(o object) {
	if o.kind == global || f.kept[o] {
		return
	}
	f.kept[o], f.changed = true, true
	for _, c := range f.cells[o] {
		for r := range c {
			f.keep(r.object)
		}
	}
}

// leak notes that what s refers to lives for long.
func (f *function) leak(s set, t types.Type, why Reason) {
	for r := range s {
		if r.kind == global || t != nil && !fits(r, t) {
			continue
		}
		if _, ok := f.leaked[r.object]; !ok {
			f.leaked[r.object] = why
			f.changed = true
			f.keep(r.object)
		}
	}
}

// load returns what a part of r's objects holds.
func (f *function) load(r ref, path string, t types.Type) set {
	s := set{}
	for _, l := range leaves(t) {
		k := key(l.typ)
		switch r.kind {
		case global:
			s[ref{object{kind: global, n: r.n, typ: k}, "", k}] = struct{}{}
			continue
		case param:
			s[ref{object{kind: param, n: r.n, typ: k}, "", k}] = struct{}{}
		default:
			if f.kept[r.object] { // others may have stored something there
				s[ref{object{kind: global, typ: k}, "", k}] = struct{}{}
			}
		}
		at := join(r.path, join(path, l.path))
		f.collect(s, r.object, at, l.typ)
		if r.kind == param && !unknown(r.typ) { // two parameters may lead to the same
			for o := range f.cells {
				if o.kind == param && o.n != r.n && o.typ == r.typ {
					f.collect(s, o, at, l.typ)
				}
			}
		}
	}
	return s
}

func (f *function) collect(s set, o object, at string, t types.Type) {
	cells := f.cells[o]
	for _, path := range []string{at, "*"} {
		for x := range cells[path] {
			if fits(x, t) {
				s[x] = struct{}{}
			}
		}
	}
	if strings.HasSuffix(at, "*") {
		for _, c := range cells {
			for x := range c {
				if fits(x, t) {
					s[x] = struct{}{}
				}
			}
		}
	}
}

// sentinel is the number of what a package's variable leads to that is a mark: a struct whose
// address the program takes, and whose parts it does not name.
const sentinel = 1
