package convert

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

// The types that the stages share.

// Config says what to convert.
type Config struct {
	Dir       string // of the go command
	Patterns  []string
	Root      string
	Own       []string // types that end with the arena
	Trust     []string // tokens of warnings
	Carry     []string // owned types that get the arena in a field
	Heap      []string // functions that keep using the heap
	Strings   bool     // also move strings and flat slices
	Generated bool     // also convert generated files
	Force     bool     // convert in spite of warnings
	Untested  bool     // also convert what no test runs
	NoTests   bool     // skip the tests; only for tests of this package and for Suggest
	Shared    bool     // for Suggest: also own the types that a parameter of the root leads to
	suggest   bool     // the module need not require package arena yet
}

// program is the loaded module and the results of the stages.
type program struct {
	Config
	fset     *token.FileSet
	mode     packages.LoadMode // reads export data of dependencies, or their source
	pkgs     []*packages.Package
	paths    []string // of pkgs
	modules  map[*types.Package]bool
	prog     *ssa.Program
	funcs    map[*types.Func]*function
	order    []*function // of funcs, by position
	bySSA    map[*ssa.Function]*function
	src      map[string][]byte
	heap     map[string]bool // "file:line:kind" that the compiler's escape analysis names
	root     *function
	concrete []types.Type // all named types of the module that are no interfaces

	*reached
	*typeTable
	trusted  map[string]bool
	warnings []Warning
	family   map[*types.Func][]*types.Func // methods that implement an interface's, if no other package can
	flow     *graph
	slices   *rewrite.Slices        // of the functions that the root may run
	writes   map[string][]token.Pos // of values that may be in the arena into objects that may be older than the call
	dropped  map[token.Pos]string
	unused   map[string]bool
	left     map[string][]token.Pos // allocations that stay, by reason
}

// function is a declared function of the module.
type function struct {
	obj      *types.Func
	decl     *ast.FuncDecl
	pkg      *packages.Package
	file     *ast.File
	ssa      *ssa.Function
	fixed    string // why it is not rewritten
	threaded bool
	carrier  string // expression of the arena, if an object holds it
	arena    string // the arena's name in it
	twin     string // name of the function with the arena
	keeps    bool   // the original stays beside the twin
	calls    []*call
	sites    []*site
}

type call struct {
	expr *ast.CallExpr
	to   *types.Func
}

// site is an allocation that may move into the arena.
type site struct {
	node ast.Node
	kind siteKind
	typ  types.Type
	v    *types.Var // of a variable that is moved
	what string     // as messages have it
}

type siteKind uint8

const (
	siteNewOf  siteKind = iota // &T{...}
	siteNew                    // new(T)
	siteMake                   // make([]T, n)
	siteAppend                 // append(s, ...)
	siteSlice                  // []T{...}
	siteVar                    // x := v, or var x T, whose address is used
	siteConcat                 // s + t
	siteString                 // string(b)
	siteBytes                  // []byte(s)
	siteCall                   // fmt.Sprintf, strings.ToLower, ...
)

// typeTable holds the types that lead to owned values.
type typeTable struct {
	own       map[string]bool // as the user names them
	owned     []types.Type
	holders   []types.Type    // named types of the module that lead to owned ones, owned ones included
	capturing map[string]bool // signatures of closures that capture bearing values
	memo      map[types.Type]bool
}

// reached holds the functions that a call of the root may run.
type reached struct {
	reach     map[*ssa.Function]bool
	functions []*ssa.Function            // of reach, by position
	outside   map[*ssa.Function]bool     // called by other packages, with arguments that are not known
	boxed     []types.Type               // types of values that become interfaces
	asserted  []types.Type               // types that interfaces are asserted to have
	taken     map[string][]*ssa.Function // functions that are used as values, by signature
	open      map[string]bool            // signatures of functions that other packages may supply
}

// With -strings, one graph has the flow of strings and flat slices: a node for each SSA value, for each field
// of each type and for each result of a function, without order or context. A value that may reach the sink,
// which is everything that may outlive the root's call, stays on the heap.
type graph struct {
	p       *program
	back    map[any][]any              // from a node to the nodes that may flow into it
	written map[any][]any              // from a node to those whose elements change with its own
	kept    map[any]any                // from a node that may reach the sink to the next node on the way
	from    map[ssa.Value]map[any]bool // the nodes that may flow into the base of an append
	sunk    map[any]ssa.Instruction    // from a node that flows into the sink to the first instruction that does it
	now     ssa.Instruction
}

type result struct {
	f *ssa.Function
	i int
}

type sink struct{}

// Warning is a place that may hold memory of the arena after its end.
type Warning struct {
	At       string // file:line
	Function string
	Text     string
	Hint     string // the flag that answers it
	pos      token.Pos
	own      string // a type that would answer it
}

// Leftover is a group of allocations that stay on the heap.
type Leftover struct {
	Why    string
	Places int
	Allocs float64 // in a call of the root, of the tests
}

// Verified is the result of the tests.
type Verified struct {
	Modes        []string // with what the tests pass
	FailedBefore []string // tests that fail as the program is
	Calls        int      // of the root
	Before       int      // allocations of these calls
	After        int
}
