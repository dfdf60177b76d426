package rules

import (
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
)

// collected reports memory of an arena that is passed to the collector's API.
func (r *reporter) collected(x flow.Fault) {
	o, a, via, pos := x.Op, x.Of, x.Via, x.Pos
	call, what, advice := "", " on "+r.memoryName(a), ""
	switch o {
	case flow.OpBody:
		r.body(x)
		return
	case flow.OpFinalizer:
		call, advice = "runtime.SetFinalizer", "the runtime ends the program unless the value is the first of its chunk: call the function when the memory is taken back"
	case flow.OpCleanup:
		call, advice = "runtime.AddCleanup", "it runs when the whole chunk is garbage, not when the arena takes the value back: call the function then"
	case flow.OpWeak:
		call, what, advice = "weak.Make", " of "+r.memoryName(a), "it returns whatever uses the memory next, as long as the chunk lives: use an object on Go's heap"
	case flow.OpUnique:
		call, what, advice = "unique.Make", " of "+r.memoryName(a), "the value stays in a table of the program, and changes when the memory is used again: pass a copy, or a string, which unique.Make copies"
	}
	if via != "" && !strings.Contains(via, "$") {
		call = via + " calls " + call
	}
	r.find(finding.Collector, pos, [4]any{finding.Collector, o, a.Site, pos}, call+what+": "+advice)
}
