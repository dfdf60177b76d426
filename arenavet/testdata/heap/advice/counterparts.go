package advice

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ebbpool/arena"
)

// Each function of the standard library that arenas have, too.

func texts(p parser, s string) []string {
	return arena.SliceOf(p.a,
		strings.Clone(s),   // want `strings.Clone on the heap, with arena p.a in scope: use its AllocString`
		strings.ToUpper(s), // want `strings.ToUpper on the heap, with arena p.a in scope: use its ToUpper`
		fmt.Sprint(s),      // want `fmt.Sprint on the heap, with arena p.a in scope: use its Sprintf`
		fmt.Sprintln(s),    // want `fmt.Sprintln on the heap`
		fmt.Sprint(s, 1),   // want `fmt.Sprint on the heap`
	)
}

func slicesOf(p parser, list []*item, b []byte, m map[int8]int) ([]*item, []byte, []int8) {
	return slices.Clone(list), // want `slices.Clone on the heap, with arena p.a in scope: use arena.CloneSlice`
		bytes.Clone(b), // want `bytes.Clone on the heap, with arena p.a in scope: use arena.CloneSlice`
		slices.Collect(maps.Keys(m)) // want `slices.Collect on the heap, with arena p.a in scope: use arena.Collect`
}

type nodes []*node

func ownType(p parser, list nodes) nodes {
	return slices.Clone(list) // want `slices.Clone on the heap`
}

func fresh(p parser, b []byte) []byte {
	return append([]byte(nil), b...) // want `append on the heap, with arena p.a in scope: use arena.Append`
}

// Builders.

func buffer(p parser, v any) ([]byte, error) {
	var b bytes.Buffer // want `bytes.Buffer on the heap, with arena p.a in scope: use arena.NewBuffer`
	b.Grow(64)
	b.WriteByte('[')
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		return nil, err
	}
	b.Truncate(b.Len() - 1)
	_, err := io.WriteString(&b, "]")
	return b.Bytes(), err
}

func pointers(p parser, r io.Reader) string {
	b := new(bytes.Buffer) // want `bytes.Buffer on the heap, with arena p.a in scope: use arena.NewBuffer`
	io.Copy(b, r)
	c := &bytes.Buffer{} // want `bytes.Buffer on the heap`
	c.WriteString(b.String())
	d := bytes.NewBuffer(nil) // want `bytes.Buffer on the heap`
	fmt.Fprint(d, c.String())
	return d.String()
}

// A Buffer is no reader, and no argument of a function that wants the other.
func reader(p parser) (string, error) {
	var b bytes.Buffer // want `bytes.Buffer on the heap`
	b.WriteString("x;")
	return b.ReadString(';')
}

func write(b *strings.Builder) { b.WriteString("x") }

func given(p parser) string {
	var b strings.Builder // want `strings.Builder on the heap`
	write(&b)
	return b.String()
}

// Maps. Those that have no more than a few entries and stay are left alone.

func counted(p parser, words []string) int {
	seen := make(map[string]int, len(words)) // want `map on the heap, with arena p.a in scope: use arena.NewMap`
	for i, w := range words {
		if _, ok := seen[w]; !ok {
			seen[w] = i
		}
	}
	delete(seen, "")
	sum := len(seen)
	for w, n := range seen {
		sum += len(w) * n
	}
	for w := range seen {
		sum -= len(w)
	}
	clear(seen)
	return sum
}

func nested(p parser, words []string, names map[string][]string) (n int) {
	seen := map[string]int{} // want `map on the heap`
	for i, w := range words {
		seen[strings.ToLower(w)+"."] = i
		names[strings.ToLower(w)] = []string{w} // want `strings.ToLower on the heap` `slice on the heap`
	}
	return len(seen)
}

// A Map has no m[k] that is a value, and no m[k]++.
func value(p parser, words []string) int {
	seen := make(map[string]int) // want `map on the heap`
	for _, w := range words {
		seen[w]++
	}
	return len(seen)
}

func read(p parser, words []string) bool {
	seen := map[string]bool{} // want `map on the heap`
	for _, w := range words {
		if seen[w] {
			return true
		}
		seen[w] = true
	}
	return false
}

func handedOn(p parser, words []string) map[string]bool {
	seen := map[string]bool{} // want `map on the heap`
	for _, w := range words {
		seen[w] = true
	}
	return seen
}

func fineSmall(p parser, k string) bool {
	colours := map[string]int{"red": 1, "green": 2}
	few := make(map[string]int, 8)
	few[k] = colours[k]
	return few["red"] == 1
}

// Functions of this package that have a counterpart, by each of its names.

func all2(s string) *node                        { return all2InArena(nil, s) }
func all2InArena(a *arena.Arena, s string) *node { return parseIn(a, s) }
func all1(s ...string) *node                     { return all1WithArena(nil, s...) }
func all1WithArena(a *arena.Arena, s ...string) *node {
	return parseIn(a, s[0])
}
func none() *node                 { return nil }
func noneIn(a *arena.Arena) *node { return arena.New[node](a) }

// Other results, or other parameters: no counterparts.
func other(s string) *node                        { return parse(s) }
func otherIn(a *arena.Arena, s string) string     { return a.AllocString(s) }
func otherArena(a *arena.Arena, s []byte) *node   { return arena.New[node](a) }
func otherInArena(s string, t *arena.Arena) *node { return arena.New[node](t) }

func allCounterparts(p parser, s string, list []string) []*node {
	return arena.SliceOf(p.a,
		all2(s),       // want `all2 allocates on the heap, with arena p.a in scope: use all2InArena`
		all1(s, s),    // want `all1 allocates on the heap, with arena p.a in scope: use all1WithArena`
		all1(list...), // want `all1 allocates on the heap`
		none(),        // want `none allocates on the heap`
		other(s),
	)
}

// Structs whose address leaves, or that of a field.

type token struct {
	text string
	pos  position
}

type position struct{ line, column int }

func (p parser) peek() token { return token{} }

func (p parser) pos() *position {
	t := p.peek() // want `&t leaves the function, so the variable is on the heap, with arena p.a in scope: use arena.NewOf`
	return &t.pos
}

func (p parser) kept() (*token, int) {
	t := token{text: "x"} // want `&t leaves the function`
	u := t
	t = p.peek()
	if t == u {
		t.pos.line++
	}
	return &t, len(u.text)
}

func (p parser) again() (*token, error) {
	t := p.peek() // want `&t leaves the function`
	t, err := p.both()
	u, err := p.both() // want `&u leaves the function`
	if err != nil {
		return &u, err
	}
	return &t, nil
}

// rounds has a variable for each round.
func (p parser) rounds(list []*token) []*token {
	for t := p.peek(); t.pos.line < 3; t.pos.line++ { // want `&t leaves the function`
		list = append(list, &t)
	}
	return list
}

func (p parser) both() (token, error) { return token{}, nil }

func inText(p parser, s string) string {
	b := bytes.NewBufferString(s) // want `bytes.Buffer on the heap`
	b.WriteByte('.')
	return b.String()
}

// It does not leave, or not by its own address.
func fineStays(p parser, next *node) (int, *position) {
	t := p.peek()
	at := &t.pos
	l := struct{ at *token }{}
	return at.line, &l.at.pos
}

func grouped(p parser, n *node) (string, *node) {
	var (
		b strings.Builder // want `strings.Builder on the heap`
		m node            // want `&m leaves the function`
		i int
	)
	for b.WriteString(n.name); i < 3; i++ {
		m.kids = nil
	}
	return b.String(), &m
}

type path []string

func (p parser) named(n int) (path, nodes) {
	return make(path, 0, n), make(nodes, n) // want `make on the heap` `make on the heap`
}

func finePanic(p parser, format string, args ...any) {
	panic(fmt.Sprintf("BUG: "+format, args...))
}

type message struct {
	data  *bytes.Buffer
	text  *strings.Builder
	value any
	all   []*message

	Buffer string
}

func (p parser) message(r io.Reader, n int64) *message {
	m := &message{data: new(bytes.Buffer), text: new(strings.Builder)} // want `use arena.NewOf` `bytes.Buffer on the heap, with arena p.a in scope: use arena.NewBuffer` `strings.Builder on the heap, with arena p.a in scope: use arena.NewBuffer`
	m.data = &bytes.Buffer{}                                           // want `bytes.Buffer on the heap, with arena p.a in scope: use arena.NewBuffer`
	m.data = bytes.NewBufferString("x")                                // want `bytes.Buffer on the heap, with arena p.a in scope: use arena.NewBuffer`
	m.data = &bytes.Buffer{}                                           // want `bytes.Buffer on the heap`
	own := new(bytes.Buffer)                                           // want `bytes.Buffer on the heap, with arena p.a in scope: use arena.NewBuffer`
	m.data = own
	m.value = size(n)                        // want `size\(n\) in an any on the heap, with arena p.a in scope: use arena.BoxOf`
	m.value = len(m.all)                     // want `len\(m.all\) in an any`
	m.value = strings.ToUpper("x")           // want `strings.ToUpper on the heap`
	m.value = append(m.all, m)               // want `append on the heap`
	last := message{}                        // want `&last leaves the function`
	m.all = append(m.all, &last)             // want `append on the heap`
	b, _ := io.ReadAll(io.LimitReader(r, n)) // want `io.ReadAll on the heap`
	m.data.Write(b)
	m.value = slices.Clone(m.all)            // want `slices.Clone on the heap`
	m.value = fmt.Sprint(n)                  // want `fmt.Sprint on the heap`
	m.value = strings.Repeat("x", 2)         // want `strings.Repeat on the heap`
	m.value = string(b)                      // want `string of bytes on the heap`
	m.data = bytes.NewBufferString(m.Buffer) // want `use arena.NewBuffer`
	return m
}

func size(n int64) int { return int(n) }
