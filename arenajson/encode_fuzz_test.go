package arenajson

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// FuzzMarshal compares values of random types, like TestMarshalIsEncodingJSONs, one of which has a text of
// the fuzzer.
func FuzzMarshal(f *testing.F) {
	f.Add(uint64(1), "text", 1.5)
	for i, s := range texts {
		f.Add(uint64(i), s, float64(i)/7)
	}
	f.Fuzz(func(t *testing.T, seed uint64, s string, number float64) {
		a := arena.NewArena(1<<10, 0)
		r := rand.New(rand.NewPCG(seed, 0))
		p := reflect.New(randomType(r, 3))
		fill(r, p.Elem(), 4, true)
		compareMarshal(t, a, p.Interface())
		compareMarshal(t, a, p.Elem().Interface())
		compareMarshal(t, a, []any{s, number, json.Number(s), json.RawMessage(s), map[string]string{s: s}, float32(number), textString(s), []byte(s), byValue{s}})
		compareMarshal(t, a, json.RawMessage(s))
		compareMarshal(t, a, &struct {
			S string `json:",string"`
			F float64
			N json.Number
		}{s, number, json.Number(s)})
		compareMarshal(t, a, []any{number, s})
	})
}

// The memory of a document that Marshal failed to write, and of MarshalWrite, is returned to the arena.
func TestMemoryIsGivenBack(t *testing.T) {
	if check.On {
		t.Skip("a checked build hands out nothing twice")
	}
	a := arena.NewArena(1<<16, 0)
	long := strings.Repeat("x", 5000)
	if _, err := Marshal(a, long); err != nil { // grows beyond the first chunk
		t.Fatal(err)
	}
	used := a.Stats().UsedBytes
	for range 3 {
		if _, err := Marshal(a, []any{long, make(chan int)}); err == nil {
			t.Fatal("no error")
		}
		if err := MarshalWrite(a, new(strings.Builder), long); err != nil {
			t.Fatal(err)
		}
		if now := a.Stats().UsedBytes; now > used+16 {
			t.Errorf("%d bytes used, and %d before", now, used)
		}
	}
	doc, err := Marshal(a, long)
	if err != nil || cap(doc) != len(doc) {
		t.Errorf("%v, a capacity of %d for %d bytes", err, cap(doc), len(doc))
	}
	if now := a.Stats().UsedBytes; now > used+len(doc)+16 {
		t.Errorf("%d bytes used for a document of %d", now-used, len(doc))
	}
}

// A Marshaler may call Marshal with the same arena, and may panic.
type nesting struct {
	a     *arena.Arena
	depth int
	fail  bool
}

func (n nesting) MarshalJSON() ([]byte, error) {
	if n.fail && n.depth == 0 {
		panic(errNested)
	}
	if n.depth == 0 {
		return []byte(`"end"`), nil
	}
	n.depth--
	return Marshal(n.a, []any{n.depth, n})
}

var errNested = errors.New("nested")

func TestMarshalInMarshal(t *testing.T) {
	a := arena.NewArena(1<<12, 0)
	want := `[2,[1,[0,"end"]]]`
	for range 3 {
		if got, err := Marshal(a, nesting{a: a, depth: 3}); string(got) != want || err != nil {
			t.Fatalf("%s, %v", got, err)
		}
		func() {
			defer func() {
				if r := recover(); r != errNested {
					t.Errorf("panic with %v", r)
				}
			}()
			Marshal(a, map[string]any{"x": nesting{a: a, depth: 2, fail: true}})
		}()
	}
	a.Reset()
	// An exceeded limit is an error, and changes nothing.
	a.SetLimit(1 << 12)
	var limit *arena.LimitError
	if got, err := Marshal(a, strings.Repeat("x", 1<<16)); got != nil || !errors.As(err, &limit) {
		t.Errorf("beyond a limit: %d bytes, %v", len(got), err)
	}
	if got, err := Marshal(a, "y"); string(got) != `"y"` || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// Every character, and every sequence of up to three bytes with one byte changed, is written as by
// encoding/json, alone and among characters of its length.
func TestCharacters(t *testing.T) {
	compare := func(s string) {
		t.Helper()
		want, _ := json.Marshal(s)
		if got, err := Marshal(nil, s); normalized(string(got)) != normalized(string(want)) || err != nil {
			t.Fatalf("%q is %s, not %s: %v", s, got, want, err)
		}
	}
	step, first := rune(7), 1
	switch {
	case testing.Short() && testkit.Emulated():
		step, first = 241, 5
	case testing.Short() || check.On:
		step = 61
	}
	for r := rune(0); r <= 0x10ffff+100; r += step {
		s := string(r)
		compare("é" + s + "éé日" + s + "本" + s + s)
		if r >= 0x800 && r < 0x10000 && r%3 != 0 {
			continue
		}
		for i := range len(s) {
			b := []byte("日本" + s + "ééé" + s + s)
			b[len("日本")+i] += byte(r%5+1) << (r % 7)
			compare(string(b))
			compare(string(b[:len(b)-1]))
		}
	}
	for a := 0; a < 256; a += first {
		for b := range 256 {
			for _, c := range []byte{0, 0x7f, 0x80, 0xa8, 0xa9, 0xbf, 0xc0, 0xff} {
				compare(string([]byte{byte(a), byte(b), c, 'x', 'y', 'z', byte(a), byte(b), c}))
			}
		}
	}
}
