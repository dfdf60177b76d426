package flow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// FaultKind is the kind of a Fault.
type FaultKind uint8

const (
	FaultUse       FaultKind = iota + 1 // use of memory that Of.Stale took back
	FaultHandle                         // use of an arena that Of.Stale took back
	FaultLate                           // use of memory by a callee, Via, that took it back itself, by Op
	FaultReturn                         // result N is, or leads to, memory or an arena that Of.Stale took back
	FaultKept                           // memory that Of.Stale took back is stored in an object that outlives the function
	FaultLent                           // memory of Arena was given away, How, and By takes it back while it may be in use
	FaultTwice                          // second Put or Deallocate, Op, of an arena or slot that Of.Stale took back
	FaultLost                           // Arena is not put back on the path that returns at Pos, or before its Get runs again if Pos is invalid
	FaultMark                           // Rewind to a mark that Of.Stale made stale
	FaultShared                         // Arena is used by the goroutine started at Pos, or that received it (Given), and at Other or by the caller
	FaultFork                           // Of, a fork of Arena, is used by the goroutine started at Pos, and Arena is taken back at Other
	FaultForkPut                        // Put of a fork
	FaultUnwritten                      // read of memory that was never written
	FaultAppend                         // builtin append, Call, to memory of an arena
	FaultCollector                      // memory is passed to the collector's API, Op, by Via
	FaultBody                           // memory is the body of a client's request, made by Via
)

// Fault is the use of a dead value, or a flow of a live value to a place where it will be dead.
type Fault struct {
	Kind   FaultKind
	Pos    token.Pos // where to report it
	Of     Atom      // the value
	Arena  *Site     // the value's arena, or the arena itself
	Other  token.Pos // the other use, or invalid
	By     *Event    // what takes it back
	Op     Op
	Via    string    // the callee at fault, or empty
	How    string    // how it was given away, such as "sent on a channel"
	N      int       // number of the result
	Unlock bool      // the use unlocks a mutex
	Given  bool      // the arena was sent on a channel
	Call   *ssa.Call // of append
}
