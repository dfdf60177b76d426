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
	case flow.OpFinalizer:
		call, advice = "runtime.SetFinalizer", "the runtime ends the program, unless that is the first value of a chunk: run the function where the memory is taken back"
	case flow.OpCleanup:
		call, advice = "runtime.AddCleanup", "it runs when the whole chunk is garbage, not when the arena takes the value back: run the function there"
	case flow.OpWeak:
		call, what, advice = "weak.Make", " of "+r.memoryName(a), "it yields what gets the memory next, for as long as the chunk lives: make it of an object of Go's heap"
	case flow.OpUnique:
		call, what, advice = "unique.Make", " of "+r.memoryName(a), "a table of the whole program keeps it, and it changes there when the memory is used again: make it of a copy, or of a string, which it copies itself"
	}
	if via != "" && !strings.Contains(via, "$") {
		call = via + " calls " + call
	}
	r.find(finding.Collector, pos, [4]any{finding.Collector, o, a.Site, pos}, call+what+": "+advice)
}
