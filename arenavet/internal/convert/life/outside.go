package life

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// outside knows by types which functions and values in interfaces may be of code that is not analyzed:
// those that such code can give, by something exported or a call of any function, and that the root's call
// can find, in what its parameters or a package's variable lead to, or gets from such code. And those of
// which the call graph does not know all, since they went through generic code.
type outside struct {
	given, found collector
	generic      collector
	own          map[*ssa.Function]bool
	reached      func(ssa.CallInstruction) []*ssa.Function
}

// find looks at what functions and variables of the program have, whose root calls some of them and has
// parameters with nothing in them.
func (o outside) find(root *ssa.Function, empty map[int]bool, functions []*ssa.Function, called map[*ssa.Function]bool) {
	packages, all := map[*ssa.Package]bool{}, map[*ssa.Function]bool{}
	for _, fn := range functions {
		all[fn] = true
		if ofOthers(fn) {
			continue // what others give to it, it gives to nobody else
		}
		if pkg := PackageOf(fn); pkg != nil {
			packages[pkg] = true
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
	for g := range globalsIn(all) {
		if !packages[g.Pkg] {
			o.given.visit(g.Type(), true, 0)
		}
	}
	for g := range globalsIn(called) {
		o.found.visit(g.Type(), true, 0)
	}
	for i, v := range root.Params {
		if !empty[i] {
			o.found.visit(v.Type(), true, 0)
		}
	}
	for _, v := range root.FreeVars {
		o.found.visit(v.Type(), true, 0)
	}
	size := func() int { return o.given.size() + o.found.size() + o.generic.size() }
	for before := -1; before < size(); {
		before = size()
		for fn := range all {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					o.instruction(i, o.given, func(t types.Type) bool { return key(t) == "" || o.given.has(key(t)) })
					o.instruction(i, o.generic, nil)
					if called[fn] {
						o.instruction(i, o.found, func(t types.Type) bool { return !o.closed(t) })
						o.within(i)
					}
				}
			}
			if k := key(fn.Signature); called[fn] && (k == "" || o.found.has(k)) {
				for _, v := range fn.FreeVars {
					o.found.visit(v.Type(), true, 0)
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

// instruction notes what comes from elsewhere by one, where values of some types may be of such code;
// without open, what comes from generic code.
func (o outside) instruction(i ssa.Instruction, c collector, open func(types.Type) bool) {
	switch i := i.(type) {
	case *ssa.ChangeInterface:
		o.change(c, i.X.Type(), i.Type())
	case *ssa.TypeAssert:
		o.change(c, i.X.Type(), i.AssertedType)
	case *ssa.Convert:
		if open != nil && types.Identical(i.X.Type().Underlying(), types.Typ[types.UnsafePointer]) {
			c.visit(i.Type(), true, 0)
		}
	case *ssa.MakeInterface:
		if _, ok := types.Unalias(i.X.Type()).(*types.TypeParam); ok { // of an interface, perhaps
			c.visit(i.Type(), true, 0)
		}
		if c.leaving[key(i.Type())] {
			c.visit(i.X.Type(), false, 0) // to be filled, perhaps
		}
	case ssa.CallInstruction:
		call := i.Common()
		if b, ok := call.Value.(*ssa.Builtin); ok {
			if open != nil && b.Name() == "recover" {
				c.visit(i.Value().Type(), true, 0)
			}
			return
		}
		if open == nil {
			o.throughGeneric(i)
			return
		}
		if g := call.StaticCallee(); g != nil && o.own[origin(g)] || g == nil && !open(call.Value.Type()) && o.allOwn(i) {
			return
		}
		if copiesMap(call.StaticCallee()) {
			return
		}
		c.visit(call.Signature().Results(), true, 0)
		if !prints(call.StaticCallee()) {
			for _, a := range call.Args {
				c.visit(a.Type(), false, 0)
			}
		}
	}
}

// change notes that a value in an interface is taken for one of another type.
func (o outside) change(c collector, from, to types.Type) {
	if c.leaving[key(to)] {
		c.leaving[key(from)] = true
	}
	if c.has(key(from)) {
		c.visit(to, true, 0)
	}
}

// throughGeneric notes what a call gives to generic code, and gets.
func (o outside) throughGeneric(call ssa.CallInstruction) {
	reached := []*ssa.Function{call.Common().StaticCallee()}
	if reached[0] == nil {
		reached = o.reached(call)
	}
	for _, g := range reached {
		if !o.own[origin(g)] || !Parameterized(g) {
			continue
		}
		c := call.Common()
		o.generic.shared(c.Signature().Results(), 0)
		if c.IsInvoke() {
			o.generic.shared(c.Value.Type(), 0)
		}
		for _, a := range c.Args {
			o.generic.shared(a.Type(), 0)
		}
		delete(o.generic.into, "") // a type of generic code is open in any case
		return
	}
}

// within notes what a method of the program finds in its receiver, where the root's call finds that.
func (o outside) within(i ssa.Instruction) {
	call, ok := i.(ssa.CallInstruction)
	if !ok || !call.Common().IsInvoke() || !o.found.has(key(call.Common().Value.Type())) {
		return
	}
	for _, g := range o.reached(call) {
		if len(g.Params) > 0 {
			o.found.visit(g.Params[0].Type(), true, 0)
		}
	}
}

// prints reports whether a function of package fmt only reads what it is given.
func prints(fn *ssa.Function) bool {
	return fn != nil && fn.Pkg != nil && fn.Pkg.Pkg.Path() == "fmt" && !strings.Contains(fn.Name(), "can")
}

// allOwn reports whether a dynamic call reaches functions of the program alone.
func (o outside) allOwn(call ssa.CallInstruction) bool {
	for _, g := range o.reached(call) {
		if !o.own[g] {
			return false
		}
	}
	return true
}

// closed reports whether all values of a type are of the code that is analyzed.
func (o outside) closed(t types.Type) bool {
	k := key(t)
	return k != "" && !(o.given.has(k) && o.found.has(k)) && !o.generic.has(k)
}

// collector collects the functions and interfaces that come from elsewhere with values of some types.
type collector struct {
	into    map[string]bool
	leaving map[string]bool              // interfaces that such code gets
	hidden  bool                         // by fields, too, that are not exported
	own     func(*types.Package) bool    // of others such fields and methods give nothing: calls of what is exported do
	seen    map[bool]map[types.Type]bool // by whether the value comes, or goes
}

func newCollector(hidden bool, own func(*types.Package) bool) collector {
	return collector{map[string]bool{}, map[string]bool{}, hidden, own, map[bool]map[types.Type]bool{true: {}, false: {}}}
}

func (c collector) size() int { return len(c.into) + len(c.leaving) }

func (c collector) has(k string) bool { return c.into[k] || c.into[""] }

func (c collector) note(t types.Type, comes bool) {
	if comes {
		c.into[key(t)] = true
	} else {
		c.leaving[key(t)] = true
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
				if m.Exported() || c.own(m.Pkg()) {
					called(m.Signature())
				}
			}
		}
	case *types.Struct:
		for v := range u.Fields() {
			if v.Exported() || v.Embedded() || c.hidden && c.own(v.Pkg()) { // the fields of what is embedded may be
				c.visit(v.Type(), comes, depth)
			}
		}
	case *types.Array:
		c.visit(u.Elem(), comes, depth)
	case *types.Map:
		c.shared(u.Key(), depth)
		c.shared(u.Elem(), depth)
	case interface{ Elem() types.Type }:
		c.shared(u.Elem(), depth)
	}
}

// shared goes through what is read and written by whoever has it.
func (c collector) shared(t types.Type, depth int) {
	c.visit(t, true, depth)
	c.visit(t, false, depth)
}
