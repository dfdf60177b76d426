package arenajson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// A pressing document is made to take memory that no limit counts.
type pressing struct {
	what string
	into string
	doc  func(n int) string // of about n bytes
	new  func() any
	heap string // its use of the heap: a key of heapBounds
}

// heapBounds has the maximum number of heap bytes for each byte of the document, in an arena that has its
// memory, given encoding/json's.
var heapBounds = map[string]func(theirs float64) float64{
	"none":                       func(float64) float64 { return 0.05 },
	"as encoding/json, its maps": func(theirs float64) float64 { return theirs*1.5 + 0.05 },
	"its time zones, 16":         func(float64) float64 { return 16 },
	"the error's text, 24":       func(float64) float64 { return 24 },
	"errors of strconv, 8":       func(float64) float64 { return 8 },
}

// different returns an object of members with different names.
func different(member string) func(int) string {
	return func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, ","+member, i)
		}
		return "{" + b.String()[1:] + "}"
	}
}

// nestOfNames returns a nest of objects, each with members that are skipped.
func nestOfNames(members int) func(int) string {
	return func(n int) string {
		var names strings.Builder
		for i := range members {
			fmt.Fprintf(&names, `"%d":0,`, i)
		}
		open := "{" + names.String() + `"A":`
		depth := min(9_998, n/(len(open)+1))
		return list(strings.Repeat(open, depth) + "0" + strings.Repeat("}", depth))(n)
	}
}

type quotedMembers struct {
	I  int        `json:",string"`
	U  *uint8     `json:",string"`
	F  float64    `json:",string"`
	S  string     `json:",string"`
	P  *string    `json:",string"`
	B  bool       `json:",string"`
	L  *lengthInt `json:",string"`
	By []byte
	*hiddenDeep
}

// beforeV2 is a member whose UnmarshalText encoding/json v2 calls despite its option ,string, with a copy of
// the text on the heap.
var beforeV2 = map[bool]string{false: `"L":"5",`}[onV2]

var pressings = []pressing{
	{"`{\"0\":0,\"1\":0,…`, names that no struct has", "a struct", different(`"%x":0`), func() any { return new(small) }, "none"},
	{"the same, in escapes", "a struct", different(`"\u0061%x":0`), func() any { return new(small) }, "none"},
	{"the same, in objects that nobody wants", "a struct", list(`{"X":{"a":0,"b":0},"Y":[{"c":0}]}`), func() any { return new([]small) }, "none"},
	{"the same", "`map[string]int`", different(`"%x":0`), func() any { return new(map[string]int) }, "as encoding/json, its maps"},
	{"the same", "`any`", different(`"%x":0`), toAny, "as encoding/json, its maps"},
	{"the same", "`map[int]int`", different(`"%d":0`), func() any { return new(map[int]int) }, "as encoding/json, its maps"},
	{"the same", "an `*arena.Map[int, int]`", different(`"%d":0`), func() any { return new(*arena.Map[int, int]) }, "none"},
	{"names that are no integers", "an `*arena.Map[int8, int]`", different(`"%d00":0`), func() any { return new(*arena.Map[int8, int]) }, "none"},
	{"one name of all its bytes", "a struct", unitsOf(`{"`, "x", `":0}`), func() any { return new(small) }, "the error's text, 24"},
	{"the same, in escapes", "a struct", unitsOf(`{"`, `\u0001`, `":0}`), func() any { return new(small) }, "the error's text, 24"},
	{"a nest of 9,998, with a name in each", "a struct", nestOfNames(1), func() any { return new([]tree) }, "the error's text, 24"},
	{"a nest, with 20 names in each", "a struct", nestOfNames(20), func() any { return new([]tree) }, "the error's text, 24"},
	{"a nest of 9,998 that nobody wants", "a struct", nestOf(`{"a":0,"b":`, "1", "}", 9_990), func() any { return new([]small) }, "none"},
	{"`[{},{},…`", "`[]map[string]string`", list("{}"), func() any { return new([]map[string]string) }, "as encoding/json, its maps"},
	{"`[{},{},…`", "`[]map[int8]int`", list("{}"), func() any { return new([]map[int8]int) }, "as encoding/json, its maps"},
	{"`[{},{},…`", "`[]map[string]any`", list("{}"), func() any { return new([]map[string]any) }, "as encoding/json, its maps"},
	{"a member of a struct that has 100, in each object", "structs", list(`{"unknown99":0}`), func() any { return reflect.New(reflect.SliceOf(manyMembers(100, reflect.TypeFor[int8]()))).Interface() }, "none"},
	{"`[1e999,1e999,…`", "`[]float64`", list("1e999"), func() any { return new([]float64) }, "none"},
	{"the same", "`[]float32`", list("1e99"), func() any { return new([]float32) }, "none"},
	{"the same", "`[]int`", list("1e999"), func() any { return new([]int) }, "none"},
	{"the same", "`any`", list("1e999"), toAny, "none"},
	{"numbers of 400 digits", "`[]float64`", list(strings.Repeat("9", 400)), func() any { return new([]float64) }, "none"},
	{"numbers of 1,000 digits", "`[]float64`", list(strings.Repeat("9", 1000)), func() any { return new([]float64) }, "errors of strconv, 8"},
	{"`[\"x\",\"x\",…`", "`[]int`", list(`"x"`), func() any { return new([]int) }, "none"},
	{"the same", "`[][]byte`", list(`"x"`), func() any { return new([][]byte) }, "none"},
	{"objects for a pointer to a struct that is hidden", "a struct", list(`{"Hidden":1}`), func() any { return new([]quotedMembers) }, "none"},
	{"`,string` with what is not in quotes", "a struct", list(`{"I":1,"S":1,"U":1,"F":1e999}`), func() any { return new([]quotedMembers) }, "none"},
	{"`,string` with what is not the type's", "a struct", list(`{"I":"1.5","I":"n","B":"tru","S":"nul","F":"1e999","U":"300","U":"-1",` + beforeV2 + `"P":""}`), func() any { return new([]quotedMembers) }, "none"},
	{"`,string` with what only strconv could take", "a struct", list(`{"F":"0x"}`), func() any { return new([]quotedMembers) }, "errors of strconv, 8"},
	{"`,string`, with escapes in the string in the string", "a struct", list(`{"S":"\"\\n\"","P":"\"\\u00e9\\'\""}`), func() any { return new([]quotedMembers) }, "none"},
	{"the same, in one", "a struct", unitsOf(`{"S":"\"`, `\\n`, `\""}`), func() any { return new(quotedMembers) }, "none"},
	{"times in zones of no whole hours", "`[]time.Time`", list(`"2020-01-02T03:04:05+01:01"`), func() any { return new([]time.Time) }, "its time zones, 16"},
}

// Memory for a document is in the arena, where a limit counts it, or bounded: for each way to decode it, with
// each option. Strict once kept names in maps on the heap, and each value with an error allocated one.
func TestHostileDocumentsOnTheHeap(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race || viaReflect {
		t.Skip("the race detector allocates, and so does package reflect")
	}
	const n = 1 << 17 // longer than the buffer of a Decoder
	ways := []struct {
		name string
		read func(a *arena.Arena, doc []byte, v any, opts ...Option) error
	}{
		{"Unmarshal", Unmarshal},
		{"UnmarshalRead", func(a *arena.Arena, doc []byte, v any, opts ...Option) error {
			return UnmarshalRead(a, bytes.NewReader(doc), v, opts...)
		}},
		{"Decode", func(a *arena.Arena, doc []byte, v any, opts ...Option) error {
			return NewDecoder(a, bytes.NewReader(doc), opts...).Decode(v)
		}},
	}
	warm := arena.NewArena(16<<20, 1<<30) // its chunks hold all memory of a document
	var table strings.Builder
	table.WriteString("| document | decoded into | bytes of the arena, times its size | with `Strict` | of the heap |\n| --- | --- | ---: | ---: | --- |\n")
	for i, p := range pressings {
		short, long := []byte(p.doc(n)), []byte(p.doc(3*n))
		more := float64(len(long) - len(short))
		// slope returns the difference between a long and a short document, so that constants do not count.
		slope := func(read func(a *arena.Arena, doc []byte, v any) error) (float64, error) {
			measure := func(doc []byte) (float64, error) {
				least := math.Inf(1)
				var err error
				// At first the arena may have to allocate its memory.
				for i := 0; i < 3 || i < 12 && least > float64(len(doc))/100; i++ {
					v, all := p.new(), 0.0
					warm.Reset()
					all, err = allocated(func() error { return read(warm, doc, v) })
					least = min(least, all)
				}
				return least, err
			}
			base, _ := measure(short)
			all, err := measure(long)
			return (all - base) / more, err
		}
		theirs, _ := slope(func(_ *arena.Arena, doc []byte, v any) error { return json.Unmarshal(doc, v) })
		bound := heapBounds[p.heap](theirs)
		var used [2]float64
		all := [][]Option{nil, {Strict, DisallowUnknownFields}, {DisallowUnknownFields}, {UseNumber}, {Strict}}
		if testing.Short() {
			all = all[:2]
		}
		for j, opts := range all {
			strict := 0
			if len(opts) > 0 && opts[0] == Strict {
				strict = 1
			}
			for k, way := range ways {
				if testing.Short() && k != (i+j)%len(ways) {
					continue // by turns
				}
				a := arena.NewArena(64<<10, 1<<30)
				way.read(a, long, p.new(), opts...)
				inArena := float64(a.Stats().UsedBytes) / float64(len(long))
				if way.name != "Decode" { // its buffer may also be there
					used[strict] = max(used[strict], inArena)
				}
				heap, err := slope(func(a *arena.Arena, doc []byte, v any) error { return way.read(a, doc, v, opts...) })
				if heap > bound {
					t.Errorf("%s into %s, %v, by %s: %.2f bytes of the heap a byte, more than %.2f (%s; encoding/json takes %.2f); the error %.100v", p.what, p.into, opts, way.name, heap, bound, p.heap, theirs, err)
				}
				a.Release()
				a.SetLimit(len(long) / 2)
				if err := way.read(a, long, p.new(), opts...); err == nil {
					t.Errorf("%s into %s, %v, by %s: no error, with a limit of half of it", p.what, p.into, opts, way.name)
				}
			}
		}
		const most = 48
		if used[0] > most || used[1] > most {
			t.Errorf("%s into %s: %.1f times its size of the arena", p.what, p.into, used)
		}
		fmt.Fprintf(&table, "| %s | %s | %.1f | %.1f | %s |\n", p.what, p.into, used[0], used[1], p.heap)
	}
	if bits.UintSize == 64 && !check.On && !testing.Short() {
		samePage(t, "hostile-heap", table.String())
	}
}
