package arenahttp

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/ebbpool/arena/internal/machine"
)

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
