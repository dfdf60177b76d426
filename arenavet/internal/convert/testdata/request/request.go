// Package request is a handler: the arena is in the context of its request.
package request

import (
	"fmt"
	"net/http"
	"strings"
)

type order struct {
	id    string
	lines []string
}

// Serve is the root, whose arena's declaration needs a line.
func Serve(w http.ResponseWriter, r *http.Request) { answer(w, read(r.URL.Path, 3)) }

func answer(w http.ResponseWriter, o *order) {
	fmt.Fprintln(w, o.id, len(o.lines))
	page(w, o)
}

func page(w http.ResponseWriter, o *order) {
	_, _ = w.Write([]byte(text(o)))
}

func text(o *order) string {
	var b strings.Builder
	for _, l := range o.lines {
		b.WriteString(l)
	}
	return b.String()
}

func read(path string, n int) *order {
	o := &order{id: "order " + path}
	for i := range n {
		o.lines = append(o.lines, fmt.Sprintf("%s/%d", path, i))
	}
	return o
}
