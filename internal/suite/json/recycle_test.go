// Package json tests arenajson as its users see it. Its tests are no part of package suite,
// whose -nolayout must come before a type is first met: arenajson meets some as it starts.
package json

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

// labels has each way in which a builtin map comes to be.
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

// Maps that are used again hold what their document says and nothing else, in whatever
// order small and large documents come, also twice in one epoch.
func TestRecycledMaps(t *testing.T) {
	a := arena.NewArena(4<<10, 0)
	for epoch := range 40 {
		var first *labels
		var want labels
		for k := range 1 + epoch%2 {
			entries := []int{3, 0, 40, 1500}[(epoch+k)%4]
			if check.On {
				entries = min(entries, 40)
			}
			doc := labelsDocument(epoch+k+1, entries)
			want = labels{}
			if err := json.Unmarshal([]byte(doc), &want); err != nil {
				t.Fatal(err)
			}
			got := arena.New[labels](a)
			if err := arenajson.Unmarshal(a, []byte(doc), got, arenajson.RecycleMaps); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(*got, want) {
				t.Fatalf("epoch %d:\n%+v\nnot\n%+v", epoch, *got, want)
			}
			if first != nil && reflect.ValueOf(first.Texts).UnsafePointer() == reflect.ValueOf(got.Texts).UnsafePointer() {
				t.Fatalf("epoch %d: two values have one map", epoch)
			}
			first = got
		}
		if epoch%9 == 8 {
			a.Release()
		} else {
			a.Reset()
		}
	}
}

// With the option, documents with maps take nothing from the heap in a warm arena.
func TestRecycledMapsAllocateNothing(t *testing.T) {
	testkit.NeedsReuse(t)
	if machine.Portable || !machine.LayoutOK {
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
		if err := arenajson.Unmarshal(a, doc, &order, arenajson.RecycleMaps); err != nil {
			t.Fatal(err)
		}
	}
	read()
	read()
	if n := testing.AllocsPerRun(100, read); n > 0 {
		t.Errorf("%v allocations for a document with maps", n)
	}
}

// A map that was there before is the caller's: it is filled, and never taken. Without
// the option nothing is taken either, and in builds with checks never.
func TestRecycledMapsAreTheArenas(t *testing.T) {
	a := arena.NewArena(4<<10, 0)
	mine := map[string]string{"was": "here"}
	into := labels{Texts: mine}
	doc := []byte(`{"Texts":{"a":"b"},"Anys":{"x":1}}`)
	if err := arenajson.Unmarshal(a, doc, &into, arenajson.RecycleMaps); err != nil {
		t.Fatal(err)
	}
	taken := reflect.ValueOf(into.Anys).Pointer()
	mine["a"] = "mine"
	a.Reset()
	var next labels
	if err := arenajson.Unmarshal(a, []byte(`{"Texts":{"c":"d"},"Anys":{"y":2}}`), &next); err != nil {
		t.Fatal(err)
	}
	if !check.On && (reflect.ValueOf(next.Anys).Pointer() == taken || !maps.Equal(mine, map[string]string{"was": "here", "a": "mine"})) {
		t.Errorf("without the option: %v, %v", next, mine)
	}
	a.Reset()
	next = labels{}
	if err := arenajson.Unmarshal(a, []byte(`{"Texts":{"c":"d"},"Anys":{"z":3}}`), &next, arenajson.RecycleMaps); err != nil {
		t.Fatal(err)
	}
	if again := next.Anys["z"] != nil && reflect.ValueOf(next.Anys).Pointer() == taken; again == check.On {
		t.Errorf("the map was used again: %t, in a build with checks: %t", again, check.On)
	}
	if reflect.ValueOf(next.Texts).UnsafePointer() == reflect.ValueOf(mine).UnsafePointer() || !maps.Equal(mine, map[string]string{"was": "here", "a": "mine"}) {
		t.Errorf("the caller's map was taken: %v", mine)
	}
	if err := arenajson.Unmarshal(nil, doc, &next, arenajson.RecycleMaps); err != nil || len(next.Anys) != 2 {
		t.Errorf("on the heap: %v, %v", next, err)
	}
}
