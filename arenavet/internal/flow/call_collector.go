package flow

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// The collector knows an arena's chunks, not the values in them. What Go offers
// for objects that the collector frees is therefore about a chunk, or about
// whoever gets the memory next.

// collectors lists the functions whose first argument is such an object.
var collectors = map[string]Op{
	"runtime.SetFinalizer": OpFinalizer, "runtime.AddCleanup": OpCleanup, "weak.Make": OpWeak, "unique.Make": OpUnique,
}

// collectorCall is what a call of the function that is called name does to its
// arguments, if it is one of them.
func (f *function) collectorCall(st *state, instr ssa.CallInstruction, name string, args []value) {
	o, ok := collectors[name]
	if !ok || len(args) == 0 {
		return
	}
	pos := f.position(instr)
	f.collected(st, o, keptBy(o, args[0], instr.Common().Args[0].Type()), "", pos)
	for _, v := range args[1:] {
		f.lend(st, v, pos, "kept until "+name+" runs its function")
	}
}

// keptBy is the part of v, of type t, that a function of the collector's keeps
// without a copy. All of them keep the pointer that they are given. Unique.Make
// is given a value, and copies the strings in it, but not those in an interface
// or behind a pointer. A nil type is not known.
func keptBy(o Op, v value, t types.Type) value {
	if o != OpUnique || t == nil {
		return v
	}
	var out value
	for _, l := range leaves(t) {
		if catalog.IsText(l.typ) {
			continue
		}
		for _, e := range v {
			if rest, ok := strings.CutPrefix(e.path, l.path); ok && (rest == "" || types.IsInterface(l.typ)) {
				out = out.add(e)
			}
		}
	}
	return out
}

// collected reports arena memory that is given to the collector's API, by the
// function called via if that is not empty, and tells callers where it may be
// theirs.
func (f *function) collected(st *state, o Op, v value, via string, pos token.Pos) {
	for _, e := range v {
		a := e.a
		switch {
		case a.Site.Kind == MarkSite:
		case a.Region != nil:
			if a.Stale == nil { // or the use of it is reported
				f.see(Fault{Kind: FaultCollector, Op: o, Of: a, Via: via, Pos: pos})
			}
		case a.Site.Kind == SymbolSite:
			if src, ok := f.source(a); ok {
				f.effect(st, o, nil, Place{}, src, true, pos)
			}
		}
	}
}

// applyCollected is what a callee gives to the collector's API.
func (f *function) applyCollected(st *state, instr ssa.CallInstruction, e Effect, args []value, name string) {
	pos := e.pos
	if !f.within(pos) {
		pos = f.position(instr)
	}
	v := f.sourceValue(st, instr, "collected", e.From, args)
	f.collected(st, e.Op, keptBy(e.Op, v, typeAt(instr.Common().Args, e.From.At)), name, pos)
}

// typeAt is the type of what a callee calls p, by the caller's arguments: those
// of a generic function tell more than its parameters. It is nil where the
// arguments don't say.
func typeAt(args []ssa.Value, p Place) types.Type {
	if p.Param < 0 || p.Param >= len(args) {
		return nil
	}
	_, t, ok := symbolType(&Site{Kind: SymbolSite, root: args[p.Param], Path: p.Path})
	if !ok {
		return nil
	}
	return t
}
