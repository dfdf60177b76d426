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

// A slice that gets large is moved few times: all that a document takes, with what is left to
// the collector, is less than twice what is in use. Slices that double take 2 to 4 times.
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
					used += 4 << 20 // the text, which the heap has a copy of
				}
				if took := int(after.TotalAlloc - before.TotalAlloc); took > len(doc)+used*19/10+300<<10 {
					t.Errorf("%d %s, %s: %d bytes for a document of %d and a slice of %d", n, name, what, took, len(doc), used)
				}
			}
		}
	}
}

// Where what follows is none of the slice's, it gets four times what it has at most: else a
// document could take any multiple of its size.
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

// A slice has room for its last element, however little is left of the document when it is
// full.
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

// What is expected counts for large slices as far as the limits leave room: four times what is
// there must not take what others need.
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
		machine.NewOfType(r, typ) // so that it has to move
		s = machine.GrowSliceOfTypeTo(r, typ, s, n+1, c.expected)
		r.Leave()
		if s.Cap < c.least || s.Cap > c.most {
			t.Errorf("%+v: room for %d", c, s.Cap)
		}
	}
}

// Whatever follows the first elements, and however wrong it is to expect more like them, the
// result is encoding/json's, with each limit, or is refused; what lies behind is zero.
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

// alike reports whether two errors have the same type and, but where encoding/json is built on
// v2 and names the element, too, the same text.
func alike(err, want error) bool {
	named := strings.Contains(json.Unmarshal([]byte("[{}]"), new([][]int)).Error(), ".0 ")
	return reflect.TypeOf(err) == reflect.TypeOf(want) && (named || err == nil || err.Error() == want.Error())
}
