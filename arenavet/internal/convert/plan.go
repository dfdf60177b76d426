package convert

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/convert/life"
)

// how a function of the plan gets its arena.
type how uint8

const (
	byParameter how = iota + 1 // a variant has one
	byCarrier                  // a parameter has a field with it
	byContext                  // the root's request, or context, has it
	byCapture                  // a literal: the function around it has it
)

// planned is the change to a function.
type planned struct {
	fn      *ssa.Function
	how     how
	arena   string // what it is called there
	sites   []*Site
	calls   map[ssa.Instruction]*planned // to functions by parameter; of a group: one of them
	groups  map[ssa.Instruction]*group   // by way of an interface
	tables  map[ssa.Instruction]*table   // of functions that lie in one
	left    map[ssa.Instruction]string   // of those: why they get none
	demoted map[string]string            // types that must not lie in the arena, whoever calls
	name    string                       // of the variant
	alone   bool                         // it needs no wrapper: only calls of the plan name it
	makes   []*literal                   // of carriers
}

// plan decides which functions get an arena, and which sites use it.
type plan struct {
	*program
	root     *ssa.Function
	into     map[int]bool           // parameters of the root that end with the arena
	within   map[*ssa.Function]bool // what the root may call
	all      map[*ssa.Function]*planned
	order    []*planned
	carriers map[*types.Named]*carrier
	groups   map[*types.Func]*group
	tables   map[*ssa.Global]*table
	member   map[*ssa.Function]bool // of a group
	// of generic functions and their literals, what runs for them
	instances map[*ssa.Function][]*ssa.Function
	parsers   map[*ssa.Function]*types.Named
	guard     string // the root's options: a call that gives some uses the heap
	advised   bool   // it is known which sites have a text in an arena
}

// Made memoizes what outlives the root in a function.
type made struct {
	calls map[ssa.Instruction]map[string]life.Reason
	sites map[ssa.Instruction]life.Reason
}

func (p *plan) outlives(fn *ssa.Function) func(int) bool {
	if fn != p.root {
		return nil
	}
	return func(i int) bool { return !p.into[i] }
}

// demotes reports whether what a site makes must not lie in the function's arena.
func (f *planned) demotes(s *Site) (string, bool) {
	for _, i := range s.at {
		for _, t := range life.TypesOf(i) {
			if why, ok := f.demoted[t]; ok {
				return why, true
			}
		}
	}
	return "", false
}

func (p *plan) at(why life.Reason) string {
	if !why.Pos.IsValid() {
		return ""
	}
	return " (" + p.position(why.Pos) + ")"
}

// bodies are those that run for a function: of a generic one, its instances that the root leads to.
func (p *plan) bodies(fn *ssa.Function) []*ssa.Function {
	if !life.Parameterized(fn) {
		return []*ssa.Function{fn}
	}
	return p.instances[fn]
}

// findInstances finds the bodies of generic functions and their literals.
func (p *plan) findInstances() {
	p.instances = map[*ssa.Function][]*ssa.Function{}
	for _, fn := range p.functions {
		if of := p.base(fn); p.within[fn] && life.Parameterized(of) {
			p.instances[of] = append(p.instances[of], fn)
		}
	}
}

// settled reports whether all bodies of a function were understood.
func (p *plan) settled(fn *ssa.Function) bool {
	all := p.bodies(fn)
	return len(all) > 0 && !slices.ContainsFunc(all, func(g *ssa.Function) bool { return !p.life.Settled(g) })
}

// convertible reports whether a function's text can be changed.
func (p *plan) convertible(fn *ssa.Function) bool {
	return p.textual(fn) && fn.Name() != "main" && fn.Name() != "init" && fn.Name() != "_" && p.settled(fn) && !blankTypes(fn)
}

// textual reports whether a function stands in a text that is not generated.
func (p *program) textual(fn *ssa.Function) bool {
	d := p.decls[fn]
	return d != nil && !p.generated[d.file] && !p.elsewhere(outermost(fn).Object())
}

// blankTypes reports whether a type parameter of a function has no name for its wrapper to call it by.
func blankTypes(fn *ssa.Function) bool {
	for t := range fn.Signature.TypeParams().TypeParams() {
		if t.Obj().Name() == "_" {
			return true
		}
	}
	return false
}

func hasReceiverParams(fn *ssa.Function) bool {
	recv := fn.Signature.Recv()
	return recv != nil && strings.Contains(recv.Type().String(), "[") // of a generic type
}

// freeName is a name for the arena that the function uses for nothing else.
func (p *plan) freeName(fn *ssa.Function) string {
	used := map[string]bool{}
	d := p.decls[fn]
	ast.Inspect(d.decl, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	for _, name := range []string{"a", "ar", "mem", "region"} {
		if !used[name] && d.pkg.Types.Scope().Lookup(name) == nil {
			return name
		}
	}
	return "arenaOfCall"
}

// carrier is a struct that ends with the root's call, and gets a field with the arena: methods
// and functions that are called by way of a value have it from there.
type carrier struct {
	named *types.Named
	spec  *ast.StructType
	field string
	lits  []*literal
	every bool // a literal without names has all fields
}

// literal is a place that makes a carrier: a literal, x := new(T), or var x T; or the root's parameter, that ends
// with the arena.
type literal struct {
	fn   *ssa.Function
	lit  *ast.CompositeLit
	name *ast.Ident
	end  token.Pos // of the declaration
	site ssa.Instruction
	typ  string
	into bool // the root's parameter
	set  bool // it gets the arena
}

// keyed reports whether a literal names its fields.
func keyed(lit *ast.CompositeLit) bool {
	if len(lit.Elts) == 0 {
		return true
	}
	_, ok := lit.Elts[0].(*ast.KeyValueExpr)
	return ok
}

// group is a method of an interface whose implementations are all in sight: each gets a variant, all
// of one name, and the interface has that, too.
type group struct {
	method  *types.Func
	at      *declared // where it is declared
	field   *ast.Field
	members []*ssa.Function
	planned []*planned
}

// table is a map of constructors, of the package's own: functions without parameters that make a
// value and return it. Others may change it, so each function is known by its code, which leads to
// one that makes the same in an arena.
type table struct {
	at      *declared
	name    string
	sig     *ast.FuncType
	after   token.Pos
	entries []constructor
	bad     map[string]bool // types that must not lie in the arena
}

// constructor is an entry of a table.
type constructor struct {
	key   ast.Expr
	value ast.Expr // of type T: new(T) or &T{}
	typ   string
}

func (p *plan) fileOf(pos token.Pos) *declared {
	for _, pkg := range p.pkgs {
		for _, file := range pkg.Syntax {
			if file.FileStart <= pos && pos < file.FileEnd {
				return &declared{pkg, file, nil}
			}
		}
	}
	return nil
}
