package advice

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"sync"

	"example.com/heap/maker"
)

// What makes a text and has no counterpart is named.
func (p parser) noCounterparts(n *node, b []byte) ([]byte, string) {
	n.name = strings.Map(func(r rune) rune { return r + 1 }, n.name) // want `strings.Map on the heap, with arena p.a in scope: package arena has no counterpart; write the text to an arena.Buffer`
	p.errs = strings.Split(n.name, ",")                              // want `strings.Split on the heap`
	return bytes.ReplaceAll(b, nil, b), strconv.Itoa(len(b))         // want `bytes.ReplaceAll on the heap` `strconv.Itoa on the heap`
}

func (p parser) fineNoText(n *node, b []byte) int {
	n.name = maker.Text(b)
	return len(strings.Map(nil, n.name)) + len(strconv.Itoa(len(b)))
}

// A call that returns whether it failed does not keep what it is given.
func (p parser) saved(w io.Writer, s string) error {
	if err := json.NewEncoder(w).Encode(&node{name: s}); err != nil { // want `&node\{\} on the heap`
		return err
	}
	return maker.Save(&node{}) // want `&node\{\} on the heap`
}

// Unless it makes an error of that.
func (p parser) fineErrors(s string) error {
	if s == "" {
		return maker.NewError("no name" + s)
	}
	if err := maker.NewError("bad " + s); err != nil {
		return err
	}
	return parseError("a " + s)
}

func parseError(text string) error { return maker.NewError(text) }

// Parameters, and variables of loops, whose address leaves. They have no fix.
func (p parser) parameter(t token, list []token) (*token, *position, any) { // want `&t leaves the function, so the variable is on the heap, with arena p.a in scope: use arena.NewOf`
	for _, u := range list { // want `&u leaves the function, so the variable is on the heap, with arena p.a in scope: use arena.NewOf`
		if u.text != "" {
			return &u, nil, nil
		}
	}
	return nil, &t.pos, nil
}

// The address of a variable that a call is given as an interface leaves.
func (p parser) decoded(b []byte) (string, error) {
	var t token // want `&t leaves the function, so the variable is on the heap, with arena p.a in scope: use arena.New`
	err := json.Unmarshal(b, &t)
	return t.text, err
}

func (p parser) fineLock(n *node) {
	var mu sync.Mutex
	wait := sync.NewCond(&mu)
	wait.Signal()
}

func (p parser) finePointer(n *node) int {
	var t token
	fill(&t)
	return len(t.text)
}

func fill(t *token) { t.text = "x" }

// Variables that lead to each other in a circle, of which one leaves.
func (p parser) circle(n *node) *node {
	x, y, z := &node{}, &node{}, &node{} // want `&node\{\} on the heap` `&node\{\} on the heap` `&node\{\} on the heap`
	for range n.kids {
		x, y, z = y, z, x
	}
	return x
}

func (p parser) fineCircle(n *node) {
	x, y, z := &node{}, &node{}, &node{}
	for range n.kids {
		x, y, z = y, z, x
	}
}
