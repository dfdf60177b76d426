package arenajson

import (
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
)

// Byte slices of every length, and their text with any string inserted at any place, are decoded as by the
// standard library, including errors and their effects.
func TestBase64(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	r := rand.New(rand.NewPCG(51, 52))
	pieces := []string{"", "A", "=", "==", `\n`, `\r\n`, "\n", "\r", " ", `\/`, `\u0041`, `\"`, `"`, "-", "é", "\xff", "\x7f", "\x00", "{", "AAAA=", "AAA=AAA="}
	types := []reflect.Type{reflect.TypeFor[[]byte](), reflect.TypeFor[struct{ A []byte }](), reflect.TypeFor[[][]byte]()}
	rounds := 40_000
	if testing.Short() {
		rounds = 4_000
	}
	for n := range rounds {
		b := make([]byte, r.IntN(70)+n%50/49*4000)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		got, err := Marshal(a, &b)
		want, _ := json.Marshal(b)
		if err != nil || string(got) != string(want) {
			t.Fatalf("%x is written as %s, %v", b, got, err)
		}
		text := base64.StdEncoding.EncodeToString(b)
		if n%3 > 0 {
			at := r.IntN(len(text) + 1)
			text = text[:at] + pieces[r.IntN(len(pieces))] + text[min(len(text), at+r.IntN(3)):]
		}
		doc := strings.Replace([]string{`"x"`, `{"A":"x"}`, `["QQ==","x"]`}[n%len(types)], "x", text, 1)
		sameAsV1(t, a, types[n%len(types)], []byte(doc), 0)
		sameAsV1(t, nil, types[n%len(types)], []byte(doc[:r.IntN(len(doc)+1)]), 0)
		a.Reset()
	}
}
