package arenahttp

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/ebbpool/arena/internal/goroutine"
	"github.com/ebbpool/arena/internal/machine"
)

// keepHeader has nothing of the answer's header lie in the request's arena, which is back in
// its pool when package net/http sends what the handler did not. It costs nothing where
// nobody has asked for the arena. What lies in an outer request's arena is found by that
// one's own response, which the answer passes, too.
func (w *response) keepHeader() {
	q := w.request
	if q.arena.Load() == nil {
		return
	}
	self, h := goroutine.Self(), w.Header()
	q.mu.Lock() // so the arena stays nobody's if it is, and the request goes on
	defer q.mu.Unlock()
	a := q.arena.Load()
	if a == nil || q.strayed {
		return // an arena that is abandoned is never used again
	}
	r := machine.RegionOf(a)
	if holder := q.holder.Load(); holder != 0 && holder != self || r.ForksInUse() {
		r = nil // somebody may be working there
	}
	keep(h, r)
}

// keep replaces what of h lies in r by copies on the heap: fields, their values, and
// slices of values. If r is nil, nobody can tell, and everything is copied; so no slice that
// may be many requests' is written to.
func keep(h http.Header, r *machine.Region) {
	fields := h
	if r == nil {
		fields = maps.Clone(h) // or fields that were copied might come again
	}
	for field, values := range fields {
		if r == nil || r.HoldsSlice(values) {
			values = slices.Clone(values)
			h[field] = values
		}
		for i, v := range values {
			if r == nil || r.HoldsText(v) {
				values[i] = strings.Clone(v)
			}
		}
		if r == nil || r.HoldsText(field) {
			delete(h, field)
			h[strings.Clone(field)] = values
		}
	}
}
