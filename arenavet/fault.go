package arenavet

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// faultKind is a kind of Fault.
type faultKind uint8

const (
	faultUse       faultKind = iota + 1 // memory is used that Of's Stale took back; by an Unlock or not
	faultHandle                         // an arena is used that Of's Stale took back
	faultLate                           // memory is used by a callee, Via, which took it back itself by Op
	faultReturn                         // memory or an arena is returned that Of's Stale took back: it, or what result N leads to
	faultKept                           // memory is stored where it outlives the function, and Of's Stale took it back
	faultLent                           // memory of Arena went to others, How, and By takes it back while they may use it
	faultTwice                          // an arena or slot is given back, by Op, that Of's Stale took back
	faultLost                           // Arena is not put back on the path that returns at Pos; without one, before its Get runs again
	faultMark                           // a mark is rewound to that Of's Stale made useless
	faultShared                         // Arena is used by the goroutine that starts at Pos, or that it was Given, and at Other, or by the caller
	faultFork                           // Of.site, a fork of Arena, is used by the goroutine that starts at Pos, and Arena is taken back at Other
	faultForkPut                        // a fork is given to a pool
	faultUnwritten                      // memory is read that nothing has written
	faultAppend                         // builtin append to memory of an arena, by Call
	faultCollector                      // memory is given to the collector's API, by Op, called by Via
)

// fault is a place where a value is used though it is dead, or goes where it would be.
type fault struct {
	Kind   faultKind
	Pos    token.Pos
	Of     atom
	Arena  *site
	Other  token.Pos
	By     *event
	Op     op
	Via    string
	How    string
	N      int
	Unlock bool
	Given  bool
	Call   *ssa.Call
}

// see tells the observer of a fault, in the last pass over the function.
func (f *function) see(x fault) {
	if f.observe != nil {
		f.observe(x)
	}
}
