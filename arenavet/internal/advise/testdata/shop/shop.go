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

func sum(all []any, n int) []any {
	all = append(all, nil) // line sum
	all[0] = n             // line sum2
	return all
}

// Serve is the root of the tests.
func Serve(name string) *item {
	item := find(name)                // line Serve
	item.name = strings.ToLower(name) // line lower
	if item.price > 0 {
		keep(name)
	}
	return item
}
