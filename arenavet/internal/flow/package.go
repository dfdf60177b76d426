package flow

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// Package is the analysis of one package.
type Package struct {
	Pass      *analysis.Pass
	Functions []*ssa.Function             // including function literals
	Names     map[token.Pos]string        // of the variable that a call's result is assigned to, by the call's Lparen
	Calls     map[token.Pos]*ast.CallExpr // by Lparen
	Appended  map[token.Pos]bool          // builtin appends to memory of arenas, by Lparen
	Faults    map[*ssa.Function][]Fault   // of functions that deal with arenas

	ssa        *ssa.Package
	summaries  map[*ssa.Function]*Summary // of Functions
	imported   map[*types.Func]*Summary   // of other packages
	unknown    map[*ssa.Function]bool     // too large, or too complex for a summary
	reads      map[*ssa.Function]*Summary // summaries read since a search began; nil: not recorded
	serves     bool                       // it uses an adapter for gRPC or connect-go, so its interceptors get requests that are memory of arenas
	puts       bool                       // it uses a Put of arenas
	perRequest map[types.Type]bool        // structs that functions of a request allocate, or nil
}

// OfStandard reports whether a pass is over a package of the standard library.
func OfStandard(pass *analysis.Pass) bool {
	return catalog.IsStandard(catalog.PackagePath(pass.Pkg)) && (pass.Module == nil || pass.Module.Path == "" || pass.Module.Path == "std")
}

// Build prepares a package without analyzing its functions.
func Build(pass *analysis.Pass) *Package {
	c := &Package{
		Pass:      pass,
		summaries: map[*ssa.Function]*Summary{}, imported: map[*types.Func]*Summary{}, unknown: map[*ssa.Function]bool{},
		Names: map[token.Pos]string{}, Calls: map[token.Pos]*ast.CallExpr{}, Appended: map[token.Pos]bool{}, Faults: map[*ssa.Function][]Fault{},
	}
	c.readNames()
	for _, o := range pass.TypesInfo.Uses {
		fn, ok := o.(*types.Func)
		if !ok {
			continue
		}
		if path := catalog.PackagePath(fn.Pkg()); strings.HasPrefix(path, catalog.ArenaPath) {
			c.serves = c.serves || path == grpcPath && fn.Name() != "Into" || catalog.FunctionName(fn) == catalog.ConnectOption
			c.puts = c.puts || catalog.FunctionName(fn) == catalog.ArenaPath+".ArenaPool.Put"
		}
	}
	for _, fn := range c.readFunctions() {
		if catalog.PackagePath(pass.Pkg) == catalog.ArenaPath && c.InTest(fn.Pos()) {
			continue // they misuse arenas on purpose
		}
		c.Functions = append(c.Functions, fn)
	}
	return c
}

// readFunctions builds the package's SSA form and returns its functions, including literals. Unlike analyzer buildssa,
// it does not build the packages of the standard library.
func (c *Package) readFunctions() []*ssa.Function {
	prog := ssa.NewProgram(c.Pass.Fset, ssa.BuilderMode(0))
	prog.SetNoReturn(c.Pass.ResultOf[ctrlflow.Analyzer].(*ctrlflow.CFGs).NoReturn)
	for _, p := range c.Pass.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	c.ssa = prog.CreatePackage(c.Pass.Pkg, c.Pass.Files, c.Pass.TypesInfo, false)
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
	for _, file := range c.Pass.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				add(prog.FuncValue(c.Pass.TypesInfo.Defs[decl.Name].(*types.Func)))
			}
		}
	}
	return funcs
}

// InTest reports whether pos is in a test file.
func (c *Package) InTest(pos token.Pos) bool {
	return strings.HasSuffix(c.Pass.Fset.Position(pos).Filename, "_test.go")
}

// Shipped returns the functions outside of test files.
func (c *Package) Shipped() []*ssa.Function {
	return slices.DeleteFunc(slices.Clone(c.Functions), func(fn *ssa.Function) bool { return c.InTest(fn.Pos()) })
}

// TakesHandle reports whether a parameter may lead to an arena.
func TakesHandle(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool { return mayHold(p.Type(), 0) })
}

// relevant reports whether fn deals with arenas, by the types of its values and the functions it uses.
func (c *Package) relevant(fn *ssa.Function) bool {
	concerns := func(v ssa.Value) bool {
		if v == nil {
			return false
		}
		if g, ok := v.(*ssa.Function); ok {
			s := c.Summary(g)
			return s != nil && s.aboutArenas()
		}
		t := v.Type()
		if c.serves && (access.IsInterceptor(t) || access.IsServerStream(t) || catalog.IsConnect(t, "HandlerOption")) {
			return true
		}
		if p, ok := t.Underlying().(*types.Pointer); ok && catalog.ArenaType(p) == "" {
			t = p.Elem()
		}
		return catalog.ArenaType(t) != ""
	}
	for _, p := range fn.Params {
		if concerns(p) {
			return true
		}
	}
	for instr := range ssaform.Instructions(fn) {
		if v, ok := instr.(ssa.Value); ok && concerns(v) || slices.ContainsFunc(instr.Operands(nil), func(p *ssa.Value) bool { return concerns(*p) }) {
			return true
		}
	}
	return false
}

// Function returns the SSA form of a function, or nil.
func (c *Package) Function(fn *types.Func) *ssa.Function { return c.ssa.Prog.FuncValue(fn.Origin()) }

// Summary returns the summary of fn, or nil if fn is unknown.
func (c *Package) Summary(fn *ssa.Function) *Summary {
	fn = catalog.Origin(fn)
	s := c.summary(fn)
	if c.reads != nil {
		c.reads[fn] = s
	}
	return s
}

func (c *Package) summary(fn *ssa.Function) *Summary {
	if s := c.summaries[fn]; s != nil {
		if len(fn.Blocks) == 0 || c.unknown[fn] {
			return nil // no Go body, or too large
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
		if !c.Pass.ImportObjectFact(obj, s) {
			s = nil
		}
		c.imported[obj] = s
	}
	return s
}

const grpcPath = catalog.ArenaPath + "/adapters/grpc"

// global returns the package variable with a name as in Place.Global. If export data does not have it, global makes one
// up, because only its lifetime matters.
func (c *Package) global(name string) *ssa.Global {
	i := strings.LastIndex(name, ".")
	for _, p := range c.ssa.Prog.AllPackages() {
		if catalog.PackagePath(p.Pkg) == name[:i] {
			if g, ok := p.Members[name[i+1:]].(*ssa.Global); ok {
				return g
			}
		}
	}
	if name[:i] == catalog.PackagePath(c.Pass.Pkg) {
		return nil
	}
	p := types.NewPackage(name[:i], "_")
	p.Scope().Insert(types.NewVar(token.NoPos, p, name[i+1:], types.Universe.Lookup("any").Type()))
	p.MarkComplete()
	g, _ := c.ssa.Prog.CreatePackage(p, nil, nil, false).Members[name[i+1:]].(*ssa.Global)
	return g
}

// readNames records calls, and the variables that their results are assigned to.
func (c *Package) readNames() {
	for _, file := range c.Pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				c.Calls[n.Lparen] = n
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

func (c *Package) name(call *ast.CallExpr, lhs ast.Expr) {
	if catalog.Simple(lhs) && types.ExprString(lhs) != "_" {
		c.Names[call.Lparen] = types.ExprString(lhs)
	}
}

// keepsToItself reports whether only this package can reach the arenas in an object of type t, in unexported fields,
// and puts none back. Then unknown code, such as a parser's option, cannot put them back either.
func (c *Package) keepsToItself(t types.Type) bool {
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() != c.Pass.Pkg || c.puts {
		return false
	}
	s, ok := n.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if f.Exported() && mayHold(f.Type(), 0) {
			return false
		}
	}
	return true
}

// ofRequest reports whether t is, or points to, a struct that belongs to one request: it has a field that does, or a
// function of a request allocates such structs.
func (c *Package) ofRequest(t types.Type) bool {
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if s, ok := t.Underlying().(*types.Struct); ok && catalog.OfRequest(s.Fields()) {
		return true
	}
	if c.perRequest == nil {
		c.perRequest = map[types.Type]bool{}
		for instr := range ssaform.Instructions(c.Functions...) {
			if a, ok := instr.(*ssa.Alloc); ok && inRequest(a.Parent()) && !ssaform.IsParameter(a) {
				if t := originOf(a.Type().(*types.Pointer).Elem()); t != nil {
					c.perRequest[t] = true
				}
			}
		}
	}
	return c.perRequest[originOf(t)]
}

// originOf returns the generic type of an instance, or the type itself, if t is a named struct. Otherwise it returns nil.
func originOf(t types.Type) types.Type {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	if _, ok := n.Underlying().(*types.Struct); !ok {
		return nil
	}
	return n.Origin()
}

// inRequest reports whether a parameter of fn, or of a function around it, belongs to one request.
func inRequest(fn *ssa.Function) bool {
	for fn != nil && !catalog.OfRequest(fn.Signature.Params().Variables()) {
		fn = fn.Parent()
	}
	return fn != nil
}

// mayHold reports whether a value of type t may lead to an arena.
func mayHold(t types.Type, depth int) bool {
	if catalog.IsHandle(t) {
		return true
	}
	if depth > 5 {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Interface, *types.Signature:
		return true
	case *types.Array, *types.Chan:
		return false
	}
	for part := range access.Parts(t) {
		if mayHold(part, depth+1) {
			return true
		}
	}
	return false
}
