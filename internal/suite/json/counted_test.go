package json

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/internal/testkit"
)

type counted struct {
	Self *counted
	M    map[string]*counted
	A    any
}

// All memory that a document keeps alive counts for its arena, or it would pass every limit. Memory that
// methods of the program and encoding/json allocate does not count.
func TestDecodedMemoryCounts(t *testing.T) {
	testkit.NeedsReuse(t)
	const n = 20_000
	list := func(element string) string { return "[" + strings.Repeat(","+element, n)[1:] + "]" }
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"key%d":1`, i)
	}
	names := "{" + b.String()[1:] + "}"
	for name, x := range map[string]struct {
		doc  string
		into func() any
		opts []arenajson.Option
	}{
		"any, arrays":       {list(`[[[{}]]]`), func() any { return new(any) }, nil},
		"any, objects":      {list(`{"a":{"b":1}}`), func() any { return new(any) }, nil},
		"any, one object":   {names, func() any { return new(any) }, nil},
		"any, one name":     {"{" + strings.Repeat(`"a":{"x":{}},`, n) + `"a":1}`, func() any { return new(any) }, nil},
		"Strict":            {names, func() any { return new(any) }, []arenajson.Option{arenajson.Strict}},
		"Strict, unknown":   {names, func() any { return new(struct{}) }, []arenajson.Option{arenajson.Strict}},
		"UseNumber":         {list(`1`), func() any { return new(any) }, []arenajson.Option{arenajson.UseNumber}},
		"map":               {names, func() any { return new(map[string]int) }, nil},
		"maps of arrays":    {list(`{"a":[1]}`), func() any { return new([]map[string][16]int) }, nil},
		"maps of large":     {list(`{"a":[1]}`), func() any { return new([]map[string][64]int) }, nil},
		"maps by integers":  {list(`{"1":2,"3":4}`), func() any { return new([]map[int]int) }, nil},
		"maps of times":     {list(`{"1":"2020-01-02T03:04:05Z"}`), func() any { return new([]map[string]time.Time) }, nil},
		"maps of maps":      {list(`{"a":{"b":{}}}`), func() any { return new([]map[string]map[string]map[string]int) }, nil},
		"maps of nil":       {list(`{"a":null}`), func() any { return new([]map[string]*int) }, nil},
		"maps of one name":  {"{" + strings.Repeat(`"a":{"x":{}},`, n) + `"a":{}}`, func() any { return new(map[string]map[string]struct{}) }, nil},
		"arena map":         {names, func() any { return new(*arena.Map[string, int]) }, nil},
		"arena maps":        {list(`{"a":1}`), func() any { return new([]*arena.Map[string, int]) }, nil},
		"recursive":         {list(`{"M":{"a":{"Self":{}}},"A":{"x":[]}}`), func() any { return new([]counted) }, nil},
		"pointers":          {list(`1`), func() any { return new([]**int) }, nil},
		"raw messages":      {list(`[1]`), func() any { return new([]json.RawMessage) }, nil},
		"bytes":             {list(`"YQ=="`), func() any { return new([][]byte) }, nil},
		"times":             {list(`"2020-01-02T03:04:05Z"`), func() any { return new([]*time.Time) }, nil},
		"Parse, an array":   {list(`[{"a":1}]`), nil, nil},
		"Parse, one object": {names, nil, nil},
	} {
		p := arena.NewAutoPool(0)
		a, doc := p.Get(), []byte(x.doc)
		before := live()
		var v any
		var err error
		if x.into == nil {
			v, err = arenajson.Parse(a, doc)
		} else {
			v = x.into()
			err = arenajson.Unmarshal(a, doc, v, x.opts...)
		}
		took, held := live()-before, int64(p.Stats().InUseBytes)
		if err != nil || took > held*11/10+200_000 {
			t.Errorf("%s: a document of %d bytes takes %d, of which %d count (%v)", name, len(doc), took, held, err)
		}
		runtime.KeepAlive(doc)
		runtime.KeepAlive(v)
		p.Put(a)
	}
}
