package life

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// outside knows by types which functions and values in interfaces may be of code that is not analyzed:
// those that such code can give, by something exported, and that the root's call can find, in what its
// parameters or a package's variable lead to; or that it gets from such code by a call.
type outside struct {
	given, found collector
	leaving      map[string]bool // interfaces that such code gets
	graph        *callgraph.Graph
	own          map[*ssa.Function]bool
}

// find looks at what functions and variables of the program have, whose root calls some of them and has
// parameters with nothing in them.
func (o outside) find(root *ssa.Function, empty map[int]bool, functions []*ssa.Function, called map[*ssa.Function]bool) {
	packages := map[*ssa.Package]bool{}
	for _, fn := range functions {
		if fn.Pkg != nil {
			packages[fn.Pkg] = true
		}
		if obj := fn.Object(); obj != nil && obj.Exported() {
			o.given.visit(fn.Signature, false, 0)
			if recv := fn.Signature.Recv(); recv != nil {
				o.given.visit(recv.Type(), true, 0)
			}
		}
	}
	for pkg := range packages {
		for _, m := range pkg.Members {
			if g, ok := m.(*ssa.Global); ok && g.Object() != nil && g.Object().Exported() {
				o.given.visit(g.Type(), true, 0)
			}
		}
	}
	for g := range globalsIn(called) {
		o.found.visit(g.Type(), true, 0)
		if !packages[g.Pkg] {
			o.given.visit(g.Type(), true, 0)
		}
	}
	for i, v := range root.Params {
		if !empty[i] {
			o.found.visit(v.Type(), true, 0)
		}
	}
	for before := -1; before < len(o.given.into)+len(o.found.into)+len(o.leaving); {
		before = len(o.given.into) + len(o.found.into) + len(o.leaving)
		for fn := range called {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					o.instruction(i)
				}
			}
		}
	}
}

// globalsIn are the variables of packages that functions name.
func globalsIn(functions map[*ssa.Function]bool) map[*ssa.Global]bool {
	all := map[*ssa.Global]bool{}
	for fn := range functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				for _, v := range i.Operands(nil) {
					if g, ok := (*v).(*ssa.Global); ok {
						all[g] = true
					}
				}
			}
		}
	}
	return all
}

// instruction notes what comes from elsewhere by one.
func (o outside) instruction(i ssa.Instruction) {
	both := func(t types.Type, in bool) {
		o.given.visit(t, in, 0)
		o.found.visit(t, in, 0)
	}
	switch i := i.(type) {
	case *ssa.ChangeInterface:
		if o.leaving[key(i.Type())] {
			o.leaving[key(i.X.Type())] = true
		}
		if !o.closed(i.X.Type()) {
			both(i.Type(), true)
		}
	case *ssa.TypeAssert:
		if o.leaving[key(i.AssertedType)] {
			o.leaving[key(i.X.Type())] = true
		}
		if !o.closed(i.X.Type()) {
			both(i.AssertedType, true)
		}
	case *ssa.MakeInterface:
		if o.leaving[key(i.Type())] {
			both(i.X.Type(), false) // to be filled, perhaps
		}
	case ssa.CallInstruction:
		c := i.Common()
		if _, isBuiltin := c.Value.(*ssa.Builtin); isBuiltin {
			return
		}
		if g := c.StaticCallee(); g != nil && o.own[origin(g)] || g == nil && o.closed(c.Value.Type()) && o.allOwn(i) {
			return
		}
		both(c.Signature().Results(), true)
		for _, a := range c.Args {
			both(a.Type(), false)
			if !prints(c.StaticCallee()) {
				o.leave(a.Type(), map[types.Type]bool{})
			}
		}
	}
}

// prints reports whether a function of package fmt only reads what it is given.
func prints(fn *ssa.Function) bool {
	return fn != nil && fn.Pkg != nil && fn.Pkg.Pkg.Path() == "fmt" && !strings.Contains(fn.Name(), "can")
}

// leave notes the interfaces in what is given to code that is not analyzed, which may fill what lies in them.
func (o outside) leave(t types.Type, seen map[types.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Interface:
		o.leaving[key(t)] = true
	case *types.Struct:
		for v := range u.Fields() {
			o.leave(v.Type(), seen)
		}
	case *types.Map:
		o.leave(u.Key(), seen)
		o.leave(u.Elem(), seen)
	case interface{ Elem() types.Type }:
		o.leave(u.Elem(), seen)
	}
}

// allOwn reports whether a dynamic call reaches functions of the program alone.
func (o outside) allOwn(call ssa.CallInstruction) bool {
	if n := o.graph.Nodes[call.Parent()]; n != nil {
		for _, e := range n.Out {
			if e.Site == call && !o.own[origin(e.Callee.Func)] {
				return false
			}
		}
	}
	return true
}

// closed reports whether all values of a type are of the code that is analyzed.
func (o outside) closed(t types.Type) bool {
	k := key(t)
	return k != "" && !(o.given.has(k) && o.found.has(k))
}

// collector collects the functions and interfaces that come from elsewhere with values of some types.
type collector struct {
	into   map[string]bool
	hidden bool                         // by fields, too, that are not exported
	seen   map[bool]map[types.Type]bool // by whether the value comes, or goes
}

func newCollector(hidden bool) collector {
	return collector{map[string]bool{}, hidden, map[bool]map[types.Type]bool{true: {}, false: {}}}
}

func (c collector) has(k string) bool { return c.into[k] || c.into[""] }

func (c collector) note(t types.Type, comes bool) {
	if comes {
		c.into[key(t)] = true
	}
}

// deepestType bounds types that are made of themselves without end.
const deepestType = 60

// visit goes through what comes with a value that comes, or where one goes: into what it points to, and
// as arguments of its functions.
func (c collector) visit(t types.Type, comes bool, depth int) {
	if c.seen[comes][t] || depth > deepestType {
		if depth > deepestType {
			c.into[""] = true
		}
		return
	}
	c.seen[comes][t] = true
	depth++
	if u, ok := types.Unalias(t).(*types.Tuple); ok {
		for v := range u.Variables() {
			c.visit(v.Type(), comes, depth)
		}
		return
	}
	called := func(sig *types.Signature) {
		c.visit(sig.Params(), !comes, depth)
		c.visit(sig.Results(), comes, depth)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() == types.UnsafePointer {
			c.into[""] = true
		}
	case *types.Signature:
		c.note(t, comes)
		called(u)
	case *types.Interface:
		c.note(t, comes)
		if !catalog.IsError(t) {
			for m := range u.Methods() {
				called(m.Signature())
			}
		}
	case *types.Struct:
		for v := range u.Fields() {
			if c.hidden || v.Exported() {
				c.visit(v.Type(), comes, depth)
			}
		}
	case *types.Map:
		c.visit(u.Key(), true, depth)
		c.visit(u.Elem(), true, depth)
	case *types.Array:
		c.visit(u.Elem(), comes, depth)
	case interface{ Elem() types.Type }: // written by whoever has it
		c.visit(u.Elem(), true, depth)
	}
}

func origin(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}
