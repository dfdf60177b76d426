package json

import (
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

// wide is much larger than its text.
type wide struct {
	Name string
	N    int
	Rest [16]uint64 `json:"-"`
}

// A large slice moves only a few times: the total memory of a document, including garbage, is less than twice
// the memory in use. With doubling it is 2 to 4 times.
func TestLargeSlicesMoveSeldom(t *testing.T) {
	testkit.NeedsReuse(t)
	var before, after runtime.MemStats
	for n := 20_000; n < 150_000; n += n * 3 / 4 {
		for name, c := range map[string]struct {
			element string
			into    any
		}{
			"integers":    {"12345678", new([]int64)},
			"structs":     {`{"Name":"a screw","N":7}`, new([]wide)},
			"in a struct": {`{"Name":"a screw","N":7}`, new(struct{ A []wide })},
			"long first":  {`{"N":7}`, new([]wide)},
		} {
			doc := "[" + strings.Repeat(","+c.element, n)[1:] + "]"
			if name == "long first" {
				doc = `[{"Name":"` + strings.Repeat("x", 4<<20) + `"}` + strings.Repeat(","+c.element, n-1) + "]"
			}
			if name == "in a struct" {
				doc = `{"A":` + doc + `,"B":"` + strings.Repeat("x", 100) + `"}`
			}
			text := []byte(doc)
			for what, a := range map[string]*arena.Arena{"arena": arena.NewArena(64<<10, 0), "heap": nil} {
				into := reflect.New(reflect.TypeOf(c.into).Elem())
				runtime.ReadMemStats(&before)
				err := arenajson.Unmarshal(a, text, into.Interface())
				runtime.ReadMemStats(&after)
				list := into.Elem()
				if name == "in a struct" {
					list = list.Field(0)
				}
				if err != nil || list.Len() != n {
					t.Fatal(list.Len(), err)
				}
				used := n * int(list.Type().Elem().Size())
				if name == "long first" && a == nil {
					used += 4 << 20 // the text, which is also copied to the heap
				}
				if took := int(after.TotalAlloc - before.TotalAlloc); took > len(doc)+used*19/10+300<<10 {
					t.Errorf("%d %s, %s: %d bytes for a document of %d and a slice of %d", n, name, what, took, len(doc), used)
				}
			}
		}
	}
}

// If the rest of the document does not belong to the slice, the slice gets at most four times its size.
// Otherwise a document could use any multiple of its size.
func TestExpectedIsBounded(t *testing.T) {
	testkit.NeedsReuse(t)
	const n = 1000
	doc := []byte(`{"A":[` + strings.Repeat(",{}", n)[1:] + `],"B":"` + strings.Repeat("x", 16<<20) + `"}`)
	var v struct {
		A []wide
		B string
	}
	a := arena.NewArena(4<<10, 0)
	if err := arenajson.Unmarshal(a, doc, &v); err != nil || len(v.A) != n {
		t.Fatal(len(v.A), err)
	}
	if held, size := a.Stats().RetainedBytes, int(reflect.TypeFor[wide]().Size()); held > len(doc)+5*n*size {
		t.Errorf("%d bytes for a document of %d and a slice of %d", held, len(doc), n*size)
	}
}

// A slice has capacity for its last element, however little of the document is left when it is full.
func TestLastElementFits(t *testing.T) {
	long := "," + `{"Name":"` + strings.Repeat("x", 1000) + `"}`
	for n := 420; n < 660; n++ {
		for _, a := range []*arena.Arena{nil, arena.NewArena(4<<10, 0)} {
			var v []wide
			err := arenajson.Unmarshal(a, []byte("["+strings.Repeat(long, n)[1:]+",{}]"), &v)
			if err != nil || len(v) != n+1 || cap(v) < len(v) {
				t.Fatal(len(v), cap(v), err)
			}
		}
	}
}

// Capacity for expected elements is limited by the arena's limits: growing to four times the size must not
// use memory that others need.
func TestExpectedWithinLimits(t *testing.T) {
	typ := machine.TypeOf(reflect.TypeFor[*int]())
	const n = 10_000
	for _, c := range []struct{ limit, expected, least, most int }{
		{0, 4 * n, 4 * n, 4 * n},
		{0, n + n/2, n + n/2, n + n/2},
		{0, 0, 2 * n, 2 * n},
		{100 * n, 4 * n, 4 * n, 4 * n},
		{20 * n, 4 * n, 2 * n, 2 * n},
		{20 * n, n + n/2, n + n/2, n + n/2},
	} {
		a := arena.NewArena(1<<10, 0)
		a.SetLimit(c.limit * int(typ.Size))
		r := machine.Enter(a, "Grow")
		s := machine.MakeSliceOfType(r, typ, n, n)
		machine.NewOfType(r, typ) // forces a move
		s = machine.GrowSliceOfType(r, typ, s, n+1, c.expected)
		r.Leave()
		if s.Cap < c.least || s.Cap > c.most {
			t.Errorf("%+v: room for %d", c, s.Cap)
		}
	}
}

// Whatever follows the first elements, the result equals encoding/json's, or a limit refuses it. Spare
// capacity is zero.
func TestLargeSlicesAsV1(t *testing.T) {
	many := func(s string, n int) string { return strings.Repeat(","+s, n)[1:] }
	long := `"` + strings.Repeat("x", 1<<20) + `"`
	texts := map[string]string{
		"all alike":           "[" + many(`{"Name":"a","N":1}`, 9000) + "]",
		"nothing in them":     "[" + many(`{}`, 9000) + "]",
		"a long one first":    `[{"Name":` + long + "}," + many(`{"N":1}`, 9000) + "]",
		"a long one last":     "[" + many(`{"N":1}`, 3000) + `,{"Name":` + long + "}]",
		"long ones among":     "[" + many(many(`{"N":1}`, 700)+`,{"Name":"`+strings.Repeat("y", 60_000)+`"}`, 9) + "]",
		"something else then": "[" + many(`{"N":1}`, 3000) + `,{"Name":"` + strings.Repeat("y", 60_000) + `","X":[` + many("1", 90_000) + "]}]",
		"spaces":              "[ " + many(" {  }"+strings.Repeat(" ", 60), 4000) + " ]",
		"nulls":               "[" + many("null", 9000) + "]",
		"not closed":          "[" + many("null", 9000),
		"one that is none":    "[" + many("null", 9000) + ",7," + many(`{"N":"s"}`, 9000) + "]",
		"lists":               "[" + many("["+many(`{"N":1}`, 2000)+"]", 5) + "]",
	}
	for name, text := range texts {
		for _, typ := range []reflect.Type{reflect.TypeFor[[]wide](), reflect.TypeFor[[]any](), reflect.TypeFor[any](), reflect.TypeFor[[][]wide](), reflect.TypeFor[[]*wide]()} {
			want := reflect.New(typ)
			wantErr := json.Unmarshal([]byte(text), want.Interface())
			for _, limit := range []int{0, 32 << 20, 8 << 20, 4 << 20, 2 << 20} {
				if check.On && limit != 0 || testing.Short() && limit == 4<<20 {
					continue
				}
				a := arena.NewArena(4<<10, 0)
				a.SetLimit(limit)
				for range 2 {
					got := reflect.New(typ)
					err := arenajson.Unmarshal(a, []byte(text), got.Interface())
					var over *arena.LimitError
					if errors.As(err, &over) && limit != 0 {
						continue
					}
					if !alike(err, wantErr) || !reflect.DeepEqual(got.Interface(), want.Interface()) {
						t.Fatalf("%s into %v, limit %d: %v, encoding/json has %v", name, typ, limit, err, wantErr)
					}
					if limit == 0 {
						for _, w := range arena.MakeSlice[wide](a, 3000, 3000) {
							if w != (wide{}) {
								t.Fatalf("%s into %v: %v in new memory", name, typ, w)
							}
						}
					}
					if held := a.Stats().RetainedBytes; limit != 0 && held > limit {
						t.Fatalf("%s into %v: %d bytes with a limit of %d", name, typ, held, limit)
					}
					a.Reset()
				}
			}
		}
	}
}

// alike reports whether two errors have the same type and text. Texts may differ if encoding/json is built on
// v2, which names the element.
func alike(err, want error) bool {
	named := strings.Contains(json.Unmarshal([]byte("[{}]"), new([][]int)).Error(), ".0 ")
	return reflect.TypeOf(err) == reflect.TypeOf(want) && (named || err == nil || err.Error() == want.Error())
}
