// Package arenavet finds misuse of github.com/ebbpool/arena at compile time:
// memory that leaves the function that takes it back, use after Reset, Rewind,
// Release or Put, arenas in two goroutines, builtin append to arena slices,
// arenas that are not put back or put back twice, Uninit memory that is read
// before it is written, marks that are no longer good, finalizers and the
// like on memory of arenas, bodies of requests, and contexts without an arena.
//
// It works on SSA form. For each function it follows what every value may be
// through all paths, and records as a fact what callers need to know: which
// results are memory of which argument, what is stored where, which arenas are
// taken back. So helpers are seen through, also those of other packages.
//
// It reports what some path leads to, and is silent where it can't tell:
// behind interfaces and unknown function values, and for arenas that it can't
// tell apart, such as the elements of a slice. docs/arenavet.md has a section
// for each rule.
package arenavet

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"

	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
	"github.com/ebbpool/arena/arenavet/internal/heap"
	"github.com/ebbpool/arena/arenavet/internal/rules"
)

// Analyzer reports misuse of arenas and pools. The category of a
// diagnostic is the name of its rule, and its URL leads to the rule's section
// of docs/arenavet.md.
var Analyzer = &analysis.Analyzer{
	Name:      "arenavet",
	Doc:       doc,
	URL:       finding.Page,
	Run:       run,
	Requires:  []*analysis.Analyzer{ctrlflow.Analyzer},
	FactTypes: []analysis.Fact{new(flow.Summary), new(rules.Asks), new(rules.Waits)},
}

// Rules are the names of all rules.
var Rules = finding.Rules

const doc = `report misuse of github.com/ebbpool/arena

Reported are memory that leaves the function that takes it back, use after
Reset, Rewind, Release or Put, arenas in two goroutines, builtin append to
arena slices, Get without Put and Put twice, Uninit memory that is read before
it is written, marks that are no longer good, finalizers, cleanups, weak
pointers and unique handles of arena memory, arena memory as the body of a
client's request, and FromContext of a *gin.Context. A comment

	//arenavet:ignore reason

on the line of a finding, or alone on the line above it, suppresses it.`

// heapAdvice is the flag -heap: say what goes to Go's heap although an arena is
// at hand.
var heapAdvice bool

func init() {
	Analyzer.Flags.BoolVar(&heapAdvice, "heap", false, "advise what could lie in an arena that is in scope, and goes to the heap")
}

func run(pass *analysis.Pass) (any, error) {
	if flow.OfStandard(pass) {
		return nil, nil // what matters of the standard library is in tables
	}
	c := flow.Analyze(pass)
	if heapAdvice {
		heap.FindMakers(c)
	}
	ignored, waits := finding.ReadIgnored(pass), rules.FindTransport(pass)
	for _, fn := range c.Concerned() {
		rules.Check(c, fn, waits, ignored)
	}
	rules.CheckContexts(c, ignored)
	if heapAdvice {
		heap.Advise(c, ignored)
	}
	c.Export()
	return nil, nil
}
