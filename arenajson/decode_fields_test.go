package arenajson

import (
	"reflect"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
)

// Members whose names are of every length, in the struct's order, with anything at any place
// of a name, its quotes and its colon: what is one of the struct's is told as encoding/json
// tells it, and so are numbers, strings and null behind it.
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
							doc = doc[:len(doc)-1-n%(len(text)+1)] // the zeros behind it are near
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
