package advise

import (
	"slices"
	"testing"
)

// A line is listed if an arena could hold its memory, or if heap advises other ways to write it. Calls of other functions of
// the standard library allocate the same with an arena, so a report says nothing about them.
func TestReportListsOnlyChoices(t *testing.T) {
	report := func(called string, findings ...Finding) []Item {
		t.Helper()
		m := newMaker(t, "alloc_objects", "alloc_space", "inuse_objects", "inuse_space")
		m.add(called+" shop.find", 1000, 64000, 0, 0)
		m.add("runtime.mallocgc other.run", 1000, 64000, 0, 0)
		items, err := Report(shop, m.file(), []string{"./..."}, findings)
		if err != nil {
			t.Fatal(err)
		}
		return items
	}
	for _, called := range []string{
		"net/http.Header.Get", "net/textproto.canonicalMIMEHeaderKey net/textproto.MIMEHeader.Get net/http.Header.Get", "net/http.(*Client).Do",
		"testing.(*T).Run", "testing.(*B).Run", "context.WithCancel", "time.NewTimer", "sync.(*Pool).Get", "sort.Slice", "regexp.MustCompile",
		"errors.New", "fmt.Errorf", "fmt.Fprintf", "bufio.NewReader", "github.com/ebbpool/arena.NewArena",
	} {
		if items := report(called); len(items) != 0 {
			t.Errorf("%s: %v, want nothing", called, items)
		}
	}
	for _, called := range []string{
		"runtime.mallocgc", "fmt.Sprintf", "fmt.Sprint", "io.ReadAll", "strings.(*Builder).WriteString", "bytes.growSlice bytes.(*Buffer).Write", "slices.Grow[go.shape.int]",
		"maps.Collect[go.shape.map[string]int]", "encoding/json.Unmarshal", "strings.Repeat", "strconv.Itoa", "time.Time.Format", "github.com/other/parser.Parse",
	} {
		items := report(called)
		if len(items) != 1 || items[0].Part != 0.5 || items[0].Line != int(lineOf(t, "find")) {
			t.Errorf("%s: %v, want one line with half of the costs", called, items)
		}
	}
	// A finding stays, without the costs of the call that it does not change.
	items := report("net/http.Header.Get", Finding{File: "shop.go", Line: 1, Message: "append on the heap"})
	if !slices.ContainsFunc(items, func(i Item) bool { return i.Message == "append on the heap" && i.Objects == 0 }) || len(items) != 1 {
		t.Errorf("%v, want the finding alone", items)
	}
}
