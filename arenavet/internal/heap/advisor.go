// Package heap advises and fixes allocations on Go's heap in functions that have an arena: the flag -heap. It works on
// the syntax tree, and asks package flow about callees.
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

// advisor advises one function.
type advisor struct {
	pkg       *flow.Package
	header    *ast.FuncType
	body      *ast.BlockStmt
	signature *types.Signature
	index
	arenas   []ast.Expr // those in scope, in order of preference
	request  string     // if there are none, the parameter whose context has an arena
	params   map[types.Object]bool
	vertices map[place]*vertex
	circle   []*vertex         // open vertices of the search, in order
	steps    int               // of the search
	at       ast.Node          // the current node
	done     map[ast.Node]bool // nodes covered by earlier advice
	ignored  finding.IgnoredLines
	list     *adviceList
}

// index is computed in one walk over a function.
type index struct {
	parents map[ast.Node]ast.Node
	uses    map[types.Object][]*ast.Ident // of variables
	nodes   int                           // of the body
}

// place is an ast.Node or a types.Object.
type place any

// vertex is a place in the search of search.go.
type vertex struct {
	order  int    // order of the visit, then the lowest order it leads back to
	worst  escape // of the places reached so far
	closed bool   // worst is final
}

// escape is how far a value gets, as in a compiler's escape analysis.
type escape uint8

const (
	stays    escape = iota // it stays in the function
	goesOut                // it is returned, stored, or passed to a call
	outlives               // it may be used after the arena's end
)

func isArena(t types.Type) bool { return catalog.IsHandle(t) && catalog.ArenaType(t) == "Arena" }

func replace(from, to token.Pos, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: from, End: to, NewText: []byte(text)}
}

func insert(at token.Pos, text string) analysis.TextEdit { return replace(at, at, text) }
