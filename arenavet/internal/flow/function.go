package flow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// function is the analysis of one function. A search computes the state before each block until none changes. A last
// pass over the blocks reports faults.
type function struct {
	c  *Package
	fn *ssa.Function

	sites    map[siteKey]*Site
	symbols  map[symbolKey]*Site
	events   map[eventKey]*Event
	stored   map[storeKey]token.Pos   // positions of stores
	keys     map[effectKey]*effectKey // canonical keys, so that states compare pointers
	effects  map[*effectKey]Effect
	live     *ssaform.Liveness                 // live registers
	sweeps   map[*ssa.BasicBlock]ssaform.Sweep // loops that empty their range operand, by header
	replaced map[*ssa.Store]value              // values that a store has written to an element
	called   map[siteKey]value                 // results of the functions passed to a call, by call and function
	bits     int
	counted  int
	handles  int
	nested   int // calls of runs

	budget  int                        // remaining cost of the search
	in      []*state                   // states before blocks; nil for unreachable blocks
	reads   map[*ssa.Function]*Summary // summaries that the search has read
	observe func(Fault)                // set in the last pass

	exit    *state // joined states at returns; nil before the first
	results []value
}

type siteKey struct {
	instr any // an instruction or a function
	part  string
}

type symbolKey struct {
	root ssa.Value
	path string
}

type eventKey struct {
	op   Op
	pos  token.Pos
	name string
}

type storeKey struct {
	in  *Site
	off string
	of  *Site
}

func newFunction(c *Package, fn *ssa.Function) *function {
	return &function{
		c: c, fn: fn, live: ssaform.LivenessOf(fn), sweeps: ssaform.SweepsOf(fn), replaced: map[*ssa.Store]value{}, sites: map[siteKey]*Site{}, symbols: map[symbolKey]*Site{}, events: map[eventKey]*Event{},
		stored: map[storeKey]token.Pos{}, keys: map[effectKey]*effectKey{}, effects: map[*effectKey]Effect{}, called: map[siteKey]value{},
	}
}

// symbol returns the site that path leads to from root.
func (f *function) symbol(root ssa.Value, path string) *Site {
	asked := symbolKey{root, path}
	if k := f.symbols[asked]; k != nil {
		return k
	}
	path = access.Fold(root.Type(), path)
	key := symbolKey{root, path}
	k := f.symbols[key]
	if k == nil {
		k = &Site{Kind: SymbolSite, root: root, Path: path, Pos: root.Pos()}
		f.count(k)
		k.child = func(off string) *Site { return f.symbol(root, path+access.Deref+off) }
		f.symbols[key] = k
	}
	f.symbols[asked] = k
	return k
}

// count assigns a new site's number and hint.
func (f *function) count(k *Site) {
	f.counted++
	k.number, k.hint = 2*f.counted, 1<<(f.counted%64)
}

// site returns the site of the objects that an instruction makes. part distinguishes several.
func (f *function) site(instr any, part string, kind SiteKind, pos token.Pos) *Site {
	key := siteKey{instr, part}
	k := f.sites[key]
	if k == nil {
		k = &Site{Kind: kind, Pos: pos}
		f.count(k)
		switch kind {
		case HandleSite:
			f.handles++
			k.id = f.handles
		case MarkSite:
			if f.bits < 64 {
				k.bit = 1 << f.bits
				f.bits++
			}
		}
		f.sites[key] = k
	}
	return k
}

func (f *function) event(o Op, pos token.Pos, deferred bool, name string) *Event {
	key := eventKey{o, pos, name}
	e := f.events[key]
	if e == nil {
		e = &Event{Op: o, Pos: pos, Deferred: deferred, Name: name}
		f.events[key] = e
	}
	return e
}

// key returns the canonical pointer for k.
func (f *function) key(k effectKey) *effectKey {
	if f.keys[k] == nil {
		f.keys[k] = &k
	}
	return f.keys[k]
}

// eval returns the value of v.
func (f *function) eval(st *state, v ssa.Value) value {
	switch v := v.(type) {
	case *ssa.Const, *ssa.Builtin:
		return nil
	case *ssa.Global:
		return one(Atom{Site: f.symbol(v, "")})
	case *ssa.Function:
		k := f.site(v, "", LocalSite, v.Pos())
		k.fn = v
		return one(Atom{Site: k})
	}
	return st.regs[v]
}

// evalAll returns the values of list.
func (f *function) evalAll(st *state, list []ssa.Value) []value {
	out := make([]value, len(list))
	for i, v := range list {
		out[i] = f.eval(st, v)
	}
	return out
}

// unknown returns an unknown value, which stays the same until v is computed again.
func (f *function) unknown(st *state, v ssa.Value, t types.Type) value {
	of := func(k *Site) bool { return k != nil && k.Kind == SymbolSite && k.root == v }
	anchor := f.symbol(v, "")
	if !st.made.add(anchor) {
		for o := range st.objects() {
			if of(o.site) {
				st.drop(o.site)
			}
		}
		st.rewrite(of, 0, func(a Atom) (Atom, bool) {
			if of(a.Site) || of(a.Region) {
				return a, false
			}
			return a, true
		})
	}
	var val value
	for _, l := range access.Leaves(t) {
		switch types.Unalias(l.Type).Underlying().(type) {
		case *types.Pointer, *types.Interface, *types.Map, *types.Slice:
			val = val.add(entry{l.Path, Atom{Site: f.symbol(v, l.Path)}})
		}
	}
	return val
}

// see reports a fault to the observer. Results of unknown functions are not at fault: callers report them.
func (f *function) see(x Fault) {
	if f.observe != nil && (x.Of.Site == nil || x.Of.Site.called == nil) {
		f.observe(x)
	}
}

func (f *function) unknownInstr(st *state, instr ssa.CallInstruction) value {
	if v, ok := instr.(ssa.Value); ok {
		return f.unknown(st, v, v.Type())
	}
	return nil
}
