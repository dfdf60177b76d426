// Package heap advises what goes to Go's heap although an arena is at hand, and writes it: the
// flag -heap. It works on the source, not on SSA form, and asks package flow what the functions
// do that a value is given to.
package heap

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
)

// advisor looks at one function for what goes to the heap.
type advisor struct {
	pkg       *flow.Package
	header    *ast.FuncType
	body      *ast.BlockStmt
	signature *types.Signature
	index
	arenas   []ast.Expr // those in scope, the one to take first
	request  string     // the parameter whose context has the arena, where there are none
	params   map[types.Object]bool
	vertices map[place]*vertex
	circle   []*vertex         // those that are not closed yet, in their order
	steps    int               // of the search
	at       ast.Node          // what is looked at
	done     map[ast.Node]bool // parts of what was reported
	ignored  finding.IgnoredLines
	list     *adviceList
}

// index holds the notes of one walk over a function, so that no question about one place
// of it needs another.
type index struct {
	parents map[ast.Node]ast.Node
	uses    map[types.Object][]*ast.Ident        // of variables
	later   map[*ast.Ident]bool                  // uses that may run when the arena is over
	loops   map[*ast.Ident]ast.Node              // the innermost loop around a use
	returns map[*ast.ReturnStmt]*types.Signature // of the function that is returned from
	nodes   int                                  // of the body
}

// place is an expression, or another part of the source, or a types.Object.
type place any

// vertex is a place in the search.
type vertex struct {
	order  int    // in which it was met, and then the lowest of those that it leads back to
	worst  escape // of the places that were searched from here
	closed bool   // worst is the answer
}

// escape is how far a value gets, as in a compiler's escape analysis.
type escape uint8

const (
	stays    escape = iota // nobody but the function sees it
	goesOut                // it is returned, stored, or given to a call
	outlives               // it may be used when the arena is over
)

func isArena(t types.Type) bool { return catalog.IsHandle(t) && catalog.ArenaType(t) == "Arena" }

func replace(from, to token.Pos, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: from, End: to, NewText: []byte(text)}
}

func insert(at token.Pos, text string) analysis.TextEdit { return replace(at, at, text) }
