package flow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// FaultKind is a kind of Fault.
type FaultKind uint8

const (
	FaultUse       FaultKind = iota + 1 // memory is used that Of's Stale took back; by an Unlock or not
	FaultHandle                         // an arena is used that Of's Stale took back
	FaultLate                           // memory is used by a callee, Via, which took it back itself by Op
	FaultReturn                         // memory or an arena is returned that Of's Stale took back: it, or what result N leads to
	FaultKept                           // memory is stored where it outlives the function, and Of's Stale took it back
	FaultLent                           // memory of Arena went to others, How, and By takes it back while they may use it
	FaultTwice                          // an arena or slot is given back, by Op, that Of's Stale took back
	FaultLost                           // Arena is not put back on the path that returns at Pos; without one, before its Get runs again
	FaultMark                           // a mark is rewound to that Of's Stale made useless
	FaultShared                         // Arena is used by the goroutine that starts at Pos, or that it was Given, and at Other, or by the caller
	FaultFork                           // Of, a fork of Arena, is used by the goroutine that starts at Pos, and Arena is taken back at Other
	FaultForkPut                        // a fork is given to a pool
	FaultUnwritten                      // memory is read that nothing has written
	FaultAppend                         // builtin append to memory of an arena, by Call
	FaultCollector                      // memory is given to the collector's API, by Op, called by Via
	FaultBody                           // memory is the body of a client's request, made by Via
)

// Fault is a place where a value is used though it is dead, or goes where it would be.
type Fault struct {
	Kind   FaultKind
	Pos    token.Pos // where to say so
	Of     Atom      // what it is about
	Arena  *Site     // whose memory it is, or the arena itself
	Other  token.Pos // the other place where it is used, or none
	By     *Event    // what takes it back
	Op     Op
	Via    string    // the function that does it, where it was called; empty where that has no name
	How    string    // it was lent: "sent on a channel"
	N      int       // of a result
	Unlock bool      // it is used to give back a mutex
	Given  bool      // it was sent on a channel
	Call   *ssa.Call // of append
}
