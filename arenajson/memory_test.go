package arenajson

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
)

// A weighed document is decoded to compare the memory of the result.
type weighed struct {
	what string
	into string
	doc  func(n int) string // of about n bytes
	new  func() any
}

// numbered returns an array of about n bytes. format formats each element's number.
func numbered(format string) func(int) string {
	return func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, ","+format, i)
		}
		return "[" + b.String()[1:] + "]"
	}
}

type weighedOrder struct {
	ID       int64     `json:"id"`
	Customer string    `json:"customer"`
	At       time.Time `json:"at"`
	Total    float64   `json:"total"`
	Paid     bool      `json:"paid"`
	Lines    []struct {
		SKU   string `json:"sku"`
		Count int    `json:"count"`
	} `json:"lines"`
	Note *string `json:"note"`
}

const weighedOrders = `{"id":%d,"customer":"Ada Lovelace","at":"2026-01-02T03:04:05Z","total":12.5,"paid":true,"lines":[{"sku":"A-17","count":2},{"sku":"B-3","count":1}],"note":"at the back door"}`

var weights = []weighed{
	{"integers of 6 digits", "`[]int`", numbered("1%05d"), func() any { return new([]int) }},
	{"the same", "`any`", numbered("1%05d"), toAny},
	{"integers of 1 digit", "`[]int`", list("7"), func() any { return new([]int) }},
	{"the same", "`any`", list("7"), toAny},
	{"floats of 17 digits", "`[]float64`", list("0.12345678901234567"), func() any { return new([]float64) }},
	{"the same", "`any`", list("0.12345678901234567"), toAny},
	{"strings of 8 bytes", "`[]string`", numbered(`"x%07d"`), func() any { return new([]string) }},
	{"the same", "`any`", numbered(`"x%07d"`), toAny},
	{"strings of 1 byte", "`[]string`", list(`"x"`), func() any { return new([]string) }},
	{"strings of 1 KB", "`[]string`", list(`"` + strings.Repeat("x", 1024) + `"`), func() any { return new([]string) }},
	{"strings of ten `\\n`", "`[]string`", list(`"` + strings.Repeat(`\n`, 10) + `"`), func() any { return new([]string) }},
	{"strings of ten `\\u00e9`", "`any`", list(`"` + strings.Repeat(`\u00e9`, 10) + `"`), toAny},
	{"bytes in base64, 30 each", "`[][]byte`", list(`"` + strings.Repeat("QUJD", 10) + `"`), func() any { return new([][]byte) }},
	{"`null`, `true`", "`any`", list("null,true"), toAny},
	{"`[[0],[0],…`", "`[][]int`", list("[0]"), func() any { return new([][]int) }},
	{"the same", "`any`", list("[0]"), toAny},
	{"`{\"a\":{}}`", "`any`", list(`{"a":{}}`), toAny},
	{"the same", "`[]map[string]map[string]int`", list(`{"a":{}}`), func() any { return new([]map[string]map[string]int) }},
	{"the same, 100 deep", "`any`", nestOf(`{"a":`, "{}", "}", 100), toAny},
	{"the same", "a struct with a pointer to itself", nestOf(`{"A":`, "{}", "}", 100), func() any { return new([]struct{ A *tree }) }},
	{"objects of 3 members", "`any`", numbered(`{"id":%d,"name":"x","ok":true}`), toAny},
	{"objects of 8 integers", "`[]map[string]int`", list(`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8}`), func() any { return new([]map[string]int) }},
	{"objects of 12 integers", "`any`", list(`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12}`), toAny},
	{"an object of all members", "`map[string]int`", different(`"%x":0`), func() any { return new(map[string]int) }},
	{"the same", "`any`", different(`"%x":0`), toAny},
	{"orders: strings, numbers, a time, lines", "structs", numbered(weighedOrders), func() any { return new([]weighedOrder) }},
	{"the same", "`any`", numbered(weighedOrders), toAny},
}

// weighedOn is the Go version of encoding/json's column in the table.
const weighedOn = "go1.26"

// The memory of decoded documents, in an arena and on the heap, beside encoding/json's. The table has the
// bytes of memory for each byte of the document. The columns of an arena include a copy of the document.
func TestMemoryOfDocuments(t *testing.T) {
	if check.On || check.Race || check.ASan || bits.UintSize != 64 || viaReflect {
		t.Skip("memory differs in this build")
	}
	const n = 256 << 10
	var table strings.Builder
	table.WriteString("Made with " + weighedOn + ".\n\n| document of 256 KB | decoded into | in an arena | chunks of the arena | nil arena | `encoding/json` |\n| --- | --- | ---: | ---: | ---: | ---: |\n")
	for _, w := range weights {
		doc := []byte(w.doc(n))
		size := float64(len(doc))
		theirs := live(func() any { v := w.new(); json.Unmarshal(doc, v); return v }) / size
		heap := live(func() any { v := w.new(); Unmarshal(nil, doc, v); return v }) / size

		a := arena.NewArena(64<<10, 0)
		ours, want := w.new(), w.new()
		if err := Unmarshal(a, doc, ours); err != nil {
			t.Fatalf("%s into %s: %v", w.what, w.into, err)
		}
		if json.Unmarshal(doc, want); !reflect.DeepEqual(ours, want) {
			t.Errorf("%s into %s differs from encoding/json's result", w.what, w.into)
		}
		used, held := float64(a.Stats().UsedBytes)/size, float64(a.Stats().RetainedBytes)/size
		// On the heap a slice of one element has a capacity of four.
		if used > 1.5*theirs+2.5 || heap > 2*theirs+0.5 {
			t.Errorf("%s into %s: %.1f bytes in an arena and %.1f on the heap for each byte, encoding/json has %.1f", w.what, w.into, used, heap, theirs)
		}
		fmt.Fprintf(&table, "| %s | %s | %.1f | %.1f | %.1f | %.1f |\n", w.what, w.into, used, held, heap, theirs)
	}
	checkMemory(t, table.String())
}

// live returns the heap bytes that the result of f keeps alive, the least of several measurements.
func live(f func() any) float64 {
	least := math.Inf(1)
	for range 3 {
		before := heapAtRest()
		v := f()
		least = min(least, heapAtRest()-before)
		runtime.KeepAlive(v)
	}
	return max(least, 0)
}

func heapAtRest() float64 {
	var m runtime.MemStats
	for range 3 { // pools are empty after two collections
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// checkMemory fails the test if the table is stale: its rows differ, or a number by more than a tenth. The
// last column is compared only on weighedOn.
func checkMemory(t *testing.T, table string) {
	if *update {
		samePage(t, "memory", table)
		return
	}
	lines := strings.Split(table, "\n")
	old := strings.Split(sectionOf(t, "memory"), "\n")
	if len(old) != len(lines) {
		t.Fatalf("the table has %d lines, want %d; go test ./arenajson -update writes:\n%s", len(old), len(lines), table)
	}
	for i := range lines {
		have, want := strings.Split(old[i], "|"), strings.Split(lines[i], "|")
		for k := range want {
			x, err := strconv.ParseFloat(strings.TrimSpace(want[k]), 64)
			switch {
			case len(have) != len(want) || err != nil && have[k] != want[k]:
				t.Errorf("stale line %q, want %q", old[i], lines[i])
			case err != nil, k == len(want)-2 && !strings.HasPrefix(runtime.Version(), weighedOn):
				continue
			default:
				if y, _ := strconv.ParseFloat(strings.TrimSpace(have[k]), 64); math.Abs(x-y) <= 0.1+x/10 {
					continue
				}
				t.Errorf("stale number %s in %q, want %s", have[k], old[i], want[k])
			}
			break
		}
	}
}
