package arenajson

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

// members returns the names in encoding/json's encoding of v, in order.
func members(t *testing.T, v any) []string {
	t.Helper()
	doc, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%T: %v", v, err)
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	var names []string
	for depth, key := 0, true; ; {
		token, err := d.Token()
		if err != nil {
			return names
		}
		if depth == 1 {
			if s, ok := token.(string); ok && key {
				names = append(names, s)
				key = false
				continue
			}
			key = true
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

// at returns the address of a field, by its hops and offset.
func at(f *field, p unsafe.Pointer) unsafe.Pointer {
	for _, h := range f.hops {
		p = *(*unsafe.Pointer)(unsafe.Add(p, h.offset))
	}
	return unsafe.Add(p, f.offset)
}

// compareFields fills a v of struct type s so that no field is omitted, and compares fieldsOf with
// encoding/json's encoding.
func compareFields(t *testing.T, r *rand.Rand, s reflect.Type) {
	t.Helper()
	p := reflect.New(s)
	fill(r, p.Elem(), 4, false)
	fields := fieldsOf(s)
	var want []string
	v := p.Elem()
	for i := range fields {
		f := &fields[i]
		fv, err := v.FieldByIndexErr(f.index)
		if err != nil || f.omitEmpty && isEmpty(fv) || f.omitZero && (fv.IsZero() || reflectSaysZero(fv)) {
			continue // behind an embedded pointer that can't be set
		}
		want = append(want, f.name)
		if fv.Type() != f.typ || fv.Addr().UnsafePointer() != at(f, p.UnsafePointer()) {
			t.Errorf("%v: %s is a %v at %v, not a %v at %v", s, f.name, fv.Type(), fv.Addr().UnsafePointer(), f.typ, at(f, p.UnsafePointer()))
		}
		// The name alone, as the options of an encoder write it.
		for escape, quoted := range map[bool]string{true: f.escaped, false: f.plain} {
			var b strings.Builder
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(escape)
			e.Encode(f.name)
			if strings.TrimSuffix(b.String(), "\n")+":" != quoted {
				t.Errorf("%v: %s is written %s and not %s", s, f.name, quoted, b.String())
			}
		}
	}
	if got := members(t, p.Interface()); !slices.Equal(got, want) {
		t.Errorf("%v: encoding/json has %q, fieldsOf %q", s, got, want)
	}
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Struct:
		return false
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	}
	return v.IsZero()
}

func reflectSaysZero(v reflect.Value) bool {
	z, ok := v.Addr().Interface().(isZero)
	return ok && z.IsZero()
}

// A struct has the same fields in the same order as with encoding/json.
func TestFieldsAreThoseOfEncodingJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, v := range zoo {
		compareFields(t, r, reflect.TypeOf(v))
	}
	if !onV2 {
		compareFields(t, r, reflect.TypeFor[badNames]())
	}
	n := 2000
	if testing.Short() {
		n = 200
	}
	for range n {
		if s := randomType(r, 2); s.Kind() == reflect.Struct {
			compareFields(t, r, s)
		}
	}
}

// Only embedded pointers to unexported structs are hidden.
func TestHiddenHops(t *testing.T) {
	type both struct {
		*MyPointed
		*hiddenPointed
	}
	fields := fieldsOf(reflect.TypeFor[both]())
	if len(fields) != 4 {
		t.Fatalf("%d fields", len(fields))
	}
	for _, f := range fields {
		if len(f.hops) != 1 || f.hops[0].hidden != strings.HasPrefix(f.name, "H") {
			t.Errorf("%s: %+v", f.name, f.hops)
		}
	}
}

// Goroutines that use a type for the first time at once get the same fields.
func TestFieldsAtOnce(t *testing.T) {
	s := reflect.StructOf([]reflect.StructField{{Name: "Never", Type: reflect.TypeFor[Level1]()}, {Name: "Asked", Type: reflect.TypeFor[int]()}})
	got := make([]*field, 8)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = &fieldsOf(s)[0] })
	}
	wg.Wait()
	for _, f := range got {
		if f != got[0] {
			t.Fatal("two lists of one type")
		}
	}
}
