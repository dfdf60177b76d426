package arenavet

import "strings"

// staleMemory is a use of memory that was taken back.
func (r *reporter) staleMemory(x fault) {
	what, advice := "use of ", "use it before, or copy what is needed later (strings.Clone, slices.Clone)"
	stale := x.Of.stale
	switch {
	case x.Unlock && stale.deferred:
		what, advice = "unlock of ", "the runtime may end the program there; deferred calls run in reverse order, so defer the unlock behind it"
	case x.Unlock:
		what, advice = "unlock of ", "the runtime may end the program there; unlock before"
	case stale.op == opDeallocate:
		advice = "deallocate it after its last use"
	}
	r.findOf(stale, ruleStale, x.Pos, [3]any{ruleStale, x.Of.site, stale},
		what+r.memoryName(x.Of)+", which "+r.taken(stale)+": "+advice)
}

// staleHandle is a use of an arena that was put back.
func (r *reporter) staleHandle(x fault) {
	stale := x.Of.stale
	r.findOf(stale, ruleStale, x.Pos, [3]any{ruleStale, x.Of.site, stale},
		"use of "+r.handleName(x.Of.site)+", which "+r.taken(stale)+": put it after its last use, or Get another one")
}

// late is a use of memory by a callee that has taken it back before.
func (r *reporter) late(x fault) {
	name := x.Via
	if name == "" || strings.Contains(name, "$") {
		name = "a function that is called here"
	}
	verb, advice := " uses ", "use it before"
	if x.Unlock {
		verb, advice = " unlocks ", "the runtime may end the program there; unlock before"
	}
	r.find(ruleStale, x.Pos, [3]any{ruleStale, x.Of.site, x.Pos}, name+verb+r.memoryName(x.Of)+", after its "+x.Op.String()+" has taken that back: "+advice)
}
