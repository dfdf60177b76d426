package flow

import (
	"go/token"
	"go/types"
	"maps"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// hand notes that a goroutine uses the arenas of v, until its owner waits for it.
func (f *function) hand(st *state, v value, pos token.Pos, puts bool) {
	for _, a := range v.atoms() {
		k := a.Site
		if a.Region != nil || k.isOld || !mayBeHandle(k) {
			continue
		}
		if a.Stale != nil {
			f.see(Fault{Kind: FaultHandle, Of: a, Pos: pos})
		}
		if _, twice := st.handed[k]; twice {
			f.seeShared(k, step{pos: pos}, token.NoPos)
			continue
		}
		happen(st, st.handed, k, pos, "")
		if puts {
			k.owned = true
		}
		f.effect(st, OpGoroutine, k, Place{}, Source{}, true, pos)
	}
}

// give notes that arenas were sent on a channel. The receiver owns them until something comes back.
func (f *function) give(st *state, v value, pos token.Pos) {
	for _, a := range v.atoms() {
		k := a.Site
		if _, given := st.handed[k]; given || a.Region != nil || k.isOld || !mayBeHandle(k) {
			continue
		}
		happen(st, st.handed, k, pos, sentOnChannel)
		k.owned = true
	}
}

// usedByOwner reports the use of an arena that a goroutine may be using.
func (f *function) usedByOwner(st *state, k *Site, pos token.Pos) {
	if x, ok := st.handed[k]; ok {
		f.seeShared(k, x, pos)
	}
}

// seeShared reports that an arena was handed to a goroutine by a step, and is used at other.
func (f *function) seeShared(k *Site, by step, other token.Pos) {
	f.see(Fault{Kind: FaultShared, Arena: k, Pos: by.pos, Other: other, Given: by.how == sentOnChannel})
}

// How memory is given away.
const (
	byGoroutine   = "captured by a goroutine"
	sentOnChannel = "sent on a channel"
)

// lend notes that the memory v leads to may be used by others from now on.
func (f *function) lend(st *state, v value, pos token.Pos, how string) {
	captured := map[Atom]bool{} // by function literals, whose variables are objects of the function
	if how == byGoroutine {
		f.reachOwn(st, v, func(a Atom) { captured[a] = a.Site.Kind == SymbolSite && !coordinates(a.Site) })
	}
	st.reach(v, func(a Atom, depth int) {
		// A goroutine calls the functions it has captured. A function that was sent may be called later.
		runs := how == byGoroutine && isFunction(a.Site)
		if a.Region == nil && a.Site.Kind == SymbolSite && (depth == 0 || runs || captured[a]) {
			if src, ok := f.source(a); ok && runs {
				f.effect(st, OpRuns, nil, Place{}, src, true, pos)
			} else if ok {
				f.effect(st, OpSent, nil, Place{}, src, true, pos)
			}
		}
		if a.Region == nil || a.Site.Kind == MarkSite || a.Site.Slot || a.Site.called != nil {
			return
		}
		if a.Stale != nil {
			f.see(Fault{Kind: FaultUse, Of: a, Pos: pos})
			return
		}
		happen(st, st.lent, a.Region, pos, how)
		if src, ok := f.source(a); ok {
			f.effect(st, OpSent, nil, Place{}, src, true, pos)
		}
	})
}

// lendGroup notes that a goroutine uses a WaitGroup, but not the object that holds the group.
func (f *function) lendGroup(st *state, group value, pos token.Pos) {
	for _, a := range group.atoms() {
		if a.Region != nil && a.Stale == nil {
			happen(st, st.lent, a.Region, pos, byGoroutine)
		}
	}
}

// wait notes that the function has waited for other goroutines.
func (f *function) wait(st *state) {
	clear(st.handed)
	clear(st.lent)
	maps.DeleteFunc(st.done, func(k *effectKey, _ bool) bool { return k.op == OpSent }) // callers need not wait
	k := f.key(effectKey{op: OpWait})
	f.effects[k], st.done[k] = Effect{Op: OpWait}, true
}

// sinks lists the functions that use an argument in a way that memory of an arena does not allow, with the number of the
// argument. The collector knows an arena's chunks, not the values in them. A client of net/http may return before its
// transport has read the body of a request.
var sinks = map[string]struct {
	op  Op
	arg int
}{
	"runtime.SetFinalizer": {OpFinalizer, 0}, "runtime.AddCleanup": {OpCleanup, 0}, "weak.Make": {OpWeak, 0}, "unique.Make": {OpUnique, 0},
	"net/http.NewRequest": {OpBody, 2}, "net/http.NewRequestWithContext": {OpBody, 3}, "net/http.Post": {OpBody, 2}, "net/http.Client.Post": {OpBody, 3},
}

// sinkCall models a call of one of sinks.
func (f *function) sinkCall(st *state, instr ssa.CallInstruction, name string, args []value) {
	sink, ok := sinks[name]
	if !ok || sink.arg >= len(args) {
		return
	}
	pos := f.position(instr)
	f.sinks(st, sink.op, keptBy(sink.op, args[sink.arg], instr.Common().Args[sink.arg].Type()), "", pos)
	if sink.op != OpBody {
		for _, v := range args[1:] {
			f.lend(st, v, pos, "kept until "+name+" runs its function")
		}
	}
}

// keptBy returns the part of v, of type t, that a function of the collector's API keeps. unique.Make copies the strings
// of a value, except behind pointers and interfaces. The others keep the pointer itself.
func keptBy(o Op, v value, t types.Type) value {
	if o != OpUnique || t == nil {
		return v
	}
	var out value
	for _, l := range access.Leaves(t) {
		if catalog.IsText(l.Type) {
			continue
		}
		for _, e := range v {
			if rest, ok := strings.CutPrefix(e.path, l.Path); ok && (rest == "" || types.IsInterface(l.Type)) {
				out = out.add(e)
			}
		}
	}
	return out
}

// sinks reports arena memory in a sink, and notes values that callers know. A body is the contents of a reader. via is
// the callee, or empty.
func (f *function) sinks(st *state, o Op, v value, via string, pos token.Pos) {
	depth := 0
	if o == OpBody {
		depth = maxReach
	}
	st.reachTo(v, depth, func(a Atom, depth int) {
		switch {
		case a.Site.Kind == MarkSite:
		case a.Region != nil:
			if a.Stale == nil { // else its use is reported
				f.see(Fault{Kind: FaultSink, Op: o, Of: a, Via: via, Pos: pos})
			}
		case a.Site.Kind == SymbolSite && depth <= 1:
			if src, ok := f.source(a); ok {
				f.effect(st, o, nil, Place{}, src, true, pos)
			}
		}
	})
}
