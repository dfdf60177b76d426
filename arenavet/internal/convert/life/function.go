package life

import (
	"cmp"
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
	summed    *table                 // what they are about
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

// compare orders reasons by their places in the source: positions have the order in which files happened to be read.
func (p *Program) compare(a, b Reason) int {
	place := func(pos token.Pos) (string, int) {
		if file := p.root.Prog.Fset.File(pos); file != nil {
			return file.Name(), file.Offset(pos)
		}
		return "", 0
	}
	if a.Pos == b.Pos {
		return strings.Compare(a.What, b.What)
	}
	inA, atA := place(a.Pos)
	inB, atB := place(b.Pos)
	return cmp.Or(strings.Compare(inA, inB), atA-atB)
}

// assume notes one, by the first place that needs it.
func (p *Program) assume(a Assumption, pos token.Pos) {
	if old, ok := p.assumed[a]; !ok || p.compare(Reason{Pos: pos}, Reason{Pos: old}) < 0 {
		p.assumed[a] = pos
	}
}

// Assumed are the assumptions that were made, and where.
func (p *Program) Assumed() map[Assumption]token.Pos { return p.assumed }

// FineSteps bounds what one function may cost, all rounds together, before its objects of a type count
// as one. Tests set it.
var FineSteps = 200_000_000

// maxSteps bounds it after that: those that are larger count as unknown, so that what they are given
// stays on the heap.
const maxSteps = 2_000_000_000

// function is the analysis of one.
type function struct {
	*table
	p       *Program
	inst    instance
	fn      *ssa.Function
	values  map[ssa.Value]*set
	tuples  map[ssa.Value][]*set
	changes int              // of sets, and of what others have
	reached map[*set]reached // with as many changes as at
	at      int
	looks   int // at what sets lead to
	effects map[applied]effect
	fits    map[string]*fitting // by type
	opened  map[string]*opened  // by type
	within  []map[string]bool   // by parameter: types of what it may lead to; nil: any
	has     map[part]bool
	told    map[int][]int32   // references, by the summary's that they are; one more
	steps   int               // references, or words of them, that were looked at: at most maxSteps
	others  set               // that lead to what others have
	alike   map[object]*alike // where its objects of a type count as one; else nil
}

// reached is all that a set leads to, with the set.
type reached struct {
	refs   *set
	held   *set // by what it leads to
	things []*thing
	seen   seen
}

// seen counts it. Sets only grow: who counts as much as before has the same.
type seen struct{ refs, held, kept, direct int }

// fitting has, for the first references of a function, which may be of objects of a type.
type fitting struct {
	known  int
	are    set         // may be
	others map[int]int // what lives for long, or a parameter led to, is that
	led    map[int]int // and leads to that
}

// part is where an object may have one.
type part struct {
	n         int // of the parameter that leads to the object; else less than 0
	typ, path string
}

// opened has which of the first references to parts whose type is not known may be of a type.
type opened struct {
	known int
	are   set
}

// effect is what a callee has done with what a call gives it.
type effect struct {
	of   *summary
	seen seen
}

// applied is a callee of a call; of another module's function one that this calls with a value.
type applied struct {
	call ssa.CallInstruction
	to   *ssa.Function
	with ssa.Value
	back bool // as a method of that
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
		table: newTable(), p: p, inst: inst, fn: fn, values: map[ssa.Value]*set{}, tuples: map[ssa.Value][]*set{},
		has: map[part]bool{}, effects: map[applied]effect{}, fits: map[string]*fitting{}, opened: map[string]*opened{}, told: map[int][]int32{},
	}
	n := 0
	for _, v := range fn.Params {
		if fn != p.root || !p.world.Empty[n] {
			f.values[v] = f.given(n, v.Type())
		}
		f.within = append(f.within, p.types.within(v.Type()))
		n++
	}
	for _, v := range fn.FreeVars {
		f.values[v] = f.given(n, v.Type())
		f.within = append(f.within, p.types.within(v.Type()))
		n++
	}
	return f
}

// may reports whether there may be an object that has something at a path: of its type, or where that is
// not known, of one that an interface has there; and of a type that the parameter may lead to.
func (f *function) may(o object, path string) bool {
	if o.kind == global {
		return true
	}
	at := part{-1, o.typ, path}
	if o.kind == param {
		at.n = o.n
	}
	known, ok := f.has[at]
	if !ok {
		known = f.mayBe(at)
		f.has[at] = known
	}
	return known
}

func (f *function) mayBe(at part) bool {
	types := f.p.types
	of := func(typ string) bool {
		return (at.n < 0 || f.within[at.n] == nil || f.within[at.n][typ]) && types.has(typ, at.path)
	}
	if !unknown(at.typ) {
		return of(at.typ)
	}
	in, known := types.held[at.typ]
	if !known || at.path == "" && (at.n < 0 || f.within[at.n] == nil || f.within[at.n][at.typ]) {
		return true
	}
	for typ := range in {
		if of(typ) {
			return true
		}
	}
	return false
}

// given returns what a parameter refers to.
func (f *function) given(n int, t types.Type) *set {
	s := &set{}
	for _, l := range leaves(t) {
		k := key(l.typ)
		s.put(f.whole(object{kind: param, n: n, typ: k}, k))
	}
	return s
}

// of returns what a value refers to. It must not be changed.
func (f *function) of(v ssa.Value) *set {
	g, ok := v.(*ssa.Global)
	if ok && f.values[v] == nil {
		n := 0
		if f.p.marks[g] {
			n = sentinel
		}
		f.values[v] = setOf(f.lasting(n, key(g.Type())))
	}
	return f.values[v]
}

// add makes v refer to what s does, as far as its type may.
func (f *function) add(v ssa.Value, s *set) {
	if s.empty() {
		return
	}
	if f.values[v] == nil {
		f.values[v] = &set{}
	}
	f.fill(f.values[v], s, v.Type())
}

// fill puts what s refers to into another set, as far as it may be of a type's parts.
func (f *function) fill(to, s *set, t types.Type) {
	for _, l := range leaves(t) {
		f.steps += s.size()
		f.note(f.putFitting(to, s, key(l.typ)))
	}
}

// putFitting puts those of a set that may be of a type.
func (f *function) putFitting(to, s *set, typ string) bool {
	if unknown(typ) {
		return to.putAll(s)
	}
	known := to.putIn(s, f.byType[typ])
	return to.putIn(s, f.openedAs(typ)) || known
}

// openedAs goes over the references that are new.
func (f *function) openedAs(typ string) *set {
	o := f.opened[typ]
	if o == nil {
		o = &opened{}
		f.opened[typ] = o
	}
	for ; o.known < len(f.open); o.known++ {
		if n := f.open[o.known]; f.p.types.shared(f.refs[n].to, typ) {
			o.are.put(n)
		}
	}
	return &o.are
}

// note notes whether something has changed.
func (f *function) note(changed bool) bool {
	if changed {
		f.changes++
	}
	return changed
}

// store puts references into a part of what r refers to: with t those that may be of that type.
func (f *function) store(r ref, path string, s *set, t types.Type, why Reason) {
	if r.kind == global {
		f.leak(s, t, why)
		return
	}
	typ := ""
	if t != nil {
		typ = key(t)
	}
	at := r.part(path)
	if !f.may(r.object, at.path) { // what an interface may lead to is more than has such a part
		return
	}
	to := at.stored()
	f.steps += s.size()
	if f.note(f.putFitting(to, s, typ)) {
		r.held.putAll(to)
		if r.kept {
			f.keepAll(to)
		}
	}
}

// keep notes that others have an object, and what it leads to.
func (f *function) keep(g *thing) {
	if g.kind == global || g.kept {
		return
	}
	g.kept = true
	f.changes++
	f.keepAll(&g.held)
}

func (f *function) keepAll(s *set) {
	for n := range s.without(&f.others).all() {
		f.others.put(n)
		f.keep(f.refs[n].thing)
	}
}

// leak notes that others have what s refers to.
func (f *function) leak(s *set, t types.Type, why Reason) {
	if t != nil && !unknown(key(t)) {
		fitting := &set{}
		f.putFitting(fitting, s, key(t))
		s = fitting
	}
	f.outlive(s, why)
	for n := range s.all() {
		f.keep(f.refs[n].thing)
	}
}

// outlive notes that what s refers to lives for long, though nobody else has it while the root runs.
func (f *function) outlive(s *set, why Reason) {
	f.steps += s.size()
	for n := range s.all() {
		if g := f.refs[n].thing; g.kind != global && !g.leaked {
			g.leaked, g.why = true, why
			f.changes++
		}
	}
}

// load adds what a part of r's objects holds to a set.
func (f *function) load(to *set, r ref, path string, t types.Type) {
	for _, l := range leaves(t) {
		k := key(l.typ)
		if !f.may(r.object, join(r.path, join(path, l.path))) {
			continue
		}
		switch r.kind {
		case global:
			to.put(f.lasting(r.n, k))
			continue
		case param:
			to.put(f.led(r.n, k))
			if f.p.types.errors[r.typ] {
				to.put(f.lasting(0, k)) // what lies in an error lives for long in any case
			}
		default:
			if r.kept { // others may have stored something there
				to.put(f.lasting(0, k))
			}
		}
		at := r.part(join(path, l.path))
		f.collect(to, r.thing, at.path, k)
		if r.kind == param && !unknown(r.typ) {
			f.collectAliases(to, at, k)
		}
	}
}

// collectAliases adds what is held by the same part of what another parameter led to, or the same one in another
// way: that may be the same object, or a part of that, or have it for a part.
func (f *function) collectAliases(to *set, at *place, typ string) {
	for _, g := range f.params {
		if g == at.thing {
			continue
		}
		if g.typ == at.typ {
			f.collect(to, g, at.path, typ)
			continue
		}
		whole, part := f.p.types.parts[g.typ][at.typ], f.p.types.parts[at.typ][g.typ]
		if !whole && !part {
			continue
		}
		for _, c := range g.cells {
			if c.path == "*" || at.path == "*" || whole && strings.HasSuffix(c.path, at.path) || part && strings.HasSuffix(at.path, c.path) {
				f.steps += c.cell.size()
				f.putFitting(to, c.cell, typ)
			}
		}
	}
}

// collect adds what a part of an object holds, as far as it may be of a type.
func (f *function) collect(to *set, g *thing, at, typ string) {
	if strings.HasSuffix(at, "*") {
		f.steps += g.held.size()
		f.putFitting(to, &g.held, typ)
		return
	}
	for _, path := range []string{at, "*"} {
		if p := g.places[path]; p != nil {
			f.steps += p.cell.size()
			f.putFitting(to, p.cell, typ)
		}
	}
}
