// Package literal has handlers that are function literals: what they captured outlives their calls.
package literal

import (
	"fmt"
	"net/http"
	"strings"
)

type entry struct {
	name string
	tags []string
}

// Store is shared by all requests.
type Store struct {
	last  *entry
	names []string
}

// Handlers makes them.
func Handlers(s *Store) (mux *http.ServeMux) {
	mux = http.NewServeMux()
	mux.HandleFunc("/names", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, strings.Join(s.names, ", "))
	})
	count := func(limit int) http.HandlerFunc {
		var seen []*entry
		return func(w http.ResponseWriter, r *http.Request) { // the root
			e := &entry{name: r.URL.Path + "!"}
			for part := range strings.SplitSeq(r.URL.Path, "/") {
				e.tags = append(e.tags, strings.ToUpper(part))
			}
			kept := &entry{name: "kept"}
			if len(seen) < limit {
				seen = append(seen, kept)
			}
			s.last = &entry{name: describe(kept)}
			fmt.Fprintln(w, describe(e), len(seen))
		}
	}
	mux.HandleFunc("/", count(2))
	return mux
}

func describe(e *entry) string { return e.name + strings.Join(e.tags, "") }
