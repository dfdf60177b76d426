package codecs

import (
	"context"
	"io"
	"strings"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"

	"example.com/helpers"
)

// Functions that pass what they are given to arenajson.

func decode(a *arena.Arena, data []byte, v any) error {
	return arenajson.Unmarshal(a, data, v, arenajson.DisallowUnknownFields)
}

func decodeTwice(a *arena.Arena, data []byte, v any) error {
	if len(data) == 0 {
		return io.EOF
	}
	return decode(a, data, v)
}

type validator interface{ valid() bool }

func (o *order) valid() bool { return o.N > 0 }

func decodeValid(a *arena.Arena, r io.Reader, v validator) bool {
	return arenajson.UnmarshalRead(a, r, v) == nil && v.valid()
}

type codec struct{ a *arena.Arena }

func (c *codec) decode(data []byte, v any) error { return arenajson.Unmarshal(c.a, data, v) }

func next(d *arenajson.Decoder, v any) bool { return d.More() && d.Decode(v) == nil }

func decodeTo[T any](a *arena.Arena, data []byte, v *T) error { return arenajson.Unmarshal(a, data, v) }

func decoded1[T any](a *arena.Arena, data []byte) (v T, err error) {
	err = arenajson.Unmarshal(a, data, &v)
	return v, err
}

func byHelper(data []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	var o order
	decode(a, data, &o)
	return o.Name // want `return of memory of arena a`
}

func byTwo(data []byte) (o order) {
	a := pool.Get()
	defer pool.Put(a)
	decodeTwice(a, data, &o)
	return o // want `return of memory of arena a`
}

func byMethodOfInterface(r io.Reader) []item {
	a := pool.Get()
	defer pool.Put(a)
	var o order
	if !decodeValid(a, r, &o) {
		return nil
	}
	return o.Items // want `return of memory of arena a`
}

func byCodec(data []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	c := codec{a}
	var o order
	c.decode(data, &o)
	return o.Name // want `return of memory of arena a`
}

func byMethodValue(data []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	read := (&codec{a}).decode
	var o order
	read(data, &o)
	return o.Name // want `return of memory of arena a`
}

func byStream(r io.Reader) (names []string) {
	a := pool.Get()
	defer pool.Put(a)
	d := arenajson.NewDecoder(a, r)
	var o order
	for next(d, &o) {
		names = append(names, o.Name)
	}
	return names // want `return of memory of arena a`
}

func byGeneric(data []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	var o order
	decodeTo(a, data, &o)
	return o.Name // want `return of memory of arena a`
}

func byGenericResult(data []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	o, _ := decoded1[order](a, data)
	return o.Name // want `return of memory of arena a`
}

func byOtherPackage(data []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	var o order
	helpers.Decode(a, data, &o)
	return o.Items[0].Tags[0] // want `return of memory of arena a`
}

func lateByHelper(a *arena.Arena, data []byte) int {
	o := new(order)
	decode(a, data, o)
	a.Reset()
	return len(o.Next.Name) // want `use of memory of arena a, which Reset`
}

func inClosure(data []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	read := func(v any) error { return arenajson.Unmarshal(a, data, v) }
	var o order
	read(&o)
	return o.Name // want `return of memory of arena a`
}

func fromContext(ctx context.Context, data []byte, v any) error {
	return arenajson.Unmarshal(arena.FromContext(ctx), data, v)
}

// Right code.

func fineByHelper(data []byte) (string, int) {
	a := pool.Get()
	defer pool.Put(a)
	var o order
	decode(a, data, &o)
	return strings.Clone(o.Name), o.N
}

func fineHelperOnHeap(data []byte) (o order, err error) {
	err = decodeTwice(nil, data, &o)
	return o, err
}

func fineOtherValue(data []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	o := order{Name: "heap"}
	var p order
	decode(a, data, &p)
	return o.Name
}

func fineNumberByHelper(data []byte) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	decode(a, data, &n)
	return n
}

func fineResetFirst(a *arena.Arena, data []byte) (o order) {
	a.Reset()
	decode(a, data, &o)
	return o
}

func fineForCaller(a *arena.Arena, data []byte) (*order, error) {
	o := new(order)
	err := decode(a, data, o)
	return o, err
}

func fineInContext(ctx context.Context, data []byte) (o order, err error) {
	err = fromContext(ctx, data, &o)
	return o, err
}
