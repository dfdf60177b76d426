package arenajson

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// A hostile document is made to take much memory or time.
type hostile struct {
	what string
	into string
	doc  func(n int) string // of about n bytes
	new  func() any
	opts []Option
}

type small struct{ A, B, C, D *int }

func unitsOf(before, unit, after string) func(int) string {
	return func(n int) string { return before + strings.Repeat(unit, n/len(unit)) + after }
}

// list returns an array of about n bytes with copies of element.
func list(element string) func(int) string {
	return unitsOf("["+element, ","+element, "]")
}

func nested(open, close string, depth int) func(int) string {
	return nestOf(open, "1", close, depth)
}

func nestOf(open, in, close string, depth int) func(int) string {
	return list(strings.Repeat(open, depth) + in + strings.Repeat(close, depth))
}

// cut returns a nest that ends before anything is closed, regardless of n.
func cut(open string, depth int) func(int) string {
	return func(int) string { return strings.Repeat(open, depth) }
}

// misfitBehind returns a nest whose deepest object has a list followed by a value that does not fit.
func misfitBehind(depth int) func(int) string {
	return func(n int) string {
		open := strings.Repeat(`{"A":`, depth)
		return open + `{"L":[` + strings.Repeat("{},", (n-6*depth)/3) + `{}],"A":1}` + strings.Repeat("}", depth)
	}
}

type tree struct {
	A *tree
	L []tree
}

type timeTree struct {
	A *timeTree
	T time.Time
}

func toAny() any { return new(any) }

var hostiles = []hostile{
	{"`[[[…]]]`, 9,999 deep", "`any`", nested("[", "]", 9998), toAny, nil},
	{"`{\"a\":{\"a\":…`, 9,999 deep", "`any`", nested(`{"a":`, "}", 9998), toAny, nil},
	{"the same", "a struct with a pointer to itself", nested(`{"A":`, "}", 9998), func() any { return new([]tree) }, nil},
	{"`[[[[…`, never closed", "`any`", unitsOf("", "[", ""), toAny, nil},
	{"`{\"a\":{\"a\":…`, never closed", "a struct with a pointer to itself", unitsOf("", `{"A":`, ""), func() any { return new(tree) }, nil},
	{"`[[[…]]],[[[…`, ends in the last one", "`any`", unitsOf("[", strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+",", "[[["), toAny, nil},
	{"`[[[…`, 10 KB, ends 9,998 deep", "`any`", cut("[", 9998), toAny, nil},
	{"`{\"a\":{\"a\":…`, 50 KB, ends 9,998 deep", "a struct with a pointer to itself", cut(`{"A":`, 9998), func() any { return new(tree) }, nil},
	{"the same", "`any`", cut(`{"A":`, 9998), toAny, nil},
	{"the same", "a struct that has no such member", cut(`{"B":`, 9998), func() any { return new(tree) }, nil},
	{"the same", "such a struct, with `Strict`", cut(`{"B":`, 9998), func() any { return new(tree) }, []Option{Strict}},
	{"nests of 256, each with short ones in it", "`any`", unitsOf("["+strings.Repeat("[", 254), "[],", "0"+strings.Repeat("]", 255)), toAny, nil},
	{"a time that is none, 9,998 deep", "a struct with a pointer to itself", nestOf(`{"A":`, `{"T":"x"}`, "}", 9998), func() any { return new([]timeTree) }, nil},
	{"a list before what does not fit, 9,998 deep", "a struct with a pointer to itself", misfitBehind(9997), func() any { return new(tree) }, nil},
	{"`[[0],[0],…`", "`any`", list("[0]"), toAny, nil},
	{"the same", "`[][]int`", list("[0]"), func() any { return new([][]int) }, nil},
	{"the same", "`[]tree`", list(`{"L":[{}]}`), func() any { return new([]tree) }, nil},
	{"`[{},{},…`", "`any`", list("{}"), toAny, nil},
	{"the same", "structs of four pointers", list("{}"), func() any { return new([]small) }, nil},
	{"the same", "pointers to structs of four pointers", list("{}"), func() any { return new([]*small) }, nil},
	{"`[null,null,…`", "structs of four pointers", list("null"), func() any { return new([]small) }, nil},
	{"`[0,0,…`", "`any`", list("0"), toAny, nil},
	{"the same", "`[]any`, as `json.Number`", list("0"), func() any { return new([]any) }, []Option{UseNumber}},
	{"a number of all its digits", "`any`", unitsOf("", "1234567890", "e-999999999"), toAny, nil},
	{"numbers of 1,000 digits", "`[]float64`", list("0." + strings.Repeat("123456789", 111)), func() any { return new([]float64) }, nil},
	{"`{\"A\":1,\"A\":1,…`", "a struct", unitsOf(`{"A":1`, `,"A":1`, "}"), func() any { return new(small) }, nil},
	{"the same", "`any`", unitsOf(`{"A":1`, `,"A":1`, "}"), toAny, nil},
	{"`{\"A\":[0,0],\"A\":[0,0],…`", "`map[string][]int`", unitsOf(`{"A":[0,0]`, `,"A":[0,0]`, "}"), func() any { return new(map[string][]int) }, nil},
	{"members that no struct has", "a struct", unitsOf(`{"A":1`, `,"unknown member":["x",{"y":null}]`, "}"), func() any { return new(small) }, nil},
	{"a string of `\\u00e9`", "`any`", unitsOf(`"`, `\u00e9`, `"`), toAny, nil},
	{"a string of `\\n`", "`string`", unitsOf(`"`, `\n`, `"`), func() any { return new(string) }, nil},
	{"a string of bytes that are no UTF-8", "`string`", unitsOf(`"`, "\xff", `"`), func() any { return new(string) }, nil},
	{"spaces", "`any`", unitsOf("", " ", "1"), toAny, nil},
}

// The costs of hostile documents are bounded. They use as much of the arena as the table of
// docs/generated/json.md shows, and never more than a limit. Builtin maps use as much of the heap as with
// encoding/json. Decoding takes about as long as with encoding/json at most. A truncated document takes no
// longer than the complete one does with encoding/json, and a truncated nest no longer than encoding/json
// takes to reject it, because nests are checked before they are decoded.
func TestHostileDocuments(t *testing.T) {
	n, rounds := 1<<18, 50
	if testing.Short() || check.On || testkit.Emulated() || check.Race || check.ASan {
		n, rounds = 1<<16, 0
	}
	const (
		most    = 128 // times the document's size, in chunks
		longest = 4   // times encoding/json's time
		refused = 64  // for a truncated document, which encoding/json rejects before it decodes anything
	)
	limit := 16 * n
	var table strings.Builder
	table.WriteString("| document of 256 KB | decoded into | bytes of the arena, times its size |\n| --- | --- | ---: |\n")
	for _, h := range hostiles {
		doc := []byte(h.doc(n))
		a := arena.NewArena(64<<10, 0)
		theirs, ours := h.new(), h.new()
		heap, want := allocated(func() error { return decodeStandard(h, doc, theirs) })
		ourHeap, err := allocated(func() error { return Unmarshal(a, doc, ours, h.opts...) })
		if !sameError(err, want) {
			t.Errorf("%s into %s: %v, encoding/json has %v", h.what, h.into, err, want)
		}
		if err == nil && !strings.Contains(h.what, "deep") && !reflect.DeepEqual(ours, theirs) {
			t.Errorf("%s into %s: not what encoding/json makes of it", h.what, h.into)
		}
		used, held := float64(a.Stats().UsedBytes)/float64(len(doc)), float64(a.Stats().RetainedBytes)/float64(len(doc))
		fmt.Fprintf(&table, "| %s | %s | %.1f |\n", h.what, h.into, used)
		if !check.On && (used > most || held > most) {
			t.Errorf("%s into %s: takes %.1f times its size of the arena, in chunks of %.1f", h.what, h.into, used, held)
		}
		if !check.On && ourHeap > 2*heap+2*held*float64(len(doc)) {
			t.Errorf("%s into %s: %.0f bytes of the heap, %.0f by encoding/json", h.what, h.into, ourHeap, heap)
		}

		small := arena.NewArena(64<<10, 0)
		small.SetLimit(limit)
		var over *arena.LimitError
		from := testkit.ProcessorTime()
		if err := Unmarshal(small, doc, h.new(), h.opts...); !sameError(err, want) && !errors.As(err, &over) {
			t.Errorf("%s into %s, with a limit: %v", h.what, h.into, err)
		}
		if took := testkit.ProcessorTime() - from; rounds > 0 && took > 3*time.Second { // copying a list for each of its values took 35
			t.Errorf("%s into %s, with a limit: took %v", h.what, h.into, took)
		}
		if held := small.Stats().RetainedBytes; held > limit {
			t.Errorf("%s into %s: %d bytes beyond the limit", h.what, h.into, held-limit)
		}

		short, refusal := doc[:len(doc)-1], float64(refused)
		if strings.Contains(h.what+h.into, "deep") {
			refusal = longest
		}
		for _, x := range []struct {
			what       string
			doc, their []byte // decoded by this package, and by encoding/json
			most       float64
		}{{"", doc, doc, longest}, {", without its last byte", short, short, refusal}, {", without its last byte, against all of it", short, doc, longest}} {
			if rounds == 0 {
				break
			}
			if times := slower(h, x.doc, x.their, rounds, x.most); times > x.most {
				t.Errorf("%s into %s%s: %.1f times encoding/json's time", h.what, h.into, x.what, times)
			} else {
				t.Logf("%s into %s%s: %.2f times encoding/json's time", h.what, h.into, x.what, times)
			}
		}
	}
	if n == 1<<18 && bits.UintSize == 64 && !viaReflect {
		samePage(t, "hostile", table.String())
	}
}

// allocated returns the number of heap bytes that f allocates, and its error.
func allocated(f func() error) (float64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc), err
}

func decodeStandard(h hostile, doc []byte, v any) error {
	if !slices.Contains(h.opts, UseNumber) {
		return json.Unmarshal(doc, v)
	}
	d := json.NewDecoder(strings.NewReader(string(doc)))
	d.UseNumber()
	return d.Decode(v)
}

// slower returns the ratio of our time for doc to encoding/json's time for their, each the best of several
// rounds. Rounds end once the ratio is at most most.
func slower(h hostile, doc, their []byte, rounds int, most float64) float64 {
	a := arena.NewArena(64<<10, 64<<20)
	theirs, ours := testkit.Best(rounds, func() {
		decodeStandard(h, their, h.new())
	}, func() {
		Unmarshal(a, doc, h.new(), h.opts...)
		a.Reset()
	}, func(theirs, ours time.Duration) bool { return float64(ours) <= most*float64(theirs) })
	return float64(ours) / float64(theirs)
}
