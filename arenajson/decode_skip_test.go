package arenajson

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
)

// randomNest returns a value of about the given nesting depth.
func randomNest(r *rand.Rand, depth int) string {
	var before, after strings.Builder
	var closing []string
	scalars := []string{"1", "-0.5e1", `"s"`, `"]}"`, "true", "null", "[]", "{}", "[ ]", `{"x":[{}]}`, `[[],[{}],0]`}
	pick := func() string { return scalars[r.IntN(len(scalars))] }
	for range depth {
		if r.IntN(2) == 0 {
			before.WriteString("[")
			if r.IntN(4) == 0 {
				before.WriteString(pick() + " , ")
			}
			closing = append(closing, "]")
		} else {
			before.WriteString("{")
			if r.IntN(4) == 0 {
				before.WriteString(`"y":` + pick() + ",\n")
			}
			before.WriteString([]string{`"A":`, `"L" : `, `"\u0041":`}[r.IntN(3)])
			closing = append(closing, "}")
		}
	}
	for i := len(closing) - 1; i >= 0; i-- {
		if r.IntN(8) == 0 {
			if closing[i] == "]" {
				after.WriteString(", " + pick())
			} else {
				after.WriteString(`,"z" :` + pick())
			}
		}
		after.WriteString(closing[i])
	}
	return before.String() + pick() + after.String()
}

// Documents around the depth from which they are checked ahead, and around the maximum depth, are decoded as
// by encoding/json: intact and broken, into variables and skipped.
func TestNests(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	a := arena.NewArena(64<<10, 0)
	rounds := 400
	if testing.Short() {
		rounds = 40
	}
	for range rounds {
		doc := []byte(randomNest(r, deepNest-10+r.IntN(20)))
		if r.IntN(2) == 0 {
			doc = []byte(`{"A":` + string(doc) + `,"u":[` + string(doc) + `,` + string(doc) + "]}")
		}
		for k := range 4 {
			if k > 0 {
				doc = mutated(r, doc)
			}
			for _, typ := range []reflect.Type{reflect.TypeFor[any](), reflect.TypeFor[tree](), reflect.TypeFor[struct{ N int }](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[map[string]json.RawMessage]()} {
				sameAsV1(t, a, typ, doc, 0)
			}
			// A syntax error takes precedence over an error of Strict.
			var refused *StrictError
			if err := Unmarshal(a, doc, new(any), Strict); json.Valid(doc) != (err == nil || errors.As(err, &refused)) {
				t.Fatalf("%s, strict: %v", doc, err)
			}
		}
		a.Reset()
	}
	for _, depth := range []int{deepNest - 1, deepNest, deepNest + 1, 9_999, 10_000, 10_001} {
		for _, doc := range []string{
			strings.Repeat("[", depth) + strings.Repeat("]", depth), strings.Repeat("[", depth) + strings.Repeat("]", depth-1) + "}", strings.Repeat(`{"A":`, depth-1) + "{}" + strings.Repeat("}", depth-1),
			`{"N":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + `}`, `{"N":` + strings.Repeat("[", depth-1) + "[]," + strings.Repeat("]", depth-1) + `}`,
		} {
			for _, typ := range []reflect.Type{reflect.TypeFor[any](), reflect.TypeFor[tree](), reflect.TypeFor[struct{ N int }](), reflect.TypeFor[json.RawMessage]()} {
				sameAsV1(t, a, typ, []byte(doc), 0)
			}
		}
		a.Reset()
	}
}

// Each kind of syntax error is found in a nest, also if it is skipped.
func TestBrokenNests(t *testing.T) {
	for _, in := range []string{
		`{x":1}`, `{"a"1}`, `{"a" 1}`, `{"a":1,}`, `{"a":1,x":2}`, `{"a":1 "b":2}`, `{"a":1,"b"2}`, `{1}`, `{"a":1]`, `{"a"}`, `{"a":}`, `{,}`, `{"a":1}}`, `{`, `{"a"`, `{"a":`,
		`[1 2]`, `[1,]`, `[,1]`, `[1}`, `[,]`, `[`, `[1`, `[1,`, `]`, `}`, `tru`, `"`, `"\x"`, "\"\x01\"", `01`, `1.`, `[] []`, ``,
	} {
		for _, depth := range []int{10, deepNest - 2, deepNest - 1, deepNest, deepNest + 70} {
			doc := []byte(`{"N":` + strings.Repeat("[", depth) + in + strings.Repeat("]", depth) + `}`)
			for _, typ := range []reflect.Type{reflect.TypeFor[any](), reflect.TypeFor[struct{ M int }](), reflect.TypeFor[struct{ N json.RawMessage }]()} {
				sameAsV1(t, nil, typ, doc, 0)
			}
		}
	}
}

// Strict reports the first error of the document at any depth. The check ahead must not find a later one
// first.
func TestStrictInNests(t *testing.T) {
	deep := strings.Repeat("[", deepNest) + "\"\xff\"" + strings.Repeat("]", deepNest)
	for doc, want := range map[string]string{
		`{"a":1,"a":2,"b":` + deep + `}`: "duplicate name",
		`{"b":` + deep + `,"b":1}`:       "invalid UTF-8",
	} {
		var refused *StrictError
		if err := Unmarshal(nil, []byte(doc), new(any), Strict); !errors.As(err, &refused) || !strings.Contains(refused.What, want) {
			t.Errorf("%.30s: %v", doc, err)
		}
	}
}

// Valid does not recover from a panic that is not an error of the document, which would hide a bug.
func TestIsDocumentPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	new(scanner).isDocument() // without a document
}
