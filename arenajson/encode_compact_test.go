package arenajson

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The result of a MarshalJSON is accepted, rejected and written as by encoding/json: documents of all kinds,
// broken at any place, and nested up to the limit and beyond.
func TestCompaction(t *testing.T) {
	check := func(doc string) {
		t.Helper()
		for _, html := range []bool{true, false} {
			var opts []Option
			if !html {
				opts = append(opts, NoEscapeHTML)
			}
			want, wantErr := expected(json.RawMessage(doc), html)
			got, err := Marshal(nil, json.RawMessage(doc), opts...)
			compareErrors(t, doc, err, wantErr)
			if normalized(string(got)) != normalized(want) && wantErr == nil {
				t.Fatalf("%.300q is %.300s, not %.300s", doc, got, want)
			}
		}
	}
	for _, doc := range []string{"", " ", "\x00", "0\x00", "{", "}", "[", "]", `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{1:2}`, `{"a" 1}`, `{"a":1 "b":2}`,
		"[1,]", "[,1]", "[1 2]", "[1}", `{"a":1]`, "tru", "truex", "nul", "fals", "nullnull", "1 2", "-", "1.", "1e", "01", "+1", ".5", "1.5E+3", "-0",
		`"`, `"\`, `"\u`, `"\u12`, `"\u123g"`, `"\uABcd\u0000"`, `"\x"`, `"\"\\\/\b\f\n\r\t"`, "\"\n\"", "\"\x7f\"", "\"\u2028\u2029\u2027\"", "\"\xe2\x80\"", "\"\xff\xe2\"", "\"<>&^|~'\"",
		" [ 1 , { \"a\" :\t[ ] ,\n\"b\" : { } } , \r null , true , false ] ", `[[],{},[[]],[{}]]`, `{"<a>&":"\u2028` + "\u2028" + `"}`,
		"[" + strings.Repeat(`"<", `, 5000) + "1]", `"` + strings.Repeat("12345678", 10) + `<"`, strings.Repeat(" ", 100) + "1"} {
		check(doc)
	}
	for _, depth := range []int{9999, 10000, 10001} {
		check(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		check(strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth))
		check(strings.Repeat("[", depth))
	}
	n := 20000
	if testing.Short() {
		n = 2000
	}
	r := rand.New(rand.NewPCG(13, 14))
	for range n {
		v := map[string]any{randomText(r): []any{randomText(r), r.Int64(), randomFloat(r), nil, true, map[string]any{}}, randomText(r): randomText(r)}
		doc, _ := json.Marshal(v)
		if r.IntN(2) == 0 {
			var b bytes.Buffer
			json.Indent(&b, doc, "", "\t")
			doc = b.Bytes()
		}
		check(string(doc))
		check(string(mutated(r, doc)))
	}
}

// Names are sorted like strings, regardless of common prefixes and zeros.
func TestSortNames(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for round := range 300 {
		var names []string
		alike := strings.Repeat("a", r.IntN(80))
		for range r.IntN(300) + 1 {
			b := []byte(alike[:len(alike)-r.IntN(1+len(alike)/8)])
			for range r.IntN(14) {
				b = append(b, "\x00\x00\x01ab\xff"[r.IntN(6)])
			}
			names = append(names, string(b))
		}
		if round == 0 { // more members than two bytes can count
			for i := range 70000 {
				names = append(names, string([]byte{byte(i), 'x', 'y', byte(i >> 8), 'z', byte(i >> 16)}))
			}
		}
		order := make([]uint64, len(names))
		sortNames(order, func(i int) string { return names[i] })
		var got []string
		for _, i := range order {
			got = append(got, names[i])
		}
		if slices.Sort(names); !slices.Equal(got, names) {
			t.Fatalf("%q, not %q", got, names)
		}
	}
}
