// Package advice has what -heap advises.
package advice

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/ebbpool/arena"
)

type node struct {
	name string
	kids []*node
	next *node
	any  any
}

type parser struct {
	a    *arena.Arena
	src  []byte
	errs []string
}

func literal(a *arena.Arena, name string) *node { // want `arena a is never used`
	return &node{name: name, next: &node{}} // want `&node\{\} on the heap, with arena a in scope: use arena.NewOf` `&node\{\} on the heap, with arena a in scope: use arena.NewOf`
}

func made(a *arena.Arena, n int) ([]int, []byte, *node) { // want `arena a is never used`
	list := make([]int, n)                       // want `make on the heap, with arena a in scope: use arena.MakeSlice`
	return list, make([]byte, 0, n+1), new(node) // want `make on the heap` `new on the heap, with arena a in scope: use arena.New`
}

func twiceEvaluated(a *arena.Arena, n func() int) []int { // want `arena a is never used`
	return make([]int, n()) // want `make on the heap`
}

func (p parser) text(i, j int) string {
	s := string(p.src[i:j]) // want `string of bytes on the heap, with arena p.a in scope: use its AllocBytesToString`
	s += "." + p.errs[0]    // want `string concatenation on the heap, with arena p.a in scope: use its Concat`
	return "<" + s +        // want `string concatenation on the heap`
		">"
}

// item has no other slices. One that may share memory with a slice in another place would keep all appends.
type item struct{ name string }

func (p parser) list() []*item {
	var out []*item
	for range p.src {
		out = append(out, &item{name: fmt.Sprintf("%d", len(out))}) // want `append on the heap, with arena p.a in scope: use arena.Append` `&item\{\} on the heap` `fmt.Sprintf on the heap, with arena p.a in scope: use its Sprintf`
	}
	return out
}

func field(p *parser, n *node) {
	n.kids = append(n.kids, n)      // want `append on the heap, with arena p.a in scope`
	p.errs = append(p.errs, "more") // want `append on the heap`
	n.any = []string{"a", n.name}   // want `slice on the heap, with arena p.a in scope: use arena.SliceOf`
}

func built(a *arena.Arena, n *node) string { // want `arena a is never used`
	var b strings.Builder // want `strings.Builder on the heap, with arena a in scope: use arena.NewBuffer`
	b.WriteString(n.name)
	b.WriteByte('.')
	fmt.Fprintf(&b, "%d", len(n.kids))
	return b.String()
}

func fromContext(ctx context.Context, s []string, r io.Reader) (string, []byte) {
	a := arena.FromContext(ctx)
	_ = a
	b, err := io.ReadAll(r) // want `io.ReadAll on the heap, with arena a in scope: use arena.ReadAll`
	if err != nil {
		return "", nil
	}
	return strings.Join(s, ",") + strings.ToLower(s[0]), b // want `string concatenation on the heap` `strings.Join on the heap` `strings.ToLower on the heap`
}

func table(a *arena.Arena) map[string]int { // want `arena a is never used`
	m := make(map[string]int) // want `map on the heap, with arena a in scope: use arena.NewMap`
	return m
}

func parse(s string) *node { return parseIn(nil, s) }

func parseIn(a *arena.Arena, s string) *node { // want `arena a is never used`
	return &node{name: s} // want `&node\{\} on the heap`
}

func other3(s string) *node { return &node{name: s} }

// A counterpart that calls the plain function forgets its arena.
func other3In(a *arena.Arena, s string) *node { // want `arena a is never used`
	return other3(s)
}

func (n *node) clone() *node { return n.cloneArena(nil) }

func (n *node) cloneArena(a *arena.Arena) *node { // want `arena a is never used`
	return &node{name: n.name} // want `&node\{\} on the heap`
}

func callers(a *arena.Arena, s string) []*node {
	return arena.SliceOf(a, parse(s+"x"), parse(s).clone()) // want `parse allocates` `string concatenation` `parse allocates` `clone allocates on the heap, with arena a in scope: use cloneArena`
}

// The counterpart may do something else.
func unknown(a *arena.Arena, s string) *node { // want `arena a is never used`
	return other3(s) // want `other3 allocates on the heap, with arena a in scope: use other3In`
}

func unused(a *arena.Arena, n int) int { return n } // want `arena a is never used`

func order(a *arena.Arena, f func() int) [][]int { // want `arena a is never used`
	return [][]int{{f()}, {f()}} // want `slice on the heap`
}

func elided(a *arena.Arena, s string) []*node { // want `arena a is never used`
	return []*node{{name: s}, nil} // want `slice on the heap`
}

func (p parser) address(s string) (*node, any) {
	var n node // want `&n leaves the function, so the variable is on the heap, with arena p.a in scope: use arena.New`
	n.name = s
	n.next = &n
	var m node // want `&m leaves the function`
	m = node{name: s}
	return &n, &m
}

func (p parser) values(n *node) []any {
	var out []any
	out = append(out, n, p.errs) // want `append on the heap` `p.errs in an any on the heap, with arena p.a in scope: use arena.BoxOf`
	p.errs[0] += "x"             // want `string concatenation on the heap`
	n.name += "x"                // want `string concatenation on the heap`
	return out
}

func (p parser) boxes(stack []any, n int, b bool, x *node, e error) any {
	stack[0] = n + 1                       // want `n \+ 1 in an any on the heap, with arena p.a in scope: use arena.BoxOf`
	stack[1] = x.name                      // want `x.name in an any`
	stack[2], stack[3], stack[4] = b, e, x // held as they are
	stack[5] = node{name: "x"}             // want `node\{…\} in an any`
	var local any = n
	if local == stack[0] || stack[1] == 1.5 {
		return x.kids // want `x.kids in an any`
	}
	return n // want `n in an any`
}
