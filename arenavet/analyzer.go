// Package arenavet finds misuse of github.com/ebbpool/arena at compile time. docs/arenavet.md has a section for each
// rule.
//
// The analyzer works on SSA form. It follows the possible values of each variable along all paths of a function, and
// exports a summary of the function as a fact: which results are memory of which argument, what is stored in which
// place, and which arenas are taken back. So it sees through helpers, also in other packages.
//
// It reports what happens on some path. It is silent about calls of unknown functions, and about arenas that it cannot
// distinguish, such as the elements of a slice.
package arenavet

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"

	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
	"github.com/ebbpool/arena/arenavet/internal/heap"
	"github.com/ebbpool/arena/arenavet/internal/rules"
)

// Analyzer reports misuse of arenas and pools. The category of a diagnostic is the name of its rule, and its
// URL is the rule's section of docs/arenavet.md.
var Analyzer = &analysis.Analyzer{
	Name:      "arenavet",
	Doc:       doc,
	URL:       finding.Page,
	Run:       run,
	Requires:  []*analysis.Analyzer{ctrlflow.Analyzer},
	FactTypes: []analysis.Fact{new(flow.Summary), new(rules.Asks), new(rules.Waits)},
}

// Rules lists the names of all rules.
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

// heapAdvice is the flag -heap.
var heapAdvice bool

func init() {
	Analyzer.Flags.BoolVar(&heapAdvice, "heap", false, "advise what could lie in an arena that is in scope, and goes to the heap")
}

func run(pass *analysis.Pass) (any, error) {
	if flow.OfStandard(pass) {
		return nil, nil // package catalog describes the standard library
	}
	c := flow.Analyze(pass)
	ignored, waits := finding.ReadIgnored(pass), rules.FindTransport(pass)
	for _, fn := range c.Functions {
		rules.Check(c, fn, waits, ignored)
	}
	rules.CheckContexts(c, ignored)
	if heapAdvice {
		heap.Advise(c, ignored)
	}
	c.Export()
	return nil, nil
}
