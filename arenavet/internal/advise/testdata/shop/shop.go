// Package shop is a program whose profiles the tests make up.
package shop

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

type item struct {
	name  string
	price int
}

func (i *item) print() { println(i.name) }

var kept []*item

func find(name string) *item {
	name = strings.TrimSpace(name) // line find2
	return &item{name: name}       // line find
}

func later(i *item) func() {
	return i.print // line later
}

func literal(n int) func() int {
	return func() int { return n } // line literal
}

func text(a, b string) string {
	return fmt.Sprintf("%s, %s", a, b) // line text
}

func fail() error {
	return errors.New("no item") // line fail
}

func replace(s string) string {
	return strings.ReplaceAll(s, "a", "b") // line replace
}

func decode(b []byte, v any) error {
	return json.Unmarshal(b, v) // line decode
}

func keep(name string) {
	i := &item{name: name} // line keep
	kept = append(kept, i) // line append
}

func list(name string) any {
	m := map[string]any{} // line list
	m[name] = name        // line list2
	return m
}

type prices map[string]any

func listed(name string) any {
	var m map[string]any
	if name != "" {
		m = map[string]any{} // line listed
	}
	return m
}

func filled(name string) any {
	m := map[string]any{} // line filled
	func() { m[name] = name }()
	return prices(m)
}

func count(names []string) map[string]int {
	m := map[string]int{} // line count
	for _, name := range names {
		m[name]++ // line count2
	}
	return m
}

func sum(all []any, n int) []any {
	all = append(all, nil) // line sum
	all[0] = n             // line sum2
	return all
}

func product(x, y int) any {
	return x * y // line product
}
