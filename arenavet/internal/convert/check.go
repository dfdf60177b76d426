package convert

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// check warns of each place that may hold memory of the arena after its end.
func (p *program) check() {
	p.findWrites()
	for _, f := range p.functions {
		p.checkFunction(f)
	}
	p.checkRoot()
	slices.SortFunc(p.warnings, func(a, b Warning) int { return p.compare(a.pos, b.pos) })
}

// checkRoot warns of writes to objects of the root's caller, and of results that cannot end with the arena.
func (p *program) checkRoot() {
	f := p.root.ssa
	for _, v := range f.Params {
		t := types.Unalias(v.Type())
		if q, ok := t.(*types.Pointer); ok {
			t = q.Elem()
		}
		if p.isOwned(t) {
			continue // the user says that it ends with the arena
		}
		p.source(f, v.Pos(), v.Type(), v.Name(), "parameter "+v.Name())
	}
	for v := range f.Signature.Results().Variables() {
		if f := functionIn(v.Type()); f != "" && p.capturing[f] {
			p.warn(p.root.ssa, p.root.decl.Pos(), "", "the result %s is or holds a function, which may capture memory of the arena", typeText(v.Type()))
		}
	}
}

// source warns of a value that is older than the call if the call writes to objects that it may lead to.
func (p *program) source(f *ssa.Function, pos token.Pos, t types.Type, token, what string) {
	if !p.bearing(t) {
		return
	}
	if w := p.written(t); w != "" {
		p.warn(f, pos, token, "%s may lead to objects that outlive the arena, and such are written to at %s", what, w)
	}
}

func (p *program) checkFunction(f *ssa.Function) {
	if p.heapOnly(f, false) {
		return
	}
	if p.outside[f] {
		for i, v := range f.Params {
			if f.Signature.Recv() == nil || i > 0 {
				p.source(f, v.Pos(), v.Type(), "", "parameter "+v.Name()+", which another package passes,")
			}
		}
	}
	for i := range ssaform.Instructions(f) {
		p.checkInstruction(f, i)
	}
}

func (p *program) checkInstruction(f *ssa.Function, i ssa.Instruction) {
	p.checkGlobals(f, i)
	switch i := i.(type) {
	case *ssa.Store:
		if p.carries(i.Val) {
			if why, token := p.place(i.Addr); why != "" {
				p.warn(f, i.Pos(), token, "%s is stored in a %s", typeText(i.Val.Type()), why)
			}
		}
	case *ssa.UnOp:
		switch {
		case i.Op != token.MUL:
		case isGlobal(i.X) && p.ofModule(i.X):
			p.source(f, i.Pos(), i.Type(), i.X.Name(), "global "+i.X.Name())
		case p.bearing(i.Type()):
			if why, token := p.place(i.X); why != "" && !isGlobal(i.X) {
				p.source(f, i.Pos(), i.Type(), token, "the "+why)
			}
		}
	case *ssa.FieldAddr:
		p.checkInterior(f, i)
	case *ssa.Send:
		if p.carries(i.X) {
			p.warn(f, i.Pos(), "", "%s is sent on a channel", typeText(i.X.Type()))
		}
	case *ssa.Select:
		for _, s := range i.States {
			if s.Send != nil && p.carries(s.Send) {
				p.warn(f, i.Pos(), "", "%s is sent on a channel", typeText(s.Send.Type()))
			}
		}
	case *ssa.Panic:
		if p.carries(i.X) {
			p.warn(f, i.Pos(), "", "panic with %s", typeText(i.X.Type()))
		}
	case *ssa.Convert:
		if b, ok := i.Type().Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer && p.bearing(i.X.Type()) {
			p.warn(f, i.Pos(), "", "%s becomes an unsafe.Pointer", typeText(i.X.Type()))
		}
		if b, ok := i.X.Type().Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer && p.bearing(i.Type()) {
			p.warn(f, i.Pos(), "", "an unsafe.Pointer becomes %s", typeText(i.Type()))
		}
	case ssa.CallInstruction:
		p.checkCall(f, i)
	}
}

func (p *program) ofModule(v ssa.Value) bool {
	g := v.(*ssa.Global)
	return g.Pkg != nil && p.inModule(g.Pkg.Pkg) && !p.trusted[g.Name()]
}

// checkGlobals warns of addresses of globals that are used for anything but loads and stores.
func (p *program) checkGlobals(f *ssa.Function, i ssa.Instruction) {
	var values []ssa.Value
	switch i := i.(type) {
	case *ssa.UnOp, *ssa.FieldAddr, *ssa.IndexAddr:
		if u, ok := i.(*ssa.UnOp); ok && u.Op == token.MUL && !isGlobal(u.X) { // a part of one
			if g, _ := base(u.X); isGlobal(g) && p.ofModule(g) {
				p.source(f, u.Pos(), u.Type(), g.Name(), "global "+g.Name())
			}
		}
		return
	case *ssa.Store:
		values = []ssa.Value{i.Val}
	default:
		for _, op := range i.Operands(nil) {
			values = append(values, *op)
		}
	}
	for _, v := range values {
		if v == nil {
			continue
		}
		if _, ok := v.Type().Underlying().(*types.Pointer); !ok {
			continue
		}
		if g, _ := base(v); isGlobal(g) && p.ofModule(g) {
			p.source(f, i.Pos(), v.Type(), g.Name(), "the address of global "+g.Name())
		}
	}
}

func (p *program) checkCall(f *ssa.Function, i ssa.CallInstruction) {
	c := i.Common()
	bears := ""
	for _, a := range c.Args {
		if p.carries(a) {
			bears = typeText(a.Type())
		}
	}
	if _, ok := i.(*ssa.Go); ok {
		if c.IsInvoke() && p.bearing(c.Value.Type()) || !c.IsInvoke() && p.carries(c.Value) {
			bears = "what it captures"
		}
		if bears != "" {
			p.warn(f, i.Pos(), "", "a goroutine gets %s, and may run after the root has returned", bears)
		}
		return
	}
	who, token := p.keeper(c)
	if who != "" && bears != "" {
		p.warn(f, i.Pos(), token, "%s may keep %s", who, bears)
	}
	if v := i.Value(); who != "" && v != nil {
		p.source(f, i.Pos(), v.Type(), token, "the result of "+who)
	}
}
