package arenajson

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/corpora"
)

// The corpora, each with encoding/json and with this package:
//
//	go test ./arenajson -run '^$' -bench Encode/corpus=twitter
//
// All of the field is compared by the lab: make bench-json.

// An unmarshaler decodes doc into v, a new value of a corpus's type, with the
// memory of a.
type unmarshaler struct {
	name      string
	unmarshal func(a *arena.Arena, doc []byte, v any) error
}

var unmarshalers = []unmarshaler{
	{"encoding-json", func(_ *arena.Arena, doc []byte, v any) error { return json.Unmarshal(doc, v) }},
	{"arenajson", func(a *arena.Arena, doc []byte, v any) error { return Unmarshal(a, doc, v) }},
	{"arenajson-heap", func(_ *arena.Arena, doc []byte, v any) error { return Unmarshal(nil, doc, v) }},
}

type marshaler struct {
	name    string
	marshal func(a *arena.Arena, v any) ([]byte, error)
}

var marshalers = []marshaler{
	{"encoding-json", func(_ *arena.Arena, v any) ([]byte, error) { return json.Marshal(v) }},
	{"arenajson", func(a *arena.Arena, v any) ([]byte, error) { return Marshal(a, v) }},
	{"arenajson-heap", func(_ *arena.Arena, v any) ([]byte, error) { return Marshal(nil, v) }},
}

// each calls f with each corpus that can be read.
func each(b *testing.B, f func(b *testing.B, c corpora.Corpus, doc []byte)) {
	for _, c := range corpora.All {
		b.Run("corpus="+c.Name, func(b *testing.B) {
			doc, err := c.Read(nil)
			if err != nil {
				b.Skip(err)
			}
			f(b, c, doc)
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	each(b, func(b *testing.B, c corpora.Corpus, doc []byte) {
		for _, u := range unmarshalers {
			b.Run("codec="+u.name, func(b *testing.B) {
				a := arena.NewArena(8<<20, 32<<20)
				v := c.New()
				zero := reflect.Zero(reflect.TypeOf(v).Elem())
				b.SetBytes(int64(len(doc)))
				b.ReportAllocs()
				for b.Loop() {
					// What is on the heap is made anew, as in a program.
					reflect.ValueOf(v).Elem().Set(zero)
					if err := u.unmarshal(a, doc, v); err != nil {
						b.Fatal(err)
					}
					a.Reset()
				}
			})
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	each(b, func(b *testing.B, c corpora.Corpus, doc []byte) {
		v := c.New()
		if err := json.Unmarshal(doc, v); err != nil {
			b.Fatal(err)
		}
		want, err := json.Marshal(v)
		if err != nil {
			b.Fatal(err)
		}
		for _, m := range marshalers {
			b.Run("codec="+m.name, func(b *testing.B) {
				a := arena.NewArena(8<<20, 32<<20)
				if got, err := m.marshal(a, v); err != nil || string(got) != string(want) {
					b.Fatalf("not what encoding/json writes, or an error: %v", err)
				}
				b.SetBytes(int64(len(want)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := m.marshal(a, v); err != nil {
						b.Fatal(err)
					}
					a.Reset()
				}
			})
		}
	})
}
