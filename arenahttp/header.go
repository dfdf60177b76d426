package arenahttp

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// keep replaces fields, values and slices of values of h that are in r by copies on the heap. If r is nil, it copies all
// of them. It does not write to slices that several requests may share.
func keep(h http.Header, r *machine.Region) {
	fields := h
	if r == nil {
		fields = maps.Clone(h) // because the loop adds fields to h
	}
	for field, values := range fields {
		if r == nil || r.Holds(xunsafe.DataOf(values)) {
			values = slices.Clone(values)
			h[field] = values
		}
		for i, v := range values {
			if r == nil || r.Holds(xunsafe.TextOf(v)) {
				values[i] = strings.Clone(v)
			}
		}
		if r == nil || r.Holds(xunsafe.TextOf(field)) {
			delete(h, field)
			h[strings.Clone(field)] = values
		}
	}
}
