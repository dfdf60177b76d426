// Package flow follows every value of a function: where it comes from, where it goes, and when it is dead. It reports
// nothing itself. Package rules turns its faults into findings, package heap asks it for advice, and the converter for
// facts about functions.
//
// # Values
//
// A value is the possible contents of a register of the SSA form: entries, each an Atom at a path within the value. An
// Atom is a pointer (or a slice, string, map, interface) to a place in a Site. A Site stands for all objects that one
// instruction allocates, or that one path from an argument leads to:
//
//	a := pool.Get()             a: Site 1, a handle
//	n := arena.New[Node](a)     n: Site 2, memory, whose Region is Site 1
//	n.next = p.next             p.next: Site 3, a symbol: what "*;f1;" leads to from p
//
//	registers               sites                           contents
//	+---+   atom            +-----------------+
//	| n |------------------>| 2 memory        |  f1; ---->  +----------+
//	+---+                   +--------+--------+             | 3 symbol |
//	+---+                            | Region               +----------+
//	| a |------------------>+--------v--------+
//	+---+                   | 1 handle        |
//	                        +-----------------+
//
// Package access lists the steps of a path. Paths have a limited depth, and paths of recursive types are folded.
//
// # Flows
//
// A state holds what may be true at one point of a function: the contents of registers and sites, the arenas to be put
// back, the arenas in use by a goroutine, the arenas whose memory others have, and the outcomes of conditions with which
// each of these happened (state_steps.go). A function carries states through its blocks until none changes. Where paths
// meet, states are joined, so the result holds what is possible on any path:
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
//	  Summary: what callers need to know, in their terms: Flow (a result or a
//	  write comes from a Source), Effect (an Op on an arena at a Place)
//
// Callees are analyzed first, and mutually recursive functions until their summaries are stable. Summaries of exported
// functions are facts, which importing packages read. A call finds the functions that it may reach (call.go,
// function_dispatch.go) and applies their summaries (function_apply.go). Package catalog describes functions without a
// summary. Other functions are unknown: they may put back the arenas they are given.
//
// # Dead or alive
//
//	alive --Reset, Release, Rewind, Put, Deallocate--> stale, by an Event --(used)--> Fault
//
// Taking an arena back makes the Atoms of its Region stale, and those of its forks. Rewind spares the Atoms older than
// its mark. Nothing becomes stale unless the call is certain to happen, and to that arena. A Fault is a stale value
// that is used, returned or kept, or a value that is given away and may be used when it is stale.
//
// # Files
//
// Files use each other one way. In order: the vocabulary (summary.go, site.go, value.go), states (state*.go), a
// package (package.go, facts.go), changes to a state (function*.go), calls (call*.go), the transfer function
// (function_transfer.go), and the search (solve.go). Package ssaform has the questions that need no state.
//
// # Use
//
//	p := flow.Analyze(pass)               // all of a package
//	p.Faults[fn]                          // of its functions that deal with arenas
//	s := p.Summary(p.Function(obj))       // nil if the function is unknown
//	p.Export()                            // facts for importing packages
//
// A search has a budget. A function that exceeds it is treated as unknown code.
package flow
