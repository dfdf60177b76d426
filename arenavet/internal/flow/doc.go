// Package flow answers of each value of a function: where does it come from, where does it
// go, and when is it dead? It reports nothing and advises nothing: package rules turns what
// it sees into findings, package heap into advice, and a converter may ask it the same.
//
// # Values
//
// A value is all that a register of the SSA form may be: entries, each an Atom at a path
// within the value. An Atom is a pointer (or a slice, string, map, interface) to a place in
// a Site, which stands for all the objects that one instruction makes, or that one path from
// an argument leads to:
//
//	a := pool.Get()             a: Site 1, a handle
//	n := arena.New[Node](a)     n: Site 2, memory, whose Region is Site 1
//	n.next = p.next             p.next: Site 3, a symbol: what "*;f1;" leads to from p
//
//	registers               sites                           what lies in them
//	+---+   atom            +-----------------+
//	| n |------------------>| 2 memory        |  f1; ---->  +----------+
//	+---+                   +--------+--------+             | 3 symbol |
//	+---+                            | Region               +----------+
//	| a |------------------>+--------v--------+
//	+---+                   | 1 handle        |
//	                        +-----------------+
//
// Package access lists the steps of a path. Paths have a limited depth; those of recursive
// types are folded.
//
// # Flows
//
// A state holds what may be true at one point of a function: registers, what lies in sites,
// and which arenas are to be put back, are in a goroutine's hands, or have memory that others
// got. A function carries states through its blocks until none changes; where paths meet,
// states are joined, so that what holds on any of them may hold:
//
//	   entry: arguments are symbols
//	     |
//	+----v-----+   instruction, call    function_transfer.go, call*.go
//	|  block   |   a condition's edge   function_edge.go
//	+-+------+-+
//	  |      |     join                 state_join.go
//	+-v------v-+
//	|  return  |   what leaves          function_leaving.go
//	+----+-----+
//	     v                              function_summary.go
//	  Summary: what callers need to know, in their words: Flow (a result or a
//	  write comes from a Source), Effect (an Op on an arena at a Place)
//
// Callees come first, and functions that call each other are looked at until their summaries
// stay as they are. Summaries of exported functions are facts: other packages have them. A
// call looks up which functions it may reach (call.go, function_dispatch.go), and applies
// their summaries (function_apply.go). What is known of functions without a summary is in
// package catalog, or nothing: then arenas that they are given may be put back elsewhere.
//
// # Dead or alive
//
//	alive --Reset, Release, Rewind, Put, Deallocate--> stale, by an Event --(used)--> Fault
//
// Taking an arena back makes every Atom stale whose Region it is, or ends with it, as a fork
// does: but for a Rewind those that are older than its mark. It does so only where it is sure
// to be done, and to that arena. A Fault is a stale value that is used, returned or kept, or
// a value that goes where it would be one, as to a goroutine.
//
// # Files
//
// They use each other one way, from below: what there is (op.go, summary.go, site.go,
// value.go), what may hold (state*.go), what is known of a package (package.go), what a function
// does to a state (function*.go), which calls do what (call*.go), one instruction after another
// (function_transfer.go), and the search (solve.go). What shows without a state is in package
// ssaform.
//
// # Use
//
//	p := flow.Analyze(pass)               // all of a package
//	for _, fn := range p.Concerned() {    // its functions that deal with arenas
//		p.Check(fn, func(x flow.Fault) { ... })
//	}
//	s := p.Summary(p.Function(obj))       // what a function does; nil where that is not known
//	p.Export()                            // to the packages that import this one
//
// A search has a budget, so that a generated function ends, too: what is beyond is treated
// as code that nothing is known of.
package flow
