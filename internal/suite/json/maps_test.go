// Package json tests arenajson from outside.
package json

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

// labels contains every kind of builtin map that a decoder makes.
type labels struct {
	Any    any
	Anys   map[string]any
	Texts  map[string]string
	Counts map[string]int
	Deep   map[int]map[string][]string
}

func labelsDocument(seed, entries int) string {
	texts, counts := "", ""
	for i := range entries {
		texts += fmt.Sprintf(`"k%d":"v%d",`, i*seed, i+seed)
		counts += fmt.Sprintf(`"c%d":%d,`, i+seed, i)
	}
	return fmt.Sprintf(`{"Any":{"a":{%s"z":1},"b":{}},"Anys":{%s"n":null},"Texts":{%s"":""},"Counts":{%s"c":1},"Deep":{"%d":{"x":["y"]},"7":{}}}`,
		texts, texts, texts, counts, seed)
}

// Reused maps contain the entries of their document and no others, for any order of small and large
// documents, also twice in one cycle.
func TestMapsHoldTheirDocument(t *testing.T) {
	a := arena.NewArena(4<<10, 0)
	for cycle := range 40 {
		var first *labels
		var want labels
		for k := range 1 + cycle%2 {
			entries := []int{3, 0, 40, 1500}[(cycle+k)%4]
			if check.On {
				entries = min(entries, 40)
			}
			doc := labelsDocument(cycle+k+1, entries)
			want = labels{}
			if err := json.Unmarshal([]byte(doc), &want); err != nil {
				t.Fatal(err)
			}
			got := arena.New[labels](a)
			if err := arenajson.Unmarshal(a, []byte(doc), got); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(*got, want) {
				t.Fatalf("cycle %d:\n%+v\nnot\n%+v", cycle, *got, want)
			}
			if first != nil && reflect.ValueOf(first.Texts).UnsafePointer() == reflect.ValueOf(got.Texts).UnsafePointer() {
				t.Fatalf("cycle %d: two values have one map", cycle)
			}
			first = got
		}
		if cycle%9 == 8 {
			a.Release()
		} else {
			a.Reset()
		}
	}
}

// A warm arena decodes documents with maps without an allocation.
func TestMapsAllocateNothing(t *testing.T) {
	testkit.NeedsReuse(t)
	if !machine.LayoutOK {
		t.Skip("package reflect makes interfaces there")
	}
	a := arena.NewArena(64<<10, 0)
	doc := []byte(labelsDocument(3, 20))
	var order struct {
		Any    any
		Anys   map[string]any
		Texts  map[string]string
		Nested map[string]map[string]any
	}
	read := func() {
		a.Reset()
		order.Any, order.Anys, order.Texts, order.Nested = nil, nil, nil, nil
		if err := arenajson.Unmarshal(a, doc, &order); err != nil {
			t.Fatal(err)
		}
	}
	read()
	read()
	if n := testing.AllocsPerRun(100, read); n > 0 {
		t.Errorf("%v allocations for a document with maps", n)
	}
}

// An existing map belongs to the caller: it is filled and never recycled.
func TestMapsThatAreTaken(t *testing.T) {
	a := arena.NewArena(4<<10, 0)
	mine := map[string]string{"was": "here"}
	into := labels{Texts: mine}
	doc := []byte(`{"Texts":{"a":"b"},"Anys":{"x":1}}`)
	if err := arenajson.Unmarshal(a, doc, &into); err != nil {
		t.Fatal(err)
	}
	taken := reflect.ValueOf(into.Anys).Pointer()
	mine["a"] = "mine"
	a.Reset()
	var next labels
	if err := arenajson.Unmarshal(a, []byte(`{"Texts":{"c":"d"},"Anys":{"z":3}}`), &next); err != nil {
		t.Fatal(err)
	}
	if again := next.Anys["z"] != nil && reflect.ValueOf(next.Anys).Pointer() == taken; again == check.On {
		t.Errorf("the map was used again: %t, in a build with checks: %t", again, check.On)
	}
	if reflect.ValueOf(next.Texts).UnsafePointer() == reflect.ValueOf(mine).UnsafePointer() || !maps.Equal(mine, map[string]string{"was": "here", "a": "mine"}) {
		t.Errorf("the caller's map was taken: %v", mine)
	}
	if err := arenajson.Unmarshal(nil, doc, &next); err != nil || len(next.Anys) != 2 {
		t.Errorf("on the heap: %v, %v", next, err)
	}
}

type name string

// withMaps has maps for each of the decoder's paths.
type withMaps struct {
	Texts  map[string]string
	Anys   map[string]any
	Others map[name]meddler
	Lists  map[string][]int
}

// meddler has a method that calls meddle and reads a number.
type meddler struct {
	n   int
	own *meddler
}

var meddle func(n int)

func (m *meddler) UnmarshalJSON(text []byte) error {
	err := json.Unmarshal(text, &m.n)
	if meddle != nil {
		meddle(m.n)
	}
	return err
}

func (m meddler) MarshalJSON() ([]byte, error) { return json.Marshal(m.n) }

// Until the cycle ends, maps behave like all Go maps: they grow and shrink under a collector that runs all
// the time.
func TestMapsAreMaps(t *testing.T) {
	a := arena.NewArena(64<<10, 1<<20)
	doc := []byte(`[` + strings.Repeat(`{"Texts":{"a":"b","c":"d"},"Anys":{"x":{"y":null}},"Others":{"":1,"two":2,"two":3},"Lists":{"l":[1,2],"k":[3]}},`, 8) +
		`{"Texts":{},"Anys":{},"Others":{},"Lists":{}}]`)
	var want []withMaps
	if err := json.Unmarshal(doc, &want); err != nil {
		t.Fatal(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	for _, a := range []*arena.Arena{a, nil} {
		for range 30 {
			var got []withMaps
			if err := arenajson.Unmarshal(a, doc, &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%v (%v)", got, err)
			}
			for i := range got {
				for k := range 20 {
					more := fmt.Sprint("more ", k%(1+i*3))
					got[i].Texts[more], got[i].Anys[more] = more, k
					got[i].Others[name(more)], got[i].Lists[more] = meddler{n: k}, []int{k}
				}
				runtime.GC()
				delete(got[i].Texts, "a")
			}
			for i := range want[:8] {
				if len(got[i].Texts) != 1+min(20, 1+i*3) || len(got[i].Others) != 2+min(20, 1+i*3) || !reflect.DeepEqual(got[i].Lists["l"], want[i].Lists["l"]) {
					t.Fatalf("%d: %v", i, got[i])
				}
			}
			kept := arena.Escape(a, got)
			if a != nil {
				a.Reset()
			}
			if texts := maps.Clone(kept[3].Texts); texts["c"] != "d" || texts["a"] != "" || kept[3].Lists["l"][1] != 2 {
				t.Fatalf("%v was kept", kept[3])
			}
		}
	}
}

// An existing map is filled as it is. An empty object makes an empty map.
func TestMapsThatAreThere(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	v := withMaps{Texts: map[string]string{"a": "1"}, Others: map[name]meddler{"a": {n: 1}}, Lists: map[string][]int{}}
	texts, others, lists := v.Texts, v.Others, v.Lists
	if err := arenajson.Unmarshal(a, []byte(`{"Texts":{"b":"2"},"Others":{"b":2},"Lists":{"x":[]},"Anys":{}}`), &v); err != nil {
		t.Fatal(err)
	}
	if len(texts) != 2 || len(others) != 2 || others["b"].n != 2 || lists["x"] == nil || v.Anys == nil || len(v.Anys) != 0 {
		t.Errorf("%v %v %v %v", texts, others, lists, v.Anys)
	}
}

// Methods may do anything with the map that receives their value, as with encoding/json: add and delete
// entries, make it grow, replace it, set it to nil, and fail.
func TestMeddlingMethods(t *testing.T) {
	defer func() { meddle = nil }()
	a := arena.NewArena(64<<10, 0)
	var m map[name]meddler
	for what, f := range map[string]func(n int){
		"adds":          func(n int) { m[name(fmt.Sprint("added ", n%5))] = meddler{n: -n} },
		"adds the same": func(n int) { m[name(fmt.Sprint("key ", n))] = meddler{n: -n} },
		"deletes":       func(n int) { delete(m, name(fmt.Sprint("key ", n-2))) },
		"clears":        func(n int) { clear(m) },
		"makes it grow": func(n int) {
			for i := range 20 {
				m[name(fmt.Sprint(i))] = meddler{n: i}
			}
		},
		"grows and clears": func(n int) {
			for i := range 20 {
				m[name(fmt.Sprint(i))] = meddler{n: i}
			}
			clear(m)
		},
		"clones": func(n int) { m = maps.Clone(m) },
		"another": func(n int) {
			if n == 3 {
				m = map[name]meddler{"other": {n: 1}}
			}
		},
		"collects": func(int) { runtime.GC() },
		"none": func(n int) {
			if n == 3 {
				m = nil
			}
		},
		"panics": func(n int) {
			if n == 3 {
				panic("no")
			}
		},
	} {
		meddle = f
		for _, members := range []int{1, 2, 5, 8, 9, 12} {
			var doc strings.Builder
			for i := range members {
				fmt.Fprintf(&doc, `,"key %d":%d`, i*i%7, i)
			}
			text := []byte("{" + doc.String()[1:] + "}")
			run := func(f func() error) (got map[name]meddler, result string) {
				defer func() { got, result = m, result+fmt.Sprint(recover()) }()
				m = nil
				return nil, fmt.Sprint(f())
			}
			want, wantResult := run(func() error { return json.Unmarshal(text, &m) })
			got, result := run(func() error { return arenajson.Unmarshal(a, text, &m) })
			if !reflect.DeepEqual(got, want) || result != wantResult {
				t.Errorf("a method that %s, %d members: %v (%s), want %v (%s)", what, members, got, result, want, wantResult)
			}
		}
	}
}

// A document is checked to its end before a method is called. With Strict, this includes Strict's rules.
func TestNoMethodOfWhatIsWrong(t *testing.T) {
	calls := 0
	meddle = func(int) { calls++ }
	defer func() { meddle = nil }()
	a := arena.NewArena(64<<10, 0)
	for _, n := range []int{1, 100} {
		doc := `{"Others":{"a":1` + strings.Repeat(`,"a b c":2`, n) + `,"c":3,"c":4}}`
		for _, text := range []string{doc, doc[:len(doc)-1], doc + "1", strings.Replace(doc, ":4", ":4e", 1), strings.Replace(doc, ",\"c\":4", ",\"c\":\"\x00\"", 1)} {
			for _, opts := range [][]arenajson.Option{nil, {arenajson.Strict}} {
				calls = 0
				err := arenajson.Unmarshal(a, []byte(text), new(withMaps), opts...)
				if right := text == doc && opts == nil; (err == nil) != right || (calls > 0) != right {
					t.Errorf("%.300s, %v: %d calls (%v)", text, opts, calls, err)
				}
			}
		}
	}
}

// Entries that a program deletes from a map are not kept alive, although other maps of the document are.
func TestGrownMapsKeepNothing(t *testing.T) {
	large := func(value string) string {
		all := ""
		for i := range 12 {
			all += fmt.Sprintf(`,"k%d":%s`, i, value)
		}
		return "{" + all[1:] + "}"
	}
	var alive atomic.Int32
	watch := func(list []any) {
		alive.Add(1)
		runtime.AddCleanup(&list[0], func(int) { alive.Add(-1) }, 0)
	}
	var anys []map[string]any
	var lists []map[string][]any
	for range 5 {
		doc := []byte("[" + strings.Repeat(`{"a":null},`, 7) + large("[1]") + "]")
		anys, lists = nil, nil
		if err := errors.Join(arenajson.Unmarshal(nil, doc, &anys), arenajson.Unmarshal(nil, doc, &lists)); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range anys[7] {
		watch(x.([]any))
	}
	for _, x := range lists[7] {
		watch(x)
	}
	if alive.Load() != 24 {
		t.Fatalf("%d values", alive.Load())
	}
	clear(anys[7])
	clear(lists[7])
	if !testkit.CollectUntil(func() bool { return alive.Load() == 0 }) {
		t.Errorf("%d values are alive that no map has", alive.Load())
	}
	runtime.KeepAlive(anys)
	runtime.KeepAlive(lists)
}
