// Package gogo compares arenapb's struct functions with the generated code of gogo/protobuf.
package gogo

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/gogo/protobuf/proto"
)

// refused are parts of the errors for unsupported messages.
var refused = []string{"extensions", "wktptr", "no protobuf tags"}

func isRefused(err error) bool {
	for _, part := range refused {
		if err != nil && strings.Contains(err.Error(), part) {
			return true
		}
	}
	return false
}

// hasMap reports whether messages of type t may have maps, which gogo encodes in any order.
func hasMap(t reflect.Type, seen map[reflect.Type]bool) bool {
	switch t.Kind() {
	case reflect.Map, reflect.Interface: // a oneof, whose types are unknown here
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return hasMap(t.Elem(), seen)
	case reflect.Struct:
		if seen[t] {
			return false
		}
		seen[t] = true
		for i := range t.NumField() {
			if hasMap(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

// same reports whether two messages are equal. NaNs are equal if their bits are.
func same(x, y proto.Message) bool {
	if reflect.DeepEqual(x, y) {
		return true
	}
	a, err := proto.Marshal(x)
	b, err2 := proto.Marshal(y)
	return err == nil && err2 == nil && (bytes.Equal(a, b) || hasMap(reflect.TypeOf(x), map[reflect.Type]bool{}) && equal(x, y))
}

// equal is proto.Equal, which panics for bytes of a casttype.
func equal(x, y proto.Message) (yes bool) {
	defer func() { recover() }()
	return proto.Equal(x, y)
}

// compare decodes and encodes a document and reports whether it could be compared.
func compare(t *testing.T, a *arena.Arena, like proto.Message, doc []byte) bool {
	t.Helper()
	fresh := func() proto.Message { return reflect.New(reflect.TypeOf(like).Elem()).Interface().(proto.Message) }
	want, got := fresh(), fresh()
	wrong := proto.Unmarshal(doc, want)
	err := arenapb.UnmarshalStruct(a, doc, got)
	if isRefused(err) {
		return false
	}
	if (err == nil) != (wrong == nil) {
		t.Fatalf("%T %x: %v, gogo has %v", like, doc, err, wrong)
	}
	if err != nil {
		return true
	}
	if !same(got, want) {
		t.Fatalf("%T %x:\n%v\n%v", like, doc, got, want)
	}
	out, err := arenapb.MarshalStruct(a, got)
	if err != nil {
		t.Fatalf("%T %x: %v", like, doc, err)
	}
	again, err := proto.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out, again) {
		if !hasMap(reflect.TypeOf(like), map[reflect.Type]bool{}) {
			t.Fatalf("%T is written as\n%x\nby gogo as\n%x", like, out, again)
		}
		back := fresh()
		if err := proto.Unmarshal(out, back); err != nil || !same(back, want) || len(out) != len(again) {
			t.Fatalf("%T is written as\n%x (%v)\nby gogo as\n%x", like, out, err, again)
		}
	}
	return true
}

// Random messages of all of gogo's types are decoded and encoded like by gogo.
func TestMessages(t *testing.T) {
	rounds := 5_000
	if testing.Short() {
		rounds = 30
	}
	random := rand.New(rand.NewSource(1))
	a := arena.NewArena(1<<14, 0)
	compared := map[string]int{}
	n := 0
	for range rounds {
		for _, make := range types {
			m := make(random, random.Intn(2) == 0)
			doc, err := proto.Marshal(m)
			if err != nil {
				continue // a nil element, or a time out of range
			}
			if compare(t, a, m, doc) {
				compared[fmt.Sprintf("%T", m)]++
				n++
			}
			a.Reset()
		}
	}
	if len(compared) < len(types)*8/10 || n < rounds*100 {
		t.Errorf("%d messages of %d types were compared, of %d", n, len(compared), len(types))
	}
	t.Logf("%d messages of %d types", n, len(compared))
}

// Truncated and changed documents are decoded without a panic and within a limit. If gogo's
// generated code accepts a document as well, the results are equal, or at least after gogo's is encoded and decoded again:
// tags of unknown fields may have different lengths. Maps may differ, because gogo does not check wire types in entries.
func TestHostile(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 5
	}
	random := rand.New(rand.NewSource(2))
	a := arena.NewArena(1<<14, 0)
	a.SetLimit(4 << 20)
	both := 0
	for range rounds {
		for _, make := range types {
			m := make(random, true)
			doc, err := proto.Marshal(m)
			if err != nil || len(doc) == 0 || len(doc) > 1<<14 {
				continue
			}
			for range 4 {
				bad := bytes.Clone(doc)
				switch i := random.Intn(len(bad)); random.Intn(4) {
				case 0:
					bad = bad[:i]
				case 1:
					bad[i] ^= 1 << random.Intn(8)
				case 2:
					bad[i] = byte(random.Intn(256))
				default:
					bad = append(bad[:i:i], append([]byte{byte(random.Intn(256)), 0xff}, bad[i:]...)...)
				}
				got := reflect.New(reflect.TypeOf(m).Elem()).Interface().(proto.Message)
				err := arenapb.UnmarshalStruct(a, bad, got)
				var over *arena.LimitError
				if isRefused(err) || errors.As(err, &over) {
					a.Reset()
					continue
				}
				if err != nil {
					if zero := reflect.ValueOf(got).Elem(); !zero.IsZero() {
						t.Fatalf("%T %x: %v, and the message is not zero", m, bad, err)
					}
				} else {
					want := reflect.New(reflect.TypeOf(m).Elem()).Interface().(proto.Message)
					if generated, ok := want.(interface{ Unmarshal([]byte) error }); ok && generated.Unmarshal(bad) == nil {
						if !same(got, want) && !hasMap(reflect.TypeOf(m), map[reflect.Type]bool{}) {
							again := reflect.New(reflect.TypeOf(m).Elem()).Interface().(proto.Message)
							if err := arenapb.UnmarshalStruct(a, document(t, want), again); err != nil || !same(got, again) {
								t.Fatalf("%T %x:\n%v\n%v", m, bad, got, want)
							}
						}
						both++
					}
					if _, err := arenapb.MarshalStruct(a, got); err != nil && !strings.Contains(err.Error(), "out of range") {
						t.Fatalf("%T %x: %v", m, bad, err)
					}
				}
				a.Reset()
			}
		}
	}
	if both < rounds*50 {
		t.Errorf("%d documents were read by both", both)
	}
}
