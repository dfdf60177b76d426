package convert

import (
	"fmt"
	"go/types"
)

// takeOptions finds the root's parameters that are taken to have nothing in them: functions that end
// with the arena, since -into names them, and options, if calls that give some are to use the heap.
func (p *plan) takeOptions(guarded bool) map[int]bool {
	empty := map[int]bool{}
	if p.calledWithin() {
		return empty // with functions that are not looked at then
	}
	for i, v := range p.root.Params {
		t := v.Type()
		list, isList := t.Underlying().(*types.Slice)
		if isList {
			t = list.Elem()
		}
		if _, ok := t.Underlying().(*types.Signature); !ok {
			continue
		}
		if p.into[i] {
			empty[i] = true
		} else if guarded && p.root.Signature.Variadic() && i == len(p.root.Params)-1 && v.Name() != "" && v.Name() != "_" {
			empty[i], p.guard = true, v.Name()
		}
	}
	return empty
}

// calledWithin reports whether the root is called by what it leads to.
func (p *plan) calledWithin() bool {
	if n := p.graph.Nodes[p.root]; n != nil {
		for _, e := range n.In {
			if p.within[e.Caller.Func] {
				return true
			}
		}
	}
	return false
}

// writeGuard has a call of the root that gives options use the heap. Tests with an arena that nobody ends
// use it in any case.
func (p *plan) writeGuard(all edits, root *planned, e entry) {
	if p.guard == "" {
		return
	}
	more := ""
	if e == gated {
		more = fmt.Sprintf(" && arenaGate != %q", live.value)
	}
	p.insert(all, p.bodyStart(p.decls[root.fn]), fmt.Sprintf("\n\tif len(%s) > 0%s {\n\t\t%s = nil // they may keep what they get\n\t}\n", p.guard, more, root.arena))
}
