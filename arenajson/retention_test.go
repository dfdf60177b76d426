package arenajson

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/ebbpool/arena/internal/check"
)

// With a nil arena, a kept value keeps little more than itself alive. A string that is a part of the document
// would keep all of it.
func TestHeapKeepsNoDocument(t *testing.T) {
	if check.On {
		t.Skip("these builds add to each object")
	}
	type all struct {
		Text   string
		List   []string
		Number json.Number
		Quoted string `json:",string"`
		Raw    json.RawMessage
		Any    any
		Map    map[string]any
		Texts  map[string]string
		Keys   map[string]int
		Nested map[string][]string
		Bytes  []byte
		Array  [1]string
		Ptr    *string
	}
	doc := []byte(`{"Text":"abcdefgh","List":["abcdefgh","x"],"Number":123456,"Quoted":"\"abcdefgh\"","Raw":{"a":"abcdefgh"},
		"Any":"abcdefgh","Map":{"key":"abcdefgh","n":1.5},"Texts":{"key":"abcdefgh"},"Keys":{"key":1},"Nested":{"key":["abcdefgh"]},
		"Bytes":"YWJjZGVmZ2g=","Array":["abcdefgh"],"Ptr":"abcdefgh","pad":"` + strings.Repeat("x", 100_000) + `"}`)
	for name, x := range map[string]struct {
		keep func(*all) any
		opts []Option
	}{
		"string":         {keep: func(v *all) any { return v.Text }},
		"slice":          {keep: func(v *all) any { return v.List }},
		"number":         {keep: func(v *all) any { return v.Number }},
		"quoted":         {keep: func(v *all) any { return v.Quoted }},
		"raw":            {keep: func(v *all) any { return v.Raw }},
		"any":            {keep: func(v *all) any { return v.Any }},
		"map":            {keep: func(v *all) any { return v.Map }},
		"map, UseNumber": {keep: func(v *all) any { return v.Map }, opts: []Option{UseNumber}},
		"map of strings": {keep: func(v *all) any { return v.Texts }},
		"key":            {keep: func(v *all) any { return v.Keys }},
		"value in a map": {keep: func(v *all) any { return v.Nested }},
		"bytes":          {keep: func(v *all) any { return v.Bytes }},
		"array":          {keep: func(v *all) any { return v.Array[0] }},
		"pointer":        {keep: func(v *all) any { return v.Ptr }},
	} {
		for from, read := range map[string]func(v any) error{
			"Unmarshal":     func(v any) error { return Unmarshal(nil, doc, v, x.opts...) },
			"UnmarshalRead": func(v any) error { return UnmarshalRead(nil, strings.NewReader(string(doc)), v, x.opts...) },
			"Decoder":       func(v any) error { return NewDecoder(nil, strings.NewReader(string(doc)), x.opts...).Decode(v) },
		} {
			var kept []any
			liveBytes()
			before := liveBytes()
			for range 20 {
				v := new(all)
				if err := read(v); err != nil {
					t.Fatal(err)
				}
				kept = append(kept, x.keep(v))
			}
			after := liveBytes()
			runtime.KeepAlive(kept)
			if each := (after - before) / 20; each > 4<<10 {
				t.Errorf("%s: %s: %s keeps %d bytes alive", from, name, fmt.Sprint(kept[0]), each)
			}
		}
	}
}

func liveBytes() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // empties every sync.Pool
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
