package arenajson

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
)

// Each allocation from the arena by Marshal and MarshalWrite fails once. With every limit the result is an
// error or the document. After an error all memory is returned, nothing is written, and the next document is
// correct.
func TestMarshalWithEveryLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	long := strings.Repeat("text \"é\" ", 300)
	m := map[string]any{"a": long, "b": []any{1.5, long, nil}, "c": map[string]string{"x": long}}
	values := []any{"", long, m, []any{long, m, byValue{`"` + strings.Repeat("x", 3000) + `"`}}}
	for i := range 8 {
		p := reflect.New(reflect.TypeOf(zoo[i%len(zoo)]))
		fill(r, p.Elem(), 5, false)
		values = append(values, p.Interface())
	}
	failed, made := 0, 0
	for _, v := range values {
		want, err := Marshal(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		for limit := 64; limit < 8*len(want)+4096; limit += 1 + limit/16 {
			a := arena.NewArena(256, 0)
			a.SetLimit(limit)
			var used [3]int
			for i := range used {
				var over *arena.LimitError
				doc, err := Marshal(a, v)
				if err == nil && string(doc) != string(want) {
					t.Fatalf("%T, limit %d: %.200s, not %.200s", v, limit, doc, want)
				}
				if err != nil && (!errors.As(err, &over) || doc != nil) {
					t.Fatalf("%T, limit %d: %.200s, %v", v, limit, doc, err)
				}
				var out bytes.Buffer
				errWrite := MarshalWrite(a, &out, v)
				if errWrite == nil && out.String() != string(want) || errWrite != nil && (!errors.As(errWrite, &over) || out.Len() > 0) {
					t.Fatalf("%T, limit %d: %.200s is written, %v", v, limit, out.String(), errWrite)
				}
				if made++; err != nil {
					failed++
					used[i] = a.Stats().UsedBytes
				} else {
					a.Reset()
				}
				if held := a.Stats().RetainedBytes; held > limit {
					t.Fatalf("%T: %d bytes held with a limit of %d", v, held, limit)
				}
			}
			if !check.On && used[2] > used[1] {
				t.Errorf("%T, limit %d: an error leaves %d bytes taken, and %d the next one", v, limit, used[1], used[2])
			}
			a.Reset()
			if got, err := Marshal(a, nil); string(got) != "null" && limit > 1024 {
				t.Errorf("%T, limit %d: afterwards nil is %s, %v", v, limit, got, err)
			}
		}
	}
	if failed == 0 || failed == made {
		t.Errorf("%d of %d failed", failed, made)
	}
}
