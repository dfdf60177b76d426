package flow

import (
	"go/token"
	"strings"
)

// effect notes what the function does to an arena that its callers know.
func (f *function) effect(st *state, o Op, k *Site, mark Place, from Source, must bool, pos token.Pos) {
	var at Place
	if k != nil {
		p, ok := f.place(k)
		if !ok || k.Kind == HandleSite || strings.Contains(k.Path, any_) {
			return
		}
		at = p
	}
	f.effectAt(st, o, at, mark, from, must, pos)
}

// effectAt is effect for an arena at a place.
func (f *function) effectAt(st *state, o Op, at, mark Place, from Source, must bool, pos token.Pos) {
	key := effectKey{o, at, mark, from}
	if len(st.done) >= maxSummary {
		return
	}
	e, ok := f.effects[key]
	if !ok {
		e = Effect{Op: o, At: at, Mark: mark, From: from, Locked: true, pos: pos}
	}
	e.Locked = e.Locked && st.locked && o != OpGoroutine // which does not hold what its starter holds
	f.effects[key] = e
	st.done[key] = st.done[key] || must
}
