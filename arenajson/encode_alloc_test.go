package arenajson

import (
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
)

// Values without methods, and with common types of maps only, are encoded without allocations from the heap.
func TestMarshalAllocatesNothing(t *testing.T) {
	if check.On || viaReflect {
		t.Skip("a checked build records what it does, a portable one copies what is in interfaces")
	}
	a := arena.NewArena(1<<16, 0)
	n, s := 3, "text"
	m := arena.NewMap[string, int](a, 0)
	m.Set("a", 1)
	m.Set("b", 2)
	ints := arena.NewMap[int, string](a, 0)
	ints.Set(10, "x")
	ints.Set(9, "y")
	v := struct {
		Exported
		*MyPointed
		I    int
		P    *int
		S    []string
		N    json.Number
		T    time.Time
		A    any
		B    any
		PA   any
		F    float64
		G    float32
		Raw  []byte
		M    *arena.Map[string, int]
		Ints *arena.Map[int, string]
		SM   map[string]string
		AM   map[string]any
		GM   map[string]int
		IM   map[int]leaf
		QS   string `json:",string"`
		Arr  [3]leaf
		E    any                `json:",omitempty"`
		Z    time.Time          `json:",omitzero"`
		Y    struct{ A, B int } `json:",omitzero"`
	}{
		P: &n, S: []string{"a", "<b>", "日本語"}, N: "12", T: time.Unix(1e9, 5).UTC(), A: 1.5, B: []any{nil, true, "x", &s, 7}, PA: &n, F: 0.1, G: 0.1,
		Raw: []byte("bytes"), M: m, Ints: ints, SM: map[string]string{"a": "b", "c": "d"}, AM: map[string]any{"x": 1, "y": map[string]any{"z": nil}},
		GM: map[string]int{"c": 1, "b": 2}, IM: map[int]leaf{1: {}, -7: {}}, QS: "q<",
	}
	marshal := func() {
		if _, err := Marshal(a, &v); err != nil {
			t.Fatal(err)
		}
		if err := MarshalWrite(a, io.Discard, &v, NoEscapeHTML); err != nil {
			t.Fatal(err)
		}
	}
	round := func() {
		mark := a.Mark()
		marshal()
		a.Rewind(mark)
	}
	round()
	if n := testing.AllocsPerRun(50, round); n >= 1 {
		t.Errorf("%v allocations", n)
	}
}
