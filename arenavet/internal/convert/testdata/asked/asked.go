// Package asked gives what it makes to functions of the standard library, which call methods of it that keep
// what they are of: no item may move, though what leads to it may.
package asked

import (
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"text/template"
)

// Item is what they keep.
type Item struct{ Name string }

var (
	kept any
	page = template.Must(template.New("").Parse("{{.Title}}"))
)

type byName []*Item

func (b byName) Len() int           { return len(b) }
func (b byName) Less(i, j int) bool { kept = b[i]; return false }
func (b byName) Swap(i, j int)      {}

type text struct{ item *Item }

func (t *text) String() string               { kept = t.item; return "" }
func (t *text) MarshalText() ([]byte, error) { kept = t.item; return nil, nil }
func (t *text) Read([]byte) (int, error)     { kept = t.item; return 0, io.EOF }

type shown struct{ item *Item }

func (s shown) Format(fmt.State, rune) { kept = s.item }

// Title is for the page.
func (s *shown) Title() string { kept = s.item; return "" }

// within has the methods of what is in it.
type within struct{ *text }

// Parse is the root.
func Parse() {
	i := &Item{}
	sort.Sort(byName{i})
	i2 := &Item{}
	sort.Stable(sort.Reverse(byName{i2}))
	i3 := &Item{}
	fmt.Fprint(io.Discard, &text{i3})
	i4 := &Item{}
	fmt.Fprintf(io.Discard, "%v", shown{i4})
	i5 := &Item{}
	json.NewEncoder(io.Discard).Encode(&text{i5})
	i6 := &Item{}
	io.Copy(io.Discard, &text{i6})
	i7 := &Item{}
	page.Execute(io.Discard, &shown{i7})
	i8 := &Item{}
	fmt.Fprint(io.Discard, within{&text{i8}})
}
