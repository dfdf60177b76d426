package rules

import (
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
)

// staleMemory reports a use of stale memory.
func (r *reporter) staleMemory(x flow.Fault) {
	what, advice := "use of ", "use it before, or copy what is needed later (strings.Clone, slices.Clone)"
	stale := x.Of.Stale
	switch {
	case x.Unlock && stale.Deferred:
		what, advice = "unlock of ", "the runtime may end the program there; deferred calls run in reverse order, so defer the unlock behind it"
	case x.Unlock:
		what, advice = "unlock of ", "the runtime may end the program there; unlock before"
	case stale.Op == flow.OpDeallocate:
		advice = "deallocate it after its last use"
	}
	r.findOf(stale, finding.Stale, x.Pos, [3]any{finding.Stale, x.Of.Site, stale},
		what+r.memoryName(x.Of)+", which "+r.taken(stale)+": "+advice)
}

// staleHandle reports a use of an arena after Put.
func (r *reporter) staleHandle(x flow.Fault) {
	stale := x.Of.Stale
	r.findOf(stale, finding.Stale, x.Pos, [3]any{finding.Stale, x.Of.Site, stale},
		"use of "+r.handleName(x.Of.Site)+", which "+r.taken(stale)+": put it after its last use, or Get another one")
}

// late reports a callee that uses memory which it has taken back.
func (r *reporter) late(x flow.Fault) {
	name := x.Via
	if name == "" || strings.Contains(name, "$") {
		name = "a function that is called here"
	}
	verb, advice := " uses ", "use it before"
	if x.Unlock {
		verb, advice = " unlocks ", "the runtime may end the program there; unlock before"
	}
	r.find(finding.Stale, x.Pos, [3]any{finding.Stale, x.Of.Site, x.Pos}, name+verb+r.memoryName(x.Of)+", after its "+x.Op.String()+" has taken that back: "+advice)
}
