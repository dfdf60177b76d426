// Package arenavet finds misuse of github.com/ebbpool/arena at compile time:
// memory that leaves the function that takes it back, use after Reset, Rewind,
// Release or Put, arenas in two goroutines, builtin append to arena slices,
// arenas that are not put back or put back twice, Uninit memory that is read
// before it is written, marks that are no longer good, and finalizers and the
// like on memory of arenas.
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
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/ssa"
)

// Analyzer reports misuse of arenas, slabs and pools. The category of a
// diagnostic is the name of its rule, and its URL leads to the rule's section
// of docs/arenavet.md.
var Analyzer = &analysis.Analyzer{
	Name:      "arenavet",
	Doc:       doc,
	URL:       page,
	Run:       run,
	Requires:  []*analysis.Analyzer{ctrlflow.Analyzer},
	FactTypes: []analysis.Fact{new(Summary)},
}

const doc = `report misuse of github.com/ebbpool/arena

Reported are memory that leaves the function that takes it back, use after
Reset, Rewind, Release or Put, arenas in two goroutines, builtin append to
arena slices, Get without Put and Put twice, Uninit memory that is read before
it is written, marks that are no longer good, and finalizers, cleanups, weak
pointers and unique handles of arena memory. A comment

	//arenavet:ignore reason

on the line of a finding, or alone on the line above it, suppresses it.`

// checker is the analysis of one package.
type checker struct {
	pass      *analysis.Pass
	ssa       *ssa.Package
	summaries map[*ssa.Function]*Summary // of this package's functions
	unknown   map[*ssa.Function]bool     // those that callers know nothing of: too large, or too much is done to arguments
	tooLarge  map[*ssa.Function]bool     // those that the search gave up
	imported  map[*types.Func]*Summary
	names     map[token.Pos]string        // of the variable that a call's result is assigned to, by its parenthesis
	calls     map[token.Pos]*ast.CallExpr // by their parenthesis
	appended  map[token.Pos]bool          // appends that were reported, by their parenthesis
	putting   *bool                       // whether the package puts arenas back; nil: not looked for yet
}

// maxRounds bounds how often a function is looked at anew because one that it
// calls has changed.
const maxRounds = 6

func run(pass *analysis.Pass) (any, error) {
	path := packagePath(pass.Pkg)
	if isStandard(path) && (pass.Module == nil || pass.Module.Path == "" || pass.Module.Path == "std") {
		return nil, nil // what matters of the standard library is in tables
	}
	c := newChecker(pass)
	c.readNames()
	var funcs []*ssa.Function
	for _, fn := range c.build() {
		if path == arenaPath && c.inTest(fn.Pos()) {
			continue // the library's own tests misuse it on purpose
		}
		funcs = append(funcs, fn)
		c.summaries[fn] = &Summary{}
	}
	c.solve(funcs)
	if heapAdvice {
		c.findMakers(funcs)
	}
	ignored := c.ignoreComments()
	for _, fn := range funcs {
		if c.tooLarge[fn] || !c.relevant(fn) {
			continue // nothing is known of it, or nothing in it comes from an arena
		}
		f := newFunction(c, fn)
		f.solve(true)
		f.report(ignored)
	}
	if heapAdvice {
		c.advise(ignored)
	}
	for _, fn := range funcs {
		obj, ok := fn.Object().(*types.Func)
		if s := c.summaries[fn].withoutBodies(); ok && obj.Exported() && !c.unknown[fn] && (!s.empty() || takesHandle(fn)) {
			pass.ExportObjectFact(obj, s)
		}
	}
	return nil, nil
}

func newChecker(pass *analysis.Pass) *checker {
	return &checker{
		pass:      pass,
		summaries: map[*ssa.Function]*Summary{}, imported: map[*types.Func]*Summary{}, unknown: map[*ssa.Function]bool{}, tooLarge: map[*ssa.Function]bool{},
		names: map[token.Pos]string{}, calls: map[token.Pos]*ast.CallExpr{}, appended: map[token.Pos]bool{},
	}
}

// build makes the package's SSA form and returns its functions, literals
// included. It does what analyzer buildssa does, which would also do it for
// every package of the standard library.
func (c *checker) build() []*ssa.Function {
	prog := ssa.NewProgram(c.pass.Fset, ssa.BuilderMode(0))
	prog.SetNoReturn(c.pass.ResultOf[ctrlflow.Analyzer].(*ctrlflow.CFGs).NoReturn)
	for _, p := range c.pass.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	c.ssa = prog.CreatePackage(c.pass.Pkg, c.pass.Files, c.pass.TypesInfo, false)
	c.ssa.Build()
	var funcs []*ssa.Function
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		funcs = append(funcs, fn)
		for _, literal := range fn.AnonFuncs {
			add(literal)
		}
	}
	for _, literal := range c.ssa.Func("init").AnonFuncs {
		add(literal) // of a variable of the package
	}
	for _, file := range c.pass.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				add(prog.FuncValue(c.pass.TypesInfo.Defs[decl.Name].(*types.Func)))
			}
		}
	}
	return funcs
}

func (c *checker) inTest(pos token.Pos) bool {
	return strings.HasSuffix(c.pass.Fset.Position(pos).Filename, "_test.go")
}

func takesHandle(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool { return mayHold(p.Type(), 0) })
}

// solve computes the summaries of functions that call each other, callees
// first, until none changes.
func (c *checker) solve(funcs []*ssa.Function) {
	users := map[*ssa.Function][]*ssa.Function{}
	mentions := func(fn *ssa.Function, f func(*ssa.Function)) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if call, ok := instr.(ssa.CallInstruction); ok && call.Common().IsInvoke() {
					if g := invoked(call.Common()); g != nil {
						f(origin(g))
					}
				}
				for _, p := range instr.Operands(nil) {
					if g, ok := (*p).(*ssa.Function); ok {
						f(origin(g))
					}
				}
			}
		}
	}
	var order []*ssa.Function
	seen := map[*ssa.Function]bool{}
	var visit func(fn *ssa.Function)
	visit = func(fn *ssa.Function) {
		if seen[fn] || c.summaries[fn] == nil {
			return
		}
		seen[fn] = true
		mentions(fn, func(g *ssa.Function) {
			users[g] = append(users[g], fn)
			visit(g)
		})
		for _, g := range fn.AnonFuncs {
			visit(g)
		}
		order = append(order, fn)
	}
	for _, fn := range funcs {
		visit(fn)
	}
	rounds := map[*ssa.Function]int{}
	queued := map[*ssa.Function]bool{}
	for _, fn := range order {
		queued[fn] = true
	}
	for len(order) > 0 {
		fn := order[0]
		order = order[1:]
		queued[fn] = false
		if rounds[fn]++; rounds[fn] > maxRounds {
			continue
		}
		f := newFunction(c, fn)
		s := f.solve(false)
		if s == nil {
			c.unknown[fn], c.tooLarge[fn] = true, f.budget < 0
			continue
		}
		if s.equal(c.summaries[fn]) {
			continue
		}
		c.summaries[fn] = s
		for _, g := range users[fn] {
			if !queued[g] {
				queued[g] = true
				order = append(order, g)
			}
		}
	}
}

// relevant reports whether fn deals with arenas: by the types of its values, or
// by what it calls.
func (c *checker) relevant(fn *ssa.Function) bool {
	concerns := func(v ssa.Value) bool {
		if v == nil {
			return false
		}
		if g, ok := v.(*ssa.Function); ok {
			s := c.summary(g)
			return s != nil && s.aboutArenas()
		}
		t := v.Type()
		if p, ok := t.Underlying().(*types.Pointer); ok && arenaType(p) == "" {
			t = p.Elem()
		}
		return arenaType(t) != ""
	}
	for _, p := range fn.Params {
		if concerns(p) {
			return true
		}
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if v, ok := instr.(ssa.Value); ok && concerns(v) {
				return true
			}
			for _, p := range instr.Operands(nil) {
				if concerns(*p) {
					return true
				}
			}
		}
	}
	return false
}

// summary is what is known of fn, or nil.
func (c *checker) summary(fn *ssa.Function) *Summary {
	fn = origin(fn)
	if s := c.summaries[fn]; s != nil {
		if len(fn.Blocks) == 0 || c.unknown[fn] {
			return nil // written in assembly, or too large
		}
		return s
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || fn.Synthetic != "" && fn.Synthetic != "from type information" && !strings.HasPrefix(fn.Synthetic, "from type") {
		return nil
	}
	obj = obj.Origin()
	s, ok := c.imported[obj]
	if !ok {
		s = new(Summary)
		if !c.pass.ImportObjectFact(obj, s) {
			s = nil
		}
		c.imported[obj] = s
	}
	return s
}

// global finds a package's variable by what Place.Global says.
func (c *checker) global(name string) *ssa.Global {
	i := strings.LastIndex(name, ".")
	for _, p := range c.ssa.Prog.AllPackages() {
		if packagePath(p.Pkg) == name[:i] {
			g, _ := p.Members[name[i+1:]].(*ssa.Global)
			return g
		}
	}
	return nil
}

// readNames notes how the source calls what calls return.
func (c *checker) readNames() {
	for _, file := range c.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				c.calls[n.Lparen] = n
			case *ast.AssignStmt:
				for i, rhs := range n.Rhs {
					if call, ok := ast.Unparen(rhs).(*ast.CallExpr); ok && i < len(n.Lhs) {
						c.name(call, n.Lhs[i])
					}
				}
			case *ast.ValueSpec:
				for i, rhs := range n.Values {
					if call, ok := ast.Unparen(rhs).(*ast.CallExpr); ok && i < len(n.Names) {
						c.name(call, n.Names[i])
					}
				}
			}
			return true
		})
	}
}

func (c *checker) name(call *ast.CallExpr, lhs ast.Expr) {
	if simple(lhs) && types.ExprString(lhs) != "_" {
		c.names[call.Lparen] = types.ExprString(lhs)
	}
}

// simple reports whether e is a name, or names with dots between them.
func simple(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return simple(e.X)
	}
	return false
}
