package heap

import (
	"go/ast"
	"go/types"
)

// What becomes of a value is the worst that becomes of any place that it flows to.
// Places are expressions and variables, and lead to each other in circles: of two
// variables that are assigned to each other in turn, each has what becomes of the
// other. The search is Tarjan's for strongly connected components, which visits each
// place once: when the first place of a circle has been searched through, all of the
// circle have its answer.

// worstOf returns what becomes of what is at p.
func (h *advisor) worstOf(p place) escape {
	if f := h.vertices[p]; f != nil {
		return f.worst
	}
	return h.search(p).worst
}

func (h *advisor) search(p place) *vertex {
	first := len(h.vertices)
	f := &vertex{order: first}
	h.vertices[p] = f
	h.circle = append(h.circle, f)
	own, next := h.next(p)
	f.worst = own
	h.steps += 1 + len(next)
	for _, q := range next {
		g := h.vertices[q]
		if g == nil {
			g = h.search(q)
		}
		if !g.closed {
			f.order = min(f.order, g.order)
		}
		f.worst = max(f.worst, g.worst)
	}
	if f.order < first {
		return f // it leads back to one that is still open
	}
	for closed := false; !closed; {
		last := h.circle[len(h.circle)-1]
		h.circle = h.circle[:len(h.circle)-1]
		last.worst, last.closed = f.worst, true
		closed = last == f
	}
	return f
}

// of returns what becomes of the value of an expression.
func (h *advisor) of(e ast.Node) escape {
	return h.worstOf(e)
}

// target returns what becomes of what is assigned to e.
func (h *advisor) target(e ast.Expr) escape {
	own, next := h.assignedTo(e)
	for _, p := range next {
		own = max(own, h.worstOf(p))
	}
	return own
}

// next returns what becomes of what is at p where that is known at once, and the places
// that it flows to.
func (h *advisor) next(p place) (escape, []place) {
	if obj, ok := p.(types.Object); ok {
		return h.variable(obj)
	}
	return h.value(p.(ast.Node))
}
