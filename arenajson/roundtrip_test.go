package arenajson

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/ebbpool/arena"
)

// unmarshalStandard is json.Unmarshal, which panics for embedded pointers to unexported structs with a name
// in the tag.
func unmarshalStandard(doc []byte, v any) (err error, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			ok = false
		}
	}()
	return json.Unmarshal(doc, v), true
}

// Unmarshal decodes the output of Marshal like encoding/json. Encoded again it is the same document.
func TestRoundTrip(t *testing.T) {
	a := arena.NewArena(1<<12, 0)
	trip := func(v any) {
		t.Helper()
		doc, err := Marshal(a, v)
		if err != nil {
			t.Fatalf("%T: %v", v, err)
		}
		s := reflect.TypeOf(v).Elem()
		ours, theirs := reflect.New(s), reflect.New(s)
		want, ok := unmarshalStandard(doc, theirs.Interface())
		if !ok {
			return
		}
		err = Unmarshal(a, doc, ours.Interface())
		if (err == nil) != (want == nil) {
			t.Fatalf("%v: %s: %v, encoding/json has %v", s, doc, err, want)
		}
		if want != nil {
			return // such as for an interface with methods
		}
		again, err := Marshal(a, ours.Interface())
		expected, wantErr := json.Marshal(theirs.Interface())
		if err != nil || wantErr != nil || normalized(string(again)) != normalized(string(expected)) {
			t.Fatalf("%v: %s\nwas read as\n%s, %v\nby encoding/json as\n%s, %v", s, doc, again, err, expected, wantErr)
		}
	}
	n := 3000
	if testing.Short() {
		n = 300
	}
	r := rand.New(rand.NewPCG(11, 12))
	for i := range n {
		p := reflect.New(randomType(r, 3))
		fill(r, p.Elem(), 5, i%2 == 0)
		trip(p.Interface())
		a.Reset()
	}
}
