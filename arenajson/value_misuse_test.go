package arenajson

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
)

// operations are calls of every method of Value. Edits change at least one of v, w and both.
var operations = map[string]func(v, w Value) error{
	"Get":              func(v, w Value) error { v.Get("o", "k3"); v.Get("list", 1, "s"); return nil },
	"Len":              func(v, w Value) error { v.Len(); v.Get("list").Len(); return nil },
	"Object and Array": func(v, w Value) error { n := 10_000; walkSome(v, &n); return nil },
	"conversions": func(v, w Value) error {
		for _, x := range []Value{v, v.Get("list"), v.Get("list", 0, "s"), v.Get("list", 0, "n")} {
			_, _, _, _, _, _, _ = x.Kind(), x.Exists(), x.String(), x.Int(), x.Uint(), x.Float(), x.Bool()
		}
		return nil
	},
	"Raw":                       func(v, w Value) error { v.Raw(); return nil },
	"AppendTo":                  func(v, w Value) error { v.AppendTo(nil); return nil },
	"MarshalJSON":               func(v, w Value) error { _, err := v.MarshalJSON(); return err },
	"Decode":                    func(v, w Value) error { return v.Decode(new(any)) },
	"Set":                       func(v, w Value) error { return v.Set(1, "list", 0) },
	"Set of a new member":       func(v, w Value) error { return v.Set("x", "new") },
	"Set of missing objects":    func(v, w Value) error { return v.Set("x", "made", "by", "Set") },
	"Set of a Go value":         func(v, w Value) error { return v.Set(map[string]any{"a": []int{1, 2}}, "o", "m") },
	"Set of another document":   func(v, w Value) error { return v.Set(w, "o", "w") },
	"Set of itself":             func(v, w Value) error { return v.Set(v, "o", "v") },
	"Set of many members":       func(v, w Value) error { return setMany(v, "many") },
	"Delete":                    func(v, w Value) error { return v.Delete("list", 0, "s") },
	"Delete of an element":      func(v, w Value) error { return v.Delete("list", 0) },
	"Append":                    func(v, w Value) error { return v.Append(w, "list") },
	"Append of itself":          func(v, w Value) error { return v.Append(v, "list") },
	"Merge":                     func(v, w Value) error { return v.Merge(w) },
	"Merge into a part":         func(v, w Value) error { return v.Merge(w, "o") },
	"Merge of a part of itself": func(v, w Value) error { return v.Merge(v.Get("o")) },
	"Merge of the whole":        func(v, w Value) error { return v.Merge(v, "o") },
}

// walkSome visits at most n values, because a Value that is used too late may contain itself.
func walkSome(v Value, n *int) {
	for _, w := range v.Object() {
		if *n--; *n > 0 {
			walkSome(w, n)
		}
	}
	for _, w := range v.Array() {
		if *n--; *n > 0 {
			walkSome(w, n)
		}
	}
}

func setMany(v Value, name string) error {
	for i := range hashedFrom + 1 { // until it has a hash table
		if err := v.Set(i, name, fmt.Sprint("k", i)); err != nil {
			return err
		}
	}
	return nil
}

// misused returns two documents for operations. They can be merged in every way.
func misused() (v, w string) {
	members := func(from, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"k%d":%d,`, from+i, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	const list = `[{"n":1,"s":"a\n","s":"\u0061"},{"n":2,"s":"b"}]`
	return `{"list":` + list + `, "o" : {` + members(0, hashedFrom-2) + `},"h":{` + members(0, hashedFrom) + `,"k0":7}}`,
		`{"list":[{"t":"\"","n":3},{"u":[]}],"o":{` + members(10, hashedFrom) + `},"h":{` + members(5, hashedFrom+20) + `}}`
}

// Each allocation of each operation is refused in turn. An edit that is refused changes nothing, and succeeds when
// the limit is raised.
func TestValueRefusedAllocations(t *testing.T) {
	text, other := misused()
	refused := map[string]int{}
	for what, op := range operations {
		free := mustParse(t, nil, text)
		if err := op(free, mustParse(t, nil, other)); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		want := string(free.AppendTo(nil))
		for limit, done := 0, false; !done; limit += 64 {
			a, b := arena.NewArena(256, 0), []*arena.Arena{nil, arena.NewArena(256, 0)}[limit/64%2]
			v, w := mustParse(t, a, text), mustParse(t, b, other)
			a.SetLimit(a.Stats().UsedBytes + limit)
			err := tryOperation(op, v, w)
			done = err == nil
			if limit > 1<<20 {
				t.Fatalf("%s fails with a limit of %d: %v", what, limit, err)
			}
			a.SetLimit(0)
			if !done {
				refused[what]++
				if over := (*arena.LimitError)(nil); !errors.As(err, &over) {
					t.Fatalf("%s with a limit of %d: %v", what, limit, err)
				}
				if what == "Set of many members" {
					continue // several edits
				}
				isDocument(t, what, v, text)
				if err := op(v, w); err != nil {
					t.Fatalf("%s after the limit was raised: %v", what, err)
				}
			}
			isDocument(t, what, v, want)
			isDocument(t, what, w, other)
		}
	}
	if len(refused) < 15 {
		t.Errorf("refused: %v", refused)
	}
}

// isDocument fails if v does not have the text, or if the indices of its nodes differ from it.
func isDocument(t *testing.T, what string, v Value, text string) {
	t.Helper()
	if got := string(v.AppendTo(nil)); got != text {
		t.Fatalf("%s: the document is %s, want %s", what, got, text)
	}
	model, err := decodeModel([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	sameAsModel(t, v, model)
}

// tryOperation returns a panic as an error.
func tryOperation(op func(v, w Value) error, v, w Value) (err error) {
	defer func() {
		if x := recover(); x != nil {
			var ok bool
			if err, ok = x.(error); !ok {
				err = fmt.Errorf("%v", x)
			}
		}
	}()
	return op(v, w)
}

// A Value that is used after Reset may return anything and panic. It does not read beyond the arena's memory,
// and it does not take memory without bounds.
func TestValueAfterReset(t *testing.T) {
	if check.On && check.ASan {
		t.Skip("AddressSanitizer ends the program at the first late read")
	}
	text, other := misused()
	for _, fill := range []string{"a", "\"", "\\", "{", "\xff", ":", " ", "\x00"} {
		for what, op := range operations {
			for _, indexed := range []bool{false, true} {
				a := arena.NewArena(1024, 1<<20)
				a.SetLimit(4 << 20)
				v, w := mustParse(t, a, text), mustParse(t, a, other)
				if indexed {
					walkAll(v)
				}
				a.Reset()
				a.AllocString(strings.Repeat(fill, 64<<10)) // over the text and the spans
				tryOperation(op, v, w)
				x := mustParse(t, a, text)
				tryOperation(op, v, x)
				a.Reset()
				isDocument(t, what, mustParse(t, a, text), text)
			}
		}
	}
}

// Values that are used after Reset may contain anything, also themselves, but every operation ends and the next document
// in the arena is sound.
func TestRandomUsesAfterReset(t *testing.T) {
	if check.On && check.ASan {
		t.Skip("AddressSanitizer ends the program at the first late read")
	}
	text, other := misused()
	rounds := 1000
	if testing.Short() {
		rounds = 100
	}
	ops := slices.Sorted(maps.Keys(operations))
	for seed := range rounds {
		for _, what := range ops {
			op := operations[what]
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			a := arena.NewArena(256<<r.IntN(5), 1<<20)
			v, w := mustParse(t, a, text), mustParse(t, a, other)
			for range r.IntN(3) {
				mustParse(t, a, text)
			}
			for _, x := range []Value{v, w} {
				if r.IntN(2) == 0 {
					walkAll(x)
				}
			}
			a.Reset()
			a.SetLimit(4 << 20)
			for range r.IntN(3) {
				fill := "a\"\\{[0\x00\x01"[r.IntN(8):]
				a.AllocString(strings.Repeat(fill[:1], 1<<r.IntN(16))) // over the text and the spans
			}
			tryOperation(op, v, w)
			for range r.IntN(8) {
				tryOperation(operations[ops[r.IntN(len(ops))]], v, w)
			}
			a.SetLimit(0)
			tryOperation(op, v, mustParse(t, a, text))
			a.Reset()
			isDocument(t, fmt.Sprint(what, " and others, ", seed), mustParse(t, a, text), text)
		}
	}
}
