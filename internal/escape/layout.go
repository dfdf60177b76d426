package escape

import (
	"reflect"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// direct says that slices and interfaces may be read as words. Where not, package
// reflect does it.
func direct() bool { return !machine.Portable && machine.LayoutOK }

// sliceAt returns where the elements of the slice at p are, and how many.
//
//go:norace
func (s *slot) sliceAt(p Pointer) (Pointer, int) {
	if direct() {
		h := headerAt(p)
		return h.data, h.len
	}
	v := xunsafe.Value(s.typ, p)
	return v.UnsafePointer(), v.Len()
}

// setSlice makes the slice at p one of the n elements at data, and no more.
func (s *slot) setSlice(p, data Pointer, n int) {
	if direct() {
		h := headerAt(p)
		h.data, h.len, h.cap = data, n, n
		return
	}
	xunsafe.Value(s.typ, p).Set(reflect.SliceAt(s.elem, data, n).Convert(s.typ))
}

// wordAt is the pointer that a value of one word at p consists of: a map, a chan or
// a func.
//
//go:norace
func (s *slot) wordAt(p Pointer) Pointer {
	if direct() {
		return load(p)
	}
	return xunsafe.Value(s.typ, p).UnsafePointer()
}

// boxed describes what an interface holds.
type boxed struct {
	*dynamic
	// The value: in a box, which nobody may write to, or, of a type that is one
	// pointer, in the interface itself. Where nothing is read as words it is a copy, the
	// same one for all interfaces that share a box.
	at Pointer
}

// boxAt returns what the interface at p holds; nothing has no type.
//
//go:norace
func (c *copier) boxAt(s *slot, p Pointer) boxed {
	if !direct() {
		return c.view(s, p)
	}
	word := load(p)
	if word == nil {
		return boxed{}
	}
	d := s.dynamicOf(word, p, c.own)
	if d.inPlace {
		return boxed{d, xunsafe.Add(p, wordSize)}
	}
	return boxed{d, load(xunsafe.Add(p, wordSize))}
}

// viewed is what an interface is known by there: its type, and its bytes.
type viewed struct {
	typ   reflect.Type
	words string
}

// A view shows what an interface holds, by package reflect. It keeps that alive, so that
// no other interface has the same bytes and holds something else.
type view struct {
	boxed
	of reflect.Value
}

// view is boxAt where nothing is read as words. Nobody says there which interfaces
// share a box, but those do that have the same bytes, whatever these mean.
func (c *copier) view(s *slot, p Pointer) boxed {
	v := xunsafe.Value(s.typ, p)
	if v.IsNil() {
		return boxed{}
	}
	key := viewed{s.typ, bytesAt(p, s.typ.Size())}
	if known, ok := c.views[key]; ok {
		return known.boxed
	}
	held := v.Elem()
	x := reflect.New(held.Type())
	x.Elem().Set(held)
	d := &dynamic{prog: programFor(held.Type(), c.own), text: held.Kind() == reflect.String}
	if c.views == nil {
		c.views = map[viewed]view{}
	}
	b := boxed{d, x.UnsafePointer()}
	c.views[key] = view{b, held}
	return b
}

// setBox has the interface at p hold the value at box, of which it is the only owner:
// where nothing is written as words, a copy of it.
func (s *slot) setBox(p Pointer, d *dynamic, box Pointer) {
	if direct() {
		store(xunsafe.Add(p, wordSize), box)
		return
	}
	xunsafe.Value(s.typ, p).Set(xunsafe.Value(d.prog.typ, box))
}

// holdsNil reports whether an interface with a zero t holds no pointer: then it holds ts
// themselves, which are one pointer each.
func holdsNil(t reflect.Type) bool {
	x := reflect.Zero(t).Interface()
	return load(xunsafe.Add(xunsafe.PointerTo(&x), wordSize)) == nil
}
