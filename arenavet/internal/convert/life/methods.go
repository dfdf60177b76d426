package life

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// asked are methods that the standard library calls of what it is given.
var asked = map[string]bool{
	"String": true, "GoString": true, "Format": true, "Error": true,
	"MarshalJSON": true, "MarshalText": true, "AppendText": true, "MarshalBinary": true, "MarshalXML": true, "MarshalXMLAttr": true,
	"Read": true, "Write": true, "WriteString": true, "ReadFrom": true, "WriteTo": true, "Close": true, "Seek": true, "ReadAt": true, "WriteAt": true,
	"ReadByte": true, "ReadRune": true, "ReadString": true, "UnreadByte": true, "UnreadRune": true, "WriteByte": true, "Scan": true,
}

// askedBy are those that one package calls, whose names programs have for much else.
var askedBy = map[string][]string{
	"sort": order, "container/heap": order, "errors": {"As", "Is", "Unwrap"}, "database/sql": {"Value"},
	"encoding/json": {"IsZero"}, "encoding/xml": {"Token", "UnmarshalText", "UnmarshalXML", "UnmarshalXMLAttr"},
	"encoding/gob": {"GobDecode", "GobEncode", "UnmarshalBinary", "UnmarshalText"}, "flag": {"Get", "IsBoolFlag", "Set", "UnmarshalText"},
	"net/http": served, "net/http/httptest": served, "net/http/httputil": served, "net/http/cgi": served, "net/http/fcgi": served,
	"math/rand": {"Int63", "Seed", "Uint64"}, "math/rand/v2": {"Uint64"}, "io/fs": {"Glob", "Lstat", "Open", "ReadDir", "ReadFile", "ReadLink", "Stat", "Sub"},
}

// served are those of a server and a client.
var served = []string{"RoundTrip", "ServeHTTP"}

// order are those of what is put in order.
var order = []string{"Len", "Less", "Swap", "Push", "Pop"}

// calledBack are the program's own functions that a function of the standard library may call of what a call
// gives it: methods of what is in an interface, and in the parts of that. Those that keep nothing change nothing.
func (f *function) calledBack(call ssa.CallInstruction, pkg string, args []*set) {
	var all *set
	for _, v := range givenBy(call) {
		own := f.reach(f.of(v)).refs
		for _, g := range f.p.methodsBehind(v.Type(), pkg) {
			if all == nil {
				all = f.reachAll(args)
			}
			given := make([]*set, len(g.Params))
			for i := range given {
				given[i] = all
			}
			if len(given) > 0 && g.Signature.Recv() != nil {
				given[0] = own
			}
			f.run(applied{call, g, v, true}, given, setOf(f.lasting(0, key(g.Signature)))) // which a literal captured
		}
	}
}

// run does what a function does that another module calls.
func (f *function) run(at applied, args []*set, closure *set) {
	g := at.to
	s := f.summaryOf(instance{fn: g})
	if f.p.unsettled[g] {
		for _, a := range args {
			f.leak(a, nil, Reason{"is given to " + shortName(g) + ", which was not understood", at.call.Pos()})
		}
	} else if s != nil {
		f.applyTo(at, s, args, closure, func(int, *set) {})
	}
}

// givenBy are the values that a call gives: of those in interfaces what is put there, and of the list that the last
// parameter takes what is in that.
func givenBy(call ssa.CallInstruction) (all []ssa.Value) {
	add := func(v ssa.Value) {
		if m, ok := v.(*ssa.MakeInterface); ok {
			v = m.X
		}
		all = append(all, v)
	}
	for _, v := range call.Common().Args {
		list := listed(v)
		if list == nil {
			add(v)
			continue
		}
		for _, i := range *list.Referrers() {
			if at, ok := i.(*ssa.IndexAddr); ok {
				for _, i := range *at.Referrers() {
					if i, ok := i.(*ssa.Store); ok {
						add(i.Val)
					}
				}
			}
		}
	}
	return all
}

// listed is the array that a call makes for its last parameter, or nil.
func listed(v ssa.Value) *ssa.Alloc {
	s, ok := v.(*ssa.Slice)
	if !ok {
		return nil
	}
	if list, ok := s.X.(*ssa.Alloc); ok && list.Comment == "varargs" {
		return list
	}
	return nil
}

// methodsBehind are the program's functions that a package of the standard library may call of a value of a type:
// methods of that and of its parts that reflection leads to, and of whatever may lie in an interface there.
func (p *Program) methodsBehind(t types.Type, pkg string) []*ssa.Function {
	b := behind{types.Unalias(t), pkg}
	all, ok := p.behind[b]
	if ok {
		return all
	}
	w := walk{
		p: p, pkg: pkg, template: strings.HasSuffix(pkg, "/template"), whole: types.IsInterface(t),
		seen: map[types.Type]bool{}, found: map[*ssa.Function]bool{},
	}
	w.visit(t, 0)
	for _, fn := range p.sorted {
		if w.found[fn] {
			all = append(all, fn)
		}
	}
	p.behind[b] = all
	return all
}

// walk goes by types as reflection goes by values.
type walk struct {
	p        *Program
	pkg      string
	template bool // which calls all that is exported
	whole    bool // it goes into interfaces itself: of others it takes what was found before
	seen     map[types.Type]bool
	found    map[*ssa.Function]bool
}

func (w *walk) visit(t types.Type, depth int) {
	t = types.Unalias(t)
	if w.seen[t] || depth > deepestType {
		return
	}
	w.seen[t] = true
	depth++
	w.methods(t, depth)
	switch u := t.Underlying().(type) {
	case *types.Interface:
		if !w.whole {
			w.take(w.p.methodsBehind(t, w.pkg))
			return
		}
		for _, in := range w.p.implementing(u) {
			w.visit(in, depth)
		}
	case *types.Signature:
		if w.template {
			w.visitAll(u.Results(), depth)
			w.take(w.p.taken[key(u)])
		}
	case *types.Struct:
		for v := range u.Fields() {
			// Methods of a hidden field are called by those of the struct alone, which are in sight where they are the program's.
			if v.Exported() || v.Embedded() || !w.p.packages[w.p.root.Prog.Package(v.Pkg())] {
				w.visit(v.Type(), depth)
			}
		}
	case *types.Map:
		w.visit(u.Key(), depth)
		w.visit(u.Elem(), depth)
	case interface{ Elem() types.Type }:
		w.visit(u.Elem(), depth)
	}
}

func (w *walk) visitAll(list *types.Tuple, depth int) {
	for v := range list.Variables() {
		w.visit(v.Type(), depth)
	}
}

// methods finds those of a type: for a value those of its address, too, which all but package fmt take.
func (w *walk) methods(t types.Type, depth int) {
	if n, ok := t.(*types.Named); ok && w.pkg != "fmt" && !types.IsInterface(n) {
		t = types.NewPointer(n)
	}
	prog := w.p.root.Prog
	for sel := range prog.MethodSets.MethodSet(t).Methods() {
		if !w.calls(sel.Obj()) {
			continue
		}
		if g := prog.FuncValue(sel.Obj().(*types.Func)); g != nil { // what embedding gives is a method of what is embedded
			w.take([]*ssa.Function{g})
		}
		if g := prog.MethodValue(sel); g != nil {
			w.take([]*ssa.Function{origin(g)})
		}
		if w.template {
			w.visitAll(sel.Type().(*types.Signature).Results(), depth)
		}
	}
}

// calls reports whether the package may call a method of such a name: those whose arguments are of types of the
// program are in none of its interfaces.
func (w *walk) calls(method types.Object) bool {
	sig := method.Type().(*types.Signature)
	if w.template && method.Exported() && sig.Results().Len() > 0 {
		return true
	}
	return (asked[method.Name()] || slices.Contains(askedBy[w.pkg], method.Name())) &&
		!contains(sig.Params(), func(t types.Type) bool {
			n, ok := t.(*types.Named)
			return ok && w.p.packages[w.p.root.Prog.Package(n.Obj().Pkg())]
		})
}

func (w *walk) take(list []*ssa.Function) {
	for _, g := range list {
		if w.p.own[g] {
			w.found[g] = true
		}
	}
}

// implementing are the types of what may lie in an interface: those that the program puts into one, and
// those of its packages, which others may have put there.
func (p *Program) implementing(i *types.Interface) (all []types.Type) {
	if p.boxable == nil {
		for _, t := range p.types.concrete {
			p.boxable = append(p.boxable, t)
		}
		for pkg := range p.packages {
			for _, m := range pkg.Members {
				if t, ok := m.(*ssa.Type); ok && !types.IsInterface(t.Type()) && !generic(t.Type()) {
					p.boxable = append(p.boxable, t.Type(), types.NewPointer(t.Type()))
				}
			}
		}
	}
	for _, t := range p.boxable {
		if types.Implements(t, i) {
			all = append(all, t)
		}
	}
	return all
}
