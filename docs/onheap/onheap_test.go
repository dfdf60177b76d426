// Package onheap checks the figures of docs/guide.md.
package onheap

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

var update = flag.Bool("update", false, "write what is counted into docs/guide.md")

type user struct {
	Name string
	Age  int
	Tags []string
	Next *user
}

func (u *user) older(than int) bool { return u.Age > than }

// Values stored here escape to the heap.
var (
	sinkAny    any
	sinkFunc   func() bool
	sinkMethod func(int) bool
	sinkText   string
	sinkUser   *user
	sinkMap    map[string]int
	sinkArena  *arena.Map[string, int]
	sinkCtx    context.Context
	sinkErr    error
	sinkUsers  [20]*user
)

var (
	keys     = strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa")
	document = []byte(`{"Name":"Ann","Age":41,"Tags":["a","b","c"],"Next":{"Name":"Bob","Age":7}}`)
	name     = "somebody"
	number   = 4711
	moment   = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
)

// rows are operations on the heap and with a warm arena.
var rows = []struct {
	what    string
	heap    func()
	instead string
	arena   func(a *arena.Arena)
}{
	{"`&User{...}`, `new(User)`", func() { sinkUser = &user{Name: name} },
		"`NewOf`, `New`", func(a *arena.Arena) { sinkUser = arena.NewOf(a, user{Name: name}) }},
	{"a map of 10 entries", func() {
		sinkMap = map[string]int{}
		for i, k := range keys {
			sinkMap[k] = i
		}
	}, "`arena.Map`", func(a *arena.Arena) {
		sinkArena = arena.NewMap[string, int](a, 0)
		for i, k := range keys {
			sinkArena.Set(k, i)
		}
	}},
	{"`encoding/json`: a small document", func() {
		u := new(user)
		sinkErr = json.Unmarshal(document, u)
		sinkUser = u
	}, "`arenajson`", func(a *arena.Arena) {
		u := arena.New[user](a)
		sinkErr = arenajson.Unmarshal(a, document, u)
		sinkUser = u
	}},
	{"`fmt.Sprintf(\"%s is %d\", name, n)`", func() { sinkText = fmt.Sprintf("%s is %d", name, number) },
		"`a.Sprintf`: the boxes of name and n stay", func(a *arena.Arena) { sinkText = a.Sprintf("%s is %d", name, number) }},
	{"the same", func() { sinkText = fmt.Sprintf("%s is %d", name, number) },
		"`Buffer`", func(a *arena.Arena) {
			b := arena.NewBuffer(a, 0)
			b.WriteString(name)
			b.WriteString(" is ")
			b.AppendInt(int64(number), 10)
			sinkText = b.String()
		}},
	{"`name + \" and \" + name`", func() { sinkText = name + " and " + name },
		"`a.Concat`", func(a *arena.Arena) { sinkText = a.Concat(name, " and ", name) }},
	{"`strconv.Itoa(n)`, from 100 on", func() { sinkText = strconv.Itoa(number) },
		"`Buffer.AppendInt`", func(a *arena.Arena) {
			b := arena.NewBuffer(a, 0)
			b.AppendInt(int64(number), 10)
			sinkText = b.String()
		}},
	{"`t.Format(time.RFC3339)`", func() { sinkText = moment.Format(time.RFC3339) },
		"`t.AppendFormat` to memory of the arena", func(a *arena.Arena) {
			sinkText = a.AllocBytesToString(moment.AppendFormat(arena.MakeSlice[byte](a, 0, 32), time.RFC3339))
		}},
	{"a number in an `any`, from 256 on", func() { sinkAny = number },
		"`BoxOf`", func(a *arena.Arena) { sinkAny = arena.BoxOf(a, number) }},
	{"a closure that is kept", func() { n := number; u := sinkUser; sinkFunc = func() bool { return u.older(n) } },
		"none: a struct of what it needs, and a method", nil},
	{"a method value, `u.older`", func() { sinkMethod = sinkUser.older }, "none: keep `u`", nil},
	{"`context.WithValue`", func() { sinkCtx = context.WithValue(context.Background(), &keys, name) },
		"none: contexts are kept by all kinds of code", nil},
	{"`fmt.Errorf(\"%w\", err)`", func() { sinkErr = fmt.Errorf("reading: %w", context.Canceled) },
		"none: errors outlive what they are about", nil},
}

// The tables of the page contain the counts of this test.
func TestTables(t *testing.T) {
	if check.On || check.Race || check.ASan || !machine.LayoutOK || runtime.GOARCH != "amd64" || !strings.HasPrefix(runtime.Version(), "go1.26") {
		t.Skip("the tables are those of plain builds with Go 1.26")
	}
	a := arena.NewArena(64<<10, 0)
	sinkUser = &user{}
	var table strings.Builder
	table.WriteString("| what | allocations | in its place | allocations |\n| --- | ---: | --- | ---: |\n")
	for _, r := range rows {
		left := ""
		if r.arena != nil {
			left = fmt.Sprintf("%.0f", testing.AllocsPerRun(100, func() {
				r.arena(a)
				a.Reset()
			}))
		}
		fmt.Fprintf(&table, "| %s | %.0f | %s | %s |\n", r.what, testing.AllocsPerRun(100, r.heap), r.instead, left)
	}
	testkit.Table(t, "../guide.md", "ways", table.String(), *update)

	table.Reset()
	table.WriteString("| 20 objects with pointers | allocations | bytes |\n| --- | ---: | ---: |\n")
	for _, r := range []struct {
		what string
		make func() *arena.Arena
	}{
		{"on the heap, or with a nil arena", func() *arena.Arena { return nil }},
		{"in an arena that is warm", func() *arena.Arena { a.Reset(); return a }},
		{"in a new `NewArena(4096, 0)`", func() *arena.Arena { return arena.NewArena(4096, 0) }},
	} {
		n, size := count(func() {
			a := r.make()
			for i := range sinkUsers {
				sinkUsers[i] = arena.New[user](a)
			}
		})
		fmt.Fprintf(&table, "| %s | %.0f | %.0f |\n", r.what, n, size)
	}
	testkit.Table(t, "../guide.md", "arenas", table.String(), *update)
}

// count returns the heap allocations of f and their bytes.
func count(f func()) (allocs, size float64) {
	const runs = 100
	for range 4 * runs { // warm, including reviews of retained memory
		f()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	return float64((after.Mallocs - before.Mallocs) / runs), float64((after.TotalAlloc - before.TotalAlloc) / runs)
}
