package life

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/ssa"
)

// Analyze looks at what a root leads to among the functions of a program, and at nothing else.
func Analyze(root *ssa.Function, graph *callgraph.Graph, functions []*ssa.Function, world World) *Program {
	p := &Program{
		root: root, graph: graph, own: map[*ssa.Function]bool{}, world: world, functions: map[instance]*function{},
		summaries: map[instance]*summary{}, summed: newTable(), users: map[instance]map[instance]bool{}, queued: map[instance]bool{}, unsettled: map[*ssa.Function]bool{},
		types: newTypeGraph(functions), taken: map[string][]*ssa.Function{}, sealed: map[string][]*ssa.Function{}, assumed: map[Assumption]token.Pos{}, marks: map[*ssa.Global]bool{},
		crossed: map[token.Pos]bool{}, packages: map[*ssa.Package]bool{}, escapes: map[token.Pos]*Escaped{}, sorted: functions, behind: map[behind][]*ssa.Function{},
	}
	for _, fn := range functions {
		p.own[fn] = len(fn.Blocks) > 0
	}
	for fn := range p.own {
		p.packages[PackageOf(fn)] = true
	}
	delete(p.packages, nil)
	p.findTaken(functions)
	p.findMarks(functions)
	p.findReaders(functions)
	seen := map[*ssa.Function]bool{}
	var visit func(fn *ssa.Function)
	visit = func(fn *ssa.Function) { // callees first
		if !seen[fn] && p.own[fn] {
			seen[fn] = true
			for _, g := range p.calls(fn) {
				visit(g)
			}
			p.wake(instance{fn: fn})
		}
	}
	visit(root)
	own := func(pkg *types.Package) bool { return p.packages[root.Prog.Package(pkg)] }
	p.outside = outside{newCollector(false, own), newCollector(true, own), newCollector(true, own), p.own, p.dynamic}
	p.outside.find(root, world.Empty, functions, seen)
	p.solve()
	p.instances = p.reached(root)
	return p
}

// calls are the functions that one may call, and the literals in it.
func (p *Program) calls(fn *ssa.Function) (all []*ssa.Function) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if call, ok := i.(ssa.CallInstruction); ok {
				all = append(all, p.dynamic(call)...)
			}
		}
	}
	return append(all, fn.AnonFuncs...)
}

// findTaken finds the functions that are values.
func (p *Program) findTaken(functions []*ssa.Function) {
	seen := map[*ssa.Function]bool{}
	note := func(v ssa.Value) {
		if g, ok := v.(*ssa.Function); ok && !seen[g] {
			seen[g] = true
			k := key(g.Signature)
			p.taken[k] = append(p.taken[k], origin(g))
		}
	}
	for _, fn := range functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				var called ssa.Value
				if c, ok := i.(ssa.CallInstruction); ok {
					called = c.Common().Value
				}
				for n, v := range i.Operands(nil) {
					if *v != nil && (n > 0 || *v != called) {
						note(*v)
					}
				}
			}
		}
	}
}

// findMarks finds the package's variables that are marks.
func (p *Program) findMarks(functions []*ssa.Function) {
	named := map[*ssa.Global]bool{} // parts of them, or all of their value
	for _, fn := range functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				for n, v := range i.Operands(nil) {
					g, ok := (*v).(*ssa.Global)
					if !ok {
						continue
					}
					if _, isStruct := g.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct); isStruct {
						p.marks[g] = true
					}
					switch i.(type) {
					case *ssa.FieldAddr, *ssa.UnOp:
						named[g] = named[g] || fn.Synthetic != "package initializer" // but not where it gets its first value
					case *ssa.Store:
						named[g] = named[g] || n == 0 && fn.Synthetic != "package initializer"
					}
				}
			}
		}
	}
	for g := range named {
		if named[g] {
			delete(p.marks, g)
		}
	}
}

// maxRounds bounds how often a function is looked at.
const maxRounds = 40

// solve looks at functions until nothing changes.
func (p *Program) solve() {
	rounds := map[instance]int{}
	for len(p.queue) > 0 {
		g := p.queue[0]
		p.queue = p.queue[1:]
		p.queued[g] = false
		if p.unsettled[g.fn] {
			continue
		}
		f := p.functions[g]
		if f == nil {
			f = newFunction(p, g)
			p.functions[g] = f
		}
		rounds[g]++
		settled := rounds[g] <= maxRounds && f.solve()
		if !settled && f.alike == nil && rounds[g] <= maxRounds {
			f = p.coarse(g)
			settled = f.solve()
		}
		if !settled {
			p.unsettled[g.fn] = true
		} else if s := f.summarize(); s.equal(p.summaries[g]) {
			continue
		} else {
			p.summaries[g] = s
		}
		for _, user := range slices.SortedFunc(maps.Keys(p.users[g]), compareInstances) {
			p.wake(user)
		}
	}
}

// coarse begins a function anew, with objects of a type that count as one.
func (p *Program) coarse(g instance) *function {
	f := newFunction(p, g)
	f.alike = map[object]*alike{}
	p.functions[g] = f
	for _, e := range p.escapes {
		e.Refused = e.Refused || e.Func == g.fn
	}
	return f
}
