package arenajson

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
)

// Names of every length, in the order of the struct, with any byte changed in the name, its quotes and its
// colon: the same members match as with encoding/json, and the values after them are decoded.
func TestNamesOfAnyLength(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	const letters = "Abcdefghijklmnopqrstuvwxyz"
	kinds := []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[int8](), reflect.TypeFor[uint](), reflect.TypeFor[*int](), reflect.TypeFor[[]string](), reflect.TypeFor[[]int]()}
	values := []string{`"x"`, `7`, `null`, `-1`, `["x",null,"y",1]`, `[1,-2,null,300]`, `300`, ` "x\n" `}
	changes := []string{"", `"`, `:`, ` `, `\`, "a", "\x00", "é", `\u0061`, `":`, "}", " \n\t"}
	var fields []reflect.StructField
	for n := 1; n <= len(letters); n++ {
		fields = append(fields, reflect.StructField{Name: letters[:n], Type: kinds[n%len(kinds)]})
	}
	n := 0
	for i := range fields {
		typ := reflect.StructOf(fields[i:min(i+2, len(fields))])
		begin := `"` + fields[i].Name + `":`
		for _, value := range values {
			for at := range len(begin) + 1 {
				for _, change := range changes {
					for cut := range 2 {
						text := begin[:at] + change + begin[min(len(begin), at+cut):] + value
						doc := "{" + text + "}"
						switch n++; n % 4 {
						case 1:
							doc = doc[:len(doc)-1-n%(len(text)+1)] // close to the zeros
						case 2:
							doc = "{" + strings.Repeat(text+",", 2) + begin + value + " }"
						}
						if testing.Short() && n%7 > 0 {
							continue
						}
						sameAsV1(t, a, typ, []byte(doc), 0)
						a.Reset()
					}
				}
			}
		}
	}
}

// upperASCII agrees with appendFolded for ASCII names, and reports other names.
func TestUpperASCII(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 82))
	for range 100_000 {
		b := make([]byte, r.IntN(65))
		for i := range b {
			b[i] = byte(r.IntN(128))
		}
		var buf [64]byte
		if !upperASCII(&buf, string(b)) || string(buf[:len(b)]) != string(appendFolded(nil, string(b))) {
			t.Fatalf("upperASCII(%q) = %q, want %q", b, buf[:len(b)], appendFolded(nil, string(b)))
		}
		if len(b) > 0 {
			if b[r.IntN(len(b))] |= 0x80; upperASCII(&buf, string(b)) {
				t.Fatalf("upperASCII(%q) = true", b)
			}
		}
	}
}

// A name that differs from fields' names only in case matches the first of them, like in encoding/json,
// regardless of its letters and escapes.
func TestNamesInOtherCases(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	type fields struct {
		Kind, KIND2  int
		Kind2, Slots int
		Long         int `json:"a_long_name-with.others_and_more_letters_up_to_sixty_four_bytes_xx"`
		Longer       int `json:"a_longer_name-with.others_and_more_letters_beyond_sixty_four_bytes_xx"`
		Strasse      int `json:"Straße"`
		X            int `json:"k"`
		Y            int `json:"[@{x"`
	}
	typ := reflect.TypeFor[fields]()
	names := []string{"kind", "KIND", "Kind", "kiNd2", "KIND2", "KIND2", "ſlots", "SLOTſ", "slot", "k", "K", "K", "straße", "STRAẞE", "STRASSE", "[@{X", "[`{x", "{@{x", "[@[x", "[@{\x18", "kind\u0080", "", "kin", "kindd"}
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		names = append(names, strings.ToUpper(name), strings.ToLower(name), name+"x", "x"+name)
	}
	for _, name := range names {
		sameAsV1(t, a, typ, []byte(`{"`+name+`":1}`), 0)
	}
}
