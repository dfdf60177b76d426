package json

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// TestUnderHostileCollector runs the tests named TestGC... again in a process whose collector runs all the
// time, overwrites freed memory and checks every pointer.
func TestUnderHostileCollector(t *testing.T) {
	const child = "ARENA_TEST_HOSTILE"
	if os.Getenv(child) != "" {
		t.Skip("this is the child")
	}
	if testkit.Emulated() {
		t.Skip("too slow")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	cmd := testkit.Self(ctx, t, "-test.run=^TestGC", "-test.v")
	cmd.Env = append(os.Environ(), "GOGC=1", "GODEBUG=clobberfree=1,invalidptr=1", child+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "--- PASS: TestGC") < 3 {
		t.Fatalf("%v\n%s", err, out)
	}
}

// leaf and tree contain every kind of memory that a decoder allocates: objects, slices of objects and of
// pointers, text with and without escapes, boxes in interfaces, builtin maps, and memory of encoding/json's
// types.
type tree struct {
	Name  string
	Kids  []*tree
	Leafs []leaf
	Any   any
	Map   map[string]*leaf
	Raw   json.RawMessage
	Num   json.Number
	Next  *tree
}

type leaf struct {
	Text  string
	Bytes []byte
	List  []string
	P     **string
}

func treeDocument(depth, seed int) string {
	text := func(what string) string { return fmt.Sprintf(`"%s %d\u00e9\n"`, what, seed) }
	leafText := fmt.Sprintf(`{"Text":%s,"Bytes":"AAECAwQ=","List":["a",%s],"P":%s}`, text("text"), text("list"), text("p"))
	kids := ""
	if depth > 0 {
		kids = treeDocument(depth-1, seed+1) + "," + treeDocument(depth-1, seed+2)
	}
	return fmt.Sprintf(`{"Name":"name %d","Kids":[%s],"Leafs":[%s,%s],"Any":{"a":[1,%s,null,{"b":%s}]},"Map":{"k":%s},"Raw":{"x": %s},"Num":%d.5,"Next":{"Name":%s}}`,
		seed, kids, leafText, leafText, text("any"), text("boxed"), leafText, text("raw"), seed, text("next"))
}

// Trees are decoded while the collector runs, then read, encoded, and decoded again in the next cycle of
// their arena. Some outlive it by Escape.
func TestGCDecodedTrees(t *testing.T) {
	cycles := 12
	if check.Race || check.ASan || testing.Short() {
		cycles = 4
	}
	pool := arena.NewAutoPool(0)
	var kept, wants []*tree
	for cycle := range cycles {
		doc := treeDocument(4, cycle*100)
		want := new(tree)
		if err := json.Unmarshal([]byte(doc), want); err != nil {
			t.Fatal(err)
		}
		a := pool.Get()
		got := arena.New[tree](a)
		if err := arenajson.Unmarshal(a, []byte(doc), got); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("cycle %d: %+v, not %+v", cycle, got, want)
		}
		text, err := arenajson.Marshal(a, got)
		if err != nil {
			t.Fatal(err)
		}
		if std, err := json.Marshal(want); err != nil || string(std) != string(text) {
			t.Fatalf("cycle %d: %v\n%s\nnot\n%s", cycle, err, text, std)
		}
		if cycle%3 == 0 {
			kept, wants = append(kept, arena.Escape(a, got)), append(wants, want)
		}
		pool.Put(a)
	}
	testkit.Collect(2)
	for i := range kept {
		if !reflect.DeepEqual(kept[i], wants[i]) {
			t.Errorf("what was kept of cycle %d has changed", 3*i)
		}
	}
}

// One pointer into a decoded tree keeps everything reachable from it alive after the arena is gone.
func TestGCDecodedOutlivesTheArena(t *testing.T) {
	var texts []string
	var leafs []*leaf
	for i := range 10 {
		a := arena.NewArena(1<<10, 0)
		var got tree
		if err := arenajson.Unmarshal(a, []byte(treeDocument(2, i)), &got); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, got.Kids[1].Leafs[1].List[1])
		leafs = append(leafs, got.Map["k"])
	}
	testkit.Collect(3)
	for i := range texts {
		if want := fmt.Sprintf("list %dé\n", i+2); texts[i] != want {
			t.Errorf("%q, not %q", texts[i], want)
		}
		if want := fmt.Sprintf("p %dé\n", i); **leafs[i].P != want || leafs[i].List[0] != "a" || len(leafs[i].Bytes) != 5 {
			t.Errorf("%+v, not with %q", *leafs[i], want)
		}
	}
}

// Documents are parsed, edited and merged while the collector runs. Other arenas that contributed values are reset before
// the documents are read. Values and strings outlive their arena.
func TestGCValues(t *testing.T) {
	rounds := 12
	if check.Race || check.ASan || testing.Short() {
		rounds = 4
	}
	pool := arena.NewAutoPool(0)
	var kept []arenajson.Value
	var texts, wants []string
	for round := range rounds {
		doc, other := treeDocument(3, round*100), treeDocument(2, round*100+50)
		a, b := pool.Get(), pool.Get()
		v, err := arenajson.Parse(a, []byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		w, err := arenajson.Parse(b, []byte(other))
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		more := b.Sprintf("new \"%d\"", round)
		for _, err := range []error{
			v.Set(w.Get("Kids", 1), "Other"),
			v.Set(&more, "Next", "More"),
			v.Append(w.Get("Any", "a"), "Leafs"),
			v.Merge(w.Get("Any"), "Extra"),
			v.Merge(w.Get("Map"), "Map", "k", "In"),
			v.Delete("Kids", 0),
		} {
			if err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
		pool.Put(b)
		testkit.Collect(1)
		b = pool.Get()
		arenajson.Parse(b, []byte(strings.Repeat(" ", 9)+other)) // overwrites the memory of w

		var want, from map[string]any
		if err := json.Unmarshal([]byte(doc), &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(other), &from); err != nil {
			t.Fatal(err)
		}
		want["Other"] = from["Kids"].([]any)[1]
		want["Next"].(map[string]any)["More"] = fmt.Sprintf("new \"%d\"", round)
		want["Leafs"] = append(want["Leafs"].([]any), from["Any"].(map[string]any)["a"])
		want["Extra"] = from["Any"]
		want["Map"].(map[string]any)["k"].(map[string]any)["In"] = from["Map"]
		want["Kids"] = want["Kids"].([]any)[1:]
		var got map[string]any
		if err := json.Unmarshal(v.AppendTo(nil), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("round %d: %v\n%v\nnot\n%v", round, err, got, want)
		}
		var decoded map[string]any
		if err := v.Decode(&decoded); err != nil || !reflect.DeepEqual(decoded, want) {
			t.Fatalf("round %d: Decode: %v\n%v\nnot\n%v", round, err, decoded, want)
		}
		pool.Put(b)
		if round%2 == 0 {
			name := v.Get("Next", "Name")
			kept, texts = append(kept, v), append(texts, name.String())
			wants = append(wants, want["Next"].(map[string]any)["Name"].(string))
			continue // a is dropped, and v keeps its memory
		}
		pool.Put(a)
	}
	testkit.Collect(3)
	for i := range kept {
		if got := kept[i].Get("Next", "Name").String(); got != wants[i] || texts[i] != wants[i] {
			t.Errorf("Get = %q and %q, want %q", got, texts[i], wants[i])
		}
	}
}
