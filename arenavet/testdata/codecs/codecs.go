// Package codecs has what reads JSON into an arena, and what works with types that
// are known at run time only.
package codecs

import (
	"io"
	"reflect"
	"strings"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/arenareflect"
)

var pool = arena.NewArenaPool(4096, 0)

type order struct {
	Name  string
	N     int
	Items []item
	Next  *order
	More  map[string]any
}

type item struct{ Tags []string }

func name(data []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	var o order
	if err := arenajson.Unmarshal(a, data, &o); err != nil {
		return ""
	}
	return o.Name // want `return of memory of arena a, which the deferred Put`
}

func whole(data []byte) (o order, err error) {
	a := pool.Get()
	defer pool.Put(a)
	err = arenajson.Unmarshal(a, data, &o)
	return o, err // want `return of memory of arena a`
}

func deep(data []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	o := new(order)
	arenajson.Unmarshal(a, data, o)
	return o.Next.Next.Next.Next.Next.Items[0].Tags[1] // want `return of memory of arena a`
}

func anyOf(data []byte) any {
	a := pool.Get()
	defer pool.Put(a)
	var o order
	arenajson.Unmarshal(a, data, &o)
	return o.More["x"].(map[string]any)["y"].([]any)[0] // want `return of memory of arena a`
}

func stale(a *arena.Arena, r io.Reader) int {
	var list []*order
	arenajson.UnmarshalRead(a, r, &list)
	a.Reset()
	return list[0].N // want `use of memory of arena a, which Reset`
}

func streamed(r io.Reader) []string {
	a := pool.Get()
	defer pool.Put(a)
	d := arenajson.NewDecoder(a, r)
	var names []string
	for d.More() {
		var o order
		if d.Decode(&o) != nil {
			break
		}
		names = append(names, o.Name)
	}
	return names // want `return of memory of arena a`
}

func decodedLate(r io.Reader) {
	a := pool.Get()
	d := arenajson.NewDecoder(a, r)
	pool.Put(a)
	var o order
	d.Decode(&o) // want `use of arena a, which Put on line 85`
}

func text(o *order) []byte {
	a := pool.Get()
	defer pool.Put(a)
	b, err := arenajson.Marshal(a, o)
	if err != nil {
		return nil
	}
	return b // want `return of b, memory of arena a`
}

// A pointer to the heap is not followed: what lies behind it still lies in the arena.
func escapedPointer(data []byte) (*order, error) {
	a := pool.Get()
	defer pool.Put(a)
	o := new(order)
	err := arenajson.Unmarshal(a, data, o)
	return arena.Escape(a, o), err // want `return of memory of arena a`
}

func written(a *arena.Arena, w io.Writer) error {
	o := arena.New[order](a)
	a.Reset()
	return arenajson.MarshalWrite(a, w, o) // want `use of o, memory of arena a, which Reset`
}

func ofType(t reflect.Type) any {
	a := pool.Get()
	defer pool.Put(a)
	return arenareflect.New(a, t).Interface() // want `return of memory of arena a`
}

func sliceOfType(t reflect.Type) any {
	a := pool.Get()
	defer pool.Put(a)
	v := arenareflect.MakeSlice(a, reflect.SliceOf(t), 1, 1)
	return v.Interface() // want `return of v, memory of arena a`
}

func valueLate(a *arena.Arena) reflect.Value {
	v := arenareflect.New(a, reflect.TypeFor[order]())
	a.Reset()
	return v // want `return of v, memory of arena a`
}

// Right code.

func fineName(data []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	var o order
	arenajson.Unmarshal(a, data, &o)
	return strings.Clone(o.Name)
}

func fineNumber(data []byte) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	var o order
	arenajson.Unmarshal(a, data, &o)
	for o := &o; o != nil; o = o.Next {
		n += o.N
	}
	return n
}

func fineHeap(data []byte) (o order, err error) {
	err = arenajson.Unmarshal(nil, data, &o)
	return o, err
}

func fineEscaped(data []byte) (*order, error) {
	a := pool.Get()
	defer pool.Put(a)
	var o order
	err := arenajson.Unmarshal(a, data, &o)
	kept := arena.Escape(a, o)
	return &kept, err
}

func fineOfCaller(a *arena.Arena, r io.Reader) ([]*order, error) {
	var list []*order
	err := arenajson.UnmarshalRead(a, r, &list)
	return list, err
}

func fineStreamed(r io.Reader) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	d := arenajson.NewDecoder(a, r)
	for d.More() {
		var o order
		if d.Decode(&o) != nil {
			break
		}
		n += o.N
		a.Reset()
	}
	return n
}

func fineText(o *order) string {
	a := pool.Get()
	defer pool.Put(a)
	b, _ := arenajson.Marshal(a, o)
	return string(b)
}

func fineWritten(w io.Writer) error {
	a := pool.Get()
	defer pool.Put(a)
	return arenajson.MarshalWrite(a, w, arena.New[order](a))
}

func fineType(a *arena.Arena, t reflect.Type) any { return arenareflect.New(a, t).Interface() }

// What the pointer leads to is a copy.
func fineTypeValue() any {
	a := pool.Get()
	defer pool.Put(a)
	v := arenareflect.New(a, reflect.TypeFor[int]())
	v.Elem().SetInt(7)
	return v.Elem().Interface()
}
