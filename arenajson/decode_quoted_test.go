package arenajson

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
)

// Members with ,string of each kind, including kinds that ignore the option, behind pointers, with many
// values.

type quotedText string

type textOrJSON int8

func (t *textOrJSON) UnmarshalText(b []byte) error { *t = textOrJSON(len(b)); return nil }
func (t *textOrJSON) UnmarshalJSON(b []byte) error {
	if *t = textOrJSON(len(b)); *t == 7 {
		return fmt.Errorf("of length 7")
	}
	return nil
}

var quotedTypes = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
	reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), reflect.TypeFor[uintptr](),
	reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[quotedText](), reflect.TypeFor[MyInt](),
	reflect.TypeFor[json.Number](), reflect.TypeFor[lengthInt](), reflect.TypeFor[jsonInt](), reflect.TypeFor[textOrJSON](), reflect.TypeFor[badText](),
	reflect.TypeFor[any](), reflect.TypeFor[[]byte](), reflect.TypeFor[json.RawMessage](),
}

// quotedIn returns structs with a member Q of type t, alone and between others.
func quotedIn(t reflect.Type) []reflect.Type {
	q := reflect.StructField{Name: "Q", Type: t, Tag: `json:",string"`}
	a := reflect.StructField{Name: "A", Type: reflect.TypeFor[[]int8]()}
	return []reflect.Type{reflect.StructOf([]reflect.StructField{q}), reflect.StructOf([]reflect.StructField{a, {Name: "In", Type: reflect.StructOf([]reflect.StructField{q, a})}})}
}

var scalarTexts = []string{
	"", "0", "-0", "+0", "00", "007", "-01", "1", "+1", " 1", "1 ", "\t1", "1\n", "-", "--1", "1-", "1x", "x1", "1_000", "_1", "1_", "0_1", "127", "128", "-128", "-129", "255", "256",
	"32767", "32768", "-32768", "-32769", "65535", "65536", "2147483647", "2147483648", "-2147483649", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808",
	"-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "99999999999999999999", strings.Repeat("9", 400), strings.Repeat("0", 400) + "1",
	"1.0", "1.5", "-1.5", ".5", "-.5", "1.", "1e2", "1E2", "1e+2", "1e-2", "1e", "1e+", "1e1.5", "1e400", "-1e400", "1E400", "1e-400", "4.9e-324", "2e-324", "3e-324", "1.7976931348623157e308",
	"1.7976931348623158e308", "1.7976931348623159e308", "-1.8e308", "1e38", "3.4028235e38", "3.4028236e38", "1e39", "1e-46", "0e999", "0x10", "0x1p3", "0x1p-3", "0x_1p3", "-0x1.8p1", "0x1p9999", "0b1",
	"inf", "-inf", "Inf", "-Inf", "infinity", "-Infinity", "+Inf", "nan", "NaN", "-nan",
	"null", "nul", "nullx", "n", "Null", "true", "tru", "truex", "t", "TRUE", "false", "f", "fals", "falsee",
	`"`, `""`, `"x"`, `"x`, `x"`, `"null"`, `"1"`, `"true"`, `"\n"`, `"\u00e9\ud83d\ude00\ud83d"`, `"\x"`, `"\u12"`, `"\"`, `"\'"`, `"a"b"`, "\"a\nb\"", "\"\u007f\u0080é\"", `"\\\/\b\f\r\t\""`, "\xff", "\"\xff\"", "\"\xc3\\u0041\"",
	"[1]", "{}", "é", "\x00",
}

// quotedDocs returns documents for a scalar with text s: the text itself and strings that contain it.
func quotedDocs(s string) []string {
	inString := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\x00", `\u0000`).Replace(s)
	return []string{s, " " + s + " ", `"` + inString + `"`, `" ` + inString + `"`}
}

func quotedAsV1(t *testing.T, a *arena.Arena, in reflect.Type, value string) {
	t.Helper()
	for i, doc := range []string{`{"Q":` + value + `}`, `{"A":[1,300],"In":{"A":[1],"Q":` + value + `,"A":["x"]},"A":[2]}`} {
		for _, filled := range []uint64{0, 1, 2} {
			make := func() any {
				v := reflect.New(in)
				if filled > 0 {
					fill(rand.New(rand.NewPCG(filled, 0)), v.Elem(), 3, filled == 1)
				}
				return v.Interface()
			}
			for j, opts := range [][]Option{nil, {UseNumber}, {DisallowUnknownFields}} {
				if testing.Short() && j != (i+int(filled)+len(value))%3 {
					continue // by turns
				}
				readsAs(t, a, doc, make, opts...)
			}
		}
	}
}

// Members with ,string are decoded as by encoding/json, with the same errors and effects. A number that is
// too large for a float64 sets a pointer to nil.
func TestQuotedAsV1(t *testing.T) {
	if onV2 {
		t.Skip("docs/generated/json.md has the differences")
	}
	a := arena.NewArena(64<<10, 0)
	for _, typ := range quotedTypes {
		for depth := range 3 {
			for i, in := range quotedIn(typ) {
				if testing.Short() && i != depth%2 {
					continue
				}
				for _, text := range scalarTexts {
					for _, value := range quotedDocs(text) {
						quotedAsV1(t, a, in, value)
					}
				}
				a.Reset()
			}
			typ = reflect.PointerTo(typ)
		}
	}
}

// Also for random texts of parts of numbers, literals and strings.
func FuzzQuoted(f *testing.F) {
	for i, s := range scalarTexts {
		f.Add(s, uint64(i))
	}
	a := arena.NewArena(64<<10, 0)
	f.Fuzz(func(t *testing.T, s string, seed uint64) {
		if onV2 {
			t.Skip("docs/generated/json.md has the differences")
		}
		r := rand.New(rand.NewPCG(seed, 0))
		if r.IntN(2) == 0 {
			b := []byte(s)
			for range 1 + r.IntN(12) {
				i := r.IntN(len(b) + 1)
				const of = `0123456789019+-..eExXpP_nulltrefasi"\/'u `
				b = append(b[:i:i], append([]byte{of[r.IntN(len(of))]}, b[i:]...)...)
			}
			s = string(b)
		}
		typ := quotedTypes[r.IntN(len(quotedTypes))]
		for range r.IntN(3) {
			typ = reflect.PointerTo(typ)
		}
		values := quotedDocs(s)
		quotedAsV1(t, a, quotedIn(typ)[r.IntN(2)], values[r.IntN(len(values))])
		a.Reset()
	})
}
