// Package asked gives what it makes to functions of the standard library, which call methods of it that keep
// what they are of: no item may move, though what leads to it may. Only those named moves do.
package asked

import (
	"bufio"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
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

// report has such values in its parts.
type report struct {
	Title string
	Parts []map[string]*text
	More  any
}

// hidden has one that nothing of the standard library calls a method of, since the field has no exported name.
type hidden struct{ text *text }

// plain has a method that keeps nothing.
type plain struct{ Item *Item }

func (p plain) String() string { return p.Item.Name }

// held is read into, and keeps what it had.
type held struct{ item *Item }

func (h *held) UnmarshalJSON([]byte) error { kept = h.item; return nil }

// sink keeps texts.
type sink struct{ last string }

func (s *sink) Write(p []byte) (int, error) { return len(p), nil }
func (s *sink) WriteString(text string) (int, error) {
	kept = text
	return len(text), nil
}

// first leads a template to what keeps.
type first struct{ item *Item }

// Second is called by the template, and so is what it returns.
func (f first) Second() *shown { return &shown{f.item} }

// other has a method that nothing of the standard library calls, by what it takes.
type other struct{ Item *Item }

func (o *other) Format(*other) { kept = o.Item }

// print gives on what it is given.
func print(list ...any) { fmt.Fprintln(io.Discard, list...) }

func printOne(v any) { fmt.Fprintln(io.Discard, v) }

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
	parts()
	arrived()
	rarer()
}

func parts() {
	i9 := &Item{}
	fmt.Fprint(io.Discard, report{Parts: []map[string]*text{{"": {i9}}}})
	i10 := &Item{}
	json.Marshal(&report{More: []any{&text{i10}}})
	i11 := &Item{}
	_ = fmt.Errorf("%v", []*text{{i11}})
	i12 := &Item{}
	json.Unmarshal([]byte("{}"), &held{i12})
	i13 := &Item{}
	local, _ := template.New("").Parse("{{.Second.Title}}")
	local.Execute(io.Discard, first{i13})
	i14 := &Item{}
	local, _ = template.New("").Funcs(template.FuncMap{"keep": func(i *Item) string { kept = i; return "" }}).Parse("{{keep .Item}}")
	local.Execute(io.Discard, plain{i14})
	moves := &Item{}
	fmt.Fprint(io.Discard, plain{moves}, &hidden{&text{moves}})
}

func arrived() {
	i15 := &Item{}
	print("", &text{i15})
	i16 := &Item{}
	printOne(shown{i16})
	name := "name " + kept.(string)
	w := bufio.NewWriter(&sink{})
	w.WriteString(name)
	moves := &Item{}
	fmt.Fprint(io.Discard, moves, &other{moves})
}

// Each of these has a method that one package asks for.
type (
	zero   struct{ item *Item }
	read   struct{ item *Item }
	gobbed struct{ item *Item }
	option struct{ item *Item }
	fault  struct{ item *Item }
	found  struct{ item *Item }
)

func (z *zero) IsZero() bool                 { kept = z.item; return false }
func (r *read) UnmarshalText([]byte) error   { kept = r.item; return nil }
func (g *gobbed) GobEncode() ([]byte, error) { kept = g.item; return nil, nil }
func (o *option) String() string             { return "" }
func (o *option) Set(string) error           { kept = o.item; return nil }
func (fault) Error() string                  { return "" }
func (f fault) As(target any) bool           { kept = target; return false }
func (found) Error() string                  { return "" }

func rarer() {
	i17 := &Item{}
	json.Marshal(&struct {
		Zero *zero `json:",omitzero"`
	}{&zero{i17}})
	i18 := &Item{}
	xml.Unmarshal(nil, &read{i18})
	i19 := &Item{}
	gob.NewEncoder(io.Discard).Encode(&gobbed{i19})
	i20 := &Item{}
	errors.As(fault{}, &found{i20})
	i21 := &Item{}
	flag.NewFlagSet("", 0).Var(&option{i21}, "", "")
	moves := &Item{}
	fmt.Fprint(io.Discard, &zero{moves}, &read{moves}, &option{moves})
}
