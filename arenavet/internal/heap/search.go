package heap

import (
	"go/ast"
	"go/types"
)

// A value gets as far as the farthest of the places it flows to. Places may flow to each other in cycles, so the search
// is Tarjan's for strongly connected components: all places of a component have one answer, and each place is visited
// once.

// worstOf returns how far the value at p gets.
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
		return f // it leads back to an open vertex
	}
	for closed := false; !closed; {
		last := h.circle[len(h.circle)-1]
		h.circle = h.circle[:len(h.circle)-1]
		last.worst, last.closed = f.worst, true
		closed = last == f
	}
	return f
}

// of returns how far an expression's value gets.
func (h *advisor) of(e ast.Node) escape {
	return h.worstOf(e)
}

// target returns how far a value gets that is assigned to e.
func (h *advisor) target(e ast.Expr) escape {
	own, next := h.assignedTo(e)
	for _, p := range next {
		own = max(own, h.worstOf(p))
	}
	return own
}

// next returns how far the value at p gets by itself, and the places it flows to.
func (h *advisor) next(p place) (escape, []place) {
	if obj, ok := p.(types.Object); ok {
		return h.variable(obj)
	}
	return h.value(p.(ast.Node))
}
