// Package loaded makes items, and stores them in what it finds in an object that others have, too, who may have put
// there what they keep: only those named moves may move.
package loaded

import (
	"errors"
	"slices"
)

// Item is what is stored.
type Item struct {
	Next *Item
	list []*Item
}

// Box is what others fill.
type Box struct {
	item *Item
	err  error
}

// Failed leads to items by way of an error alone.
type Failed struct{ err error }

type fault struct{ item *Item }

func (*fault) Error() string { return "" }

type plain struct{ item *Item }

func (plain) Error() string { return "" }
func (p plain) fill()       { p.item.Next = &Item{} }

var (
	kept   *Item
	boxes  []*Box
	last         = &fault{&Item{}}
	failed error = last
	wraps  error = errors.Join(failed)
	only         = &Failed{last}
)

// Fill is for others.
var Fill = func(*Box) {}

// Parse is the root.
func Parse() *Item {
	byGlobal()
	byFunction()
	byInner()
	byLater()
	byCallee()
	byElement()
	byAs()
	byTarget(new(*fault))
	byUnwrap()
	inFault(last)
	inError(failed)
	inError(made())
	inHeld(only)
	inFailed(only)
	inPlain(only)
	byMethod(only)
	inAny(only)
	return byItself()
}

func byGlobal() {
	i := &Item{}
	kept = i
	kept.Next = &Item{}
	i.Next.Next = &Item{}
}

func byFunction() {
	b := &Box{}
	Fill(b)
	b.item.Next = &Item{}
}

func byInner() {
	i := &Item{}
	b := &Box{item: i}
	Fill(b)
	i.Next.Next = &Item{}
}

func byLater() {
	b := &Box{}
	Fill(b)
	i := &Item{}
	b.item = i
	i.Next.Next = &Item{}
}

func byCallee() {
	b := &Box{}
	boxes = append(boxes, b)
	boxes[0].item = kept
	next(b)
}

func next(b *Box) { b.item.Next = &Item{} }

func byElement() {
	b := &Box{item: &Item{}}
	Fill(b)
	list := slices.Clone(b.item.list)
	list[0].Next = &Item{}
}

func byAs() {
	var f *fault
	if errors.As(failed, &f) {
		f.item.Next = &Item{}
		f.item = &Item{}
	}
}

func byTarget(target any) {
	if errors.As(failed, target) {
		(*target.(**fault)).item = &Item{}
	}
}

func byUnwrap() {
	if f, ok := errors.Unwrap(wraps).(*fault); ok {
		f.item = &Item{}
	}
}

func byItself() *Item {
	b := &Box{item: &Item{}} // moves
	b.item.Next = &Item{}    // moves
	if errors.Is(b.err, failed) {
		return nil
	}
	return b.item.Next
}

func inFault(f *fault) { f.item.Next = &Item{} }

func inError(err error) { err.(*fault).item.Next = &Item{} }

func made() error { return &fault{&Item{}} }

func inHeld(b *Failed) { b.err.(*fault).item = &Item{} }

func inFailed(b *Failed) { inGiven(b.err.(*fault)) }

func inGiven(f *fault) { f.item.Next = &Item{} }

func inPlain(b *Failed) {
	if p, ok := b.err.(plain); ok {
		p.item.Next = &Item{}
	}
}

func byMethod(b *Failed) {
	if f, ok := b.err.(interface{ fill() }); ok {
		f.fill()
	}
}

func inAny(b *Failed) {
	var v any = b.err
	if p, ok := v.(plain); ok {
		p.item.Next = &Item{}
	}
}
