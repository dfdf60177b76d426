package flow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// bodies lists the functions of net/http that take the body of a client's request, with the number of that argument. A
// client may return before its transport has read the body.
var bodies = map[string]int{
	"net/http.NewRequest": 2, "net/http.NewRequestWithContext": 3, "net/http.Post": 2, "net/http.Client.Post": 3,
}

// bodyCall models a call of one of bodies.
func (f *function) bodyCall(st *state, instr ssa.CallInstruction, name string, args []value) {
	if i, ok := bodies[name]; ok && i < len(args) {
		f.isBody(st, args[i], "", f.position(instr))
	}
}

// applyBody models a call of a function that uses its argument as a body.
func (f *function) applyBody(st *state, instr ssa.CallInstruction, e Effect, args []value, name string) {
	pos := e.pos
	if !f.within(pos) {
		pos = f.position(instr)
	}
	f.isBody(st, f.remade(st, instr, "body", e.From, args), name, pos)
}

// isBody reports arena memory that a body reads, and notes a body that callers know. via is the callee, or empty.
func (f *function) isBody(st *state, body value, via string, pos token.Pos) {
	st.reach(body, func(a Atom, depth int) {
		switch {
		case a.Site.Kind == MarkSite, a.Site.Slot:
		case a.Region != nil:
			if a.Stale == nil { // else its use is reported
				f.see(Fault{Kind: FaultBody, Of: a, Via: via, Pos: pos})
			}
		case a.Site.Kind == SymbolSite && depth <= 1: // the reader, or its contents
			if src, ok := f.source(a); ok {
				f.effect(st, OpBody, nil, Place{}, src, true, pos)
			}
		}
	})
}
