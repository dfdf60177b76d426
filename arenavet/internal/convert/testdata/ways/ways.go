// Package ways makes items, and stores them in what it can get at in two ways: in one of them it has put there what
// lives for long. Only those named moves may move.
package ways

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
)

// Item is what is stored.
type Item struct {
	Next *Item
	Name string
}

// Node is part of a ring.
type Node struct {
	Self *Node
	Item *Item
}

// Outer has parts that are pointed at.
type Outer struct {
	First, Second Inner
	at            *Inner
}

// Inner is such a part.
type Inner struct{ Item *Item }

type fault struct {
	item   *Item
	fields map[string]any
}

func (f *fault) Error() string { return fmt.Sprint(f.fields) }

var (
	kept = &Item{}
	last error
)

// Fill is for others.
var Fill = func(any) {}

// Others put one of theirs here, which the package itself never does.
var Others any

// Other is what they put there.
type Other struct{ Item *Item }

var keptOther *Other

// Parse is the root.
func Parse(text string) (*Item, []error) {
	byRing()
	byRingThere()
	byPart()
	byOwnPart(&Outer{}) // moves
	byBoth()
	byAs()
	byGlobal()
	byReader()
	byWrapper()
	byFill()
	byOthers()
	byFillThere()
	byBox()
	byCopy()
	byRingLater()
	bySame()
	byDocument([]byte(text)) // moves
	p := &parser{text: text} // moves
	p.parse()
	p.count(map[string]any{}, map[string]any{"a": 1}) // moves, both
	return p.first, []error{                          // moves
		byFound(), byFoundThere(), byFoundBox(),
		asError(valued{&Item{}, 1}),
		asError(&Node{}), // moves
	}
}

func ring() *Node {
	n := &Node{Item: &Item{}} // moves
	n.Self = n
	return n
}

func byRing() {
	n := ring()
	n.Self.Item = kept
	n.Item.Next = &Item{}
}

func byRingThere() {
	n := ring()
	fill(n)
	n.Item.Next = &Item{}
	m := ring()
	fillAndAdd(m)
}

func fill(n *Node) { n.Self.Self.Item = kept }

func fillAndAdd(n *Node) {
	n.Self.Item = kept
	n.Item.Next = &Item{}
}

// byRingLater closes the ring after the call that needs it, and adds nothing else.
func byRingLater() {
	n := &Node{Item: &Item{}}
	for range 2 {
		n.Item.Next = &Item{}
		fillRing(n)
		n.Self = n
	}
}

func fillRing(n *Node) {
	if n.Self != nil {
		n.Self.Item = kept
	}
}

func byPart() {
	o := &Outer{}
	fillPart(&o.Second)
	o.Second.Item.Next = &Item{}
	o.First.Item = &Item{}      // moves
	o.First.Item.Next = &Item{} // moves
}

func fillPart(i *Inner) { i.Item = kept }

func byOwnPart(o *Outer) {
	o.at = &o.Second
	fillAt(o)
	o.Second.Item.Next = &Item{}
}

func fillAt(o *Outer) { o.at.Item = kept }

func byBoth() {
	o := &Outer{} // moves
	fillOne(o, &o.Second)
	fillOther(&o.First, o)
	fillElement([]Inner{{}}, nil)
}

func fillOne(o *Outer, i *Inner) {
	i.Item = kept
	o.Second.Item.Next = &Item{}
}

func fillOther(i *Inner, o *Outer) {
	o.First.Item = kept
	i.Item.Next = &Item{}
}

func fillElement(list []Inner, i *Inner) {
	if i == nil {
		i = &list[0]
	}
	list[0].Item = kept
	i.Item.Next = &Item{}
}

func byAs() {
	f := &fault{item: &Item{}}
	var err error = f
	var same *fault
	if errors.As(err, &same) {
		same.item = kept
	}
	f.item.Next = &Item{}
}

func byGlobal() {
	f := &fault{item: &Item{}}
	last = f
	last.(*fault).item = kept
	f.item.Next = &Item{}
}

type reader struct{ failed *fault }

func (r *reader) Read([]byte) (int, error) { return 0, r.failed }

func byReader() {
	r := &reader{&fault{item: &Item{}}} // the reader moves
	_, err := io.ReadAll(r)
	err.(*fault).item = kept
	r.failed.item.Next = &Item{}
}

func wrap(f *fault) error { return f }

func byWrapper() {
	f := &fault{item: &Item{}}
	wrap(f).(*fault).item = kept
	f.item.Next = &Item{}
}

func byFill() {
	f := &fault{item: &Item{}}
	_ = wrap(f)
	Fill(f)
	f.item.Next = &Item{}
}

func byOthers() {
	if o, ok := Others.(*Other); ok {
		o.Item.Next = &Item{}
	}
}

func byFillThere() {
	f := &fault{item: &Item{}}
	_ = wrap(f)
	give(f)
	f.item.Next = &Item{}
}

func give(f *fault) {
	_ = wrap(f)
	Fill(f)
}

func byBox() {
	n := &Node{Item: &Item{}}
	var boxed any = *n
	other := boxed.(Node)
	other.Item.Next = kept
	n.Item.Next.Next = &Item{}
}

func byCopy() {
	from := map[string]any{"a": kept}
	to := map[string]any{}
	maps.Copy(to, from)
	to["a"].(*Item).Next = &Item{}
}

func same(v any) any { return v }

func bySame() {
	i := &Item{} // moves
	if o, ok := same(i).(*Other); ok {
		keptOther = o
	}
}

// valued is an error by its value.
type valued struct {
	item *Item
	n    int
}

func (valued) Error() string { return "" }

func byFound() error {
	var v any = &fault{item: &Item{}}
	err, _ := v.(error)
	return err
}

func byFoundThere() error { return asError(&fault{item: &Item{}}) }

func byFoundBox() error {
	h, v := &holder{}, valued{kept, 2}
	h.v = v
	err, _ := h.v.(error)
	return err
}

type holder struct{ v any }

func asError(v any) error {
	if err, ok := v.(error); ok {
		return err
	}
	return nil
}

func byDocument(text []byte) {
	o := &Outer{} // moves, but what is read does not
	if read(text, o) == nil {
		keep(&o.Second)
	}
}

func read(text []byte, into any) error { return json.Unmarshal(text, into) }

func keep(i *Inner) { kept.Next = i.Item }

// parser has an error that has a map of anything: what the parser makes is not in it.
type parser struct {
	text  string
	err   error
	first *Item
	items []*Item
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		f := failure(format, args...)
		f.fields["text"] = p.text
		p.err = f
	}
}

func failure(format string, args ...any) *fault {
	return &fault{fields: map[string]any{"message": fmt.Sprintf(format, args...)}}
}

func (p *parser) parse() {
	var items []*Item
	p.each(func() {
		items = append(items, p.item()) // moves
	})
	p.items = items
	p.first = items[0]
}

func (p *parser) each(do func()) {
	for p.err == nil && p.text != "" {
		do()
	}
}

func (p *parser) item() *Item {
	name := p.text[:1]
	if p.text = p.text[1:]; name == "" {
		p.fail("%q is no name after %v", name, p.text)
	}
	return &Item{Name: name} // moves
}

func (p *parser) count(to, from map[string]any) {
	maps.Copy(to, from)
	to["text"] = p.text // moves
	last = fmt.Errorf("%d", len(to))
}
