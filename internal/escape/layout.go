package escape

import (
	"reflect"

	"github.com/ebbpool/arena/internal/machine"
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
	v := valueAt(s.typ, p)
	return v.UnsafePointer(), v.Len()
}

// setSlice makes the slice at p one of the n elements at data, and no more.
func (s *slot) setSlice(p, data Pointer, n int) {
	if direct() {
		h := headerAt(p)
		h.data, h.len, h.cap = data, n, n
		return
	}
	valueAt(s.typ, p).Set(reflect.SliceAt(s.elem, data, n).Convert(s.typ))
}

// wordAt is the pointer that a value of one word at p consists of: a map, a chan or
// a func.
//
//go:norace
func (s *slot) wordAt(p Pointer) Pointer {
	if direct() {
		return load(p)
	}
	return valueAt(s.typ, p).UnsafePointer()
}

// boxed is what an interface holds.
type boxed struct {
	*dynamic
	// The value: in a box, which nobody may write to, or, of a type that is one
	// pointer, in the interface itself. Where nothing is read as words it is a copy.
	at Pointer
}

// boxAt returns what the interface at p holds; nothing has no type.
//
//go:norace
func (s *slot) boxAt(p Pointer, own Own) boxed {
	if direct() {
		word := load(p)
		if word == nil {
			return boxed{}
		}
		d := s.dynamicOf(word, p, own)
		if d.inPlace {
			return boxed{d, add(p, wordSize)}
		}
		return boxed{d, load(add(p, wordSize))}
	}
	v := valueAt(s.typ, p).Elem()
	if !v.IsValid() {
		return boxed{}
	}
	c := reflect.New(v.Type())
	c.Elem().Set(v)
	return boxed{&dynamic{prog: programFor(v.Type(), own)}, c.UnsafePointer()}
}

// setBox has the interface at p hold the value at box, of which it is the only owner.
func (s *slot) setBox(p Pointer, d *dynamic, box Pointer) {
	if direct() {
		store(add(p, wordSize), box)
		return
	}
	valueAt(s.typ, p).Set(valueAt(d.prog.typ, box))
}

// holdsNil says whether an interface with a zero t holds no pointer: then it holds ts
// themselves, which are one pointer each.
func holdsNil(t reflect.Type) bool {
	x := reflect.Zero(t).Interface()
	return load(add(pointTo(&x), wordSize)) == nil
}
