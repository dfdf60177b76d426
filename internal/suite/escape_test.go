package suite

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

// escaped escapes v, resets the arena and overwrites its memory.
func escaped[T any](a *arena.Arena, v T) T {
	c := arena.Escape(a, v)
	a.Reset()
	dirtyArena(a)
	return c
}

func TestEscapeOfWhatLeadsNowhere(t *testing.T) {
	a := arena.NewArena(1000, 0)
	text := a.AllocString("in the arena")
	if got := arena.Escape(nil, text); unsafe.StringData(got) != unsafe.StringData(text) {
		t.Error("a nil arena's string was copied")
	}
	heap := []int{1, 2, 3}
	if got := arena.Escape(a, heap[:2]); &got[0] != &heap[0] || cap(got) != 3 {
		t.Error("a slice of the heap was copied, or cut")
	}
	if arena.Escape(a, 7) != 7 || arena.Escape(a, [2]float64{1, 2}) != [2]float64{1, 2} || arena.Escape(a, struct{}{}) != struct{}{} {
		t.Error("numbers have changed")
	}
	if arena.Escape[any](a, nil) != nil || arena.Escape[*int](a, nil) != nil || arena.Escape[[]int](a, nil) != nil ||
		arena.Escape[map[string]*int](a, nil) != nil || arena.Escape[func()](a, nil) != nil || arena.Escape[*arena.Map[int, int]](a, nil) != nil {
		t.Error("nil is something")
	}
	other := arena.NewArena(1000, 0)
	p := arena.NewOf(other, "not a's")
	if arena.Escape(a, p) != p {
		t.Error("a value of another arena was copied")
	}
}

// Escape allocates as many objects as a careful copy by hand.
func TestEscapeAllocates(t *testing.T) {
	type node struct {
		name string
		kids []*node
		held any
	}
	a := arena.NewArena(4096, 0)
	n := arena.NewOf(a, node{name: a.AllocString("root")})
	n.kids = arena.SliceOf(a, arena.NewOf(a, node{}), n)
	n.kids[0].held = n
	n.kids[0].name = a.AllocString("kid")
	tests := map[string]struct {
		escape func()
		want   float64
	}{
		"a tree of two, a slice and two strings": {func() { sinkAny = arena.Escape(a, n) }, 5},
		"a string":                               {func() { sinkName = arena.Escape(a, n.name) }, 1},
		"a slice of pointers":                    {func() { sinkNodes = len(arena.Escape(a, n.kids)) }, 5},
		"a struct of the heap":                   {func() { sinkName = arena.Escape(a, node{name: "heap"}).name }, 0},
		"a number":                               {func() { sinkNodes = arena.Escape(a, 5) }, 0},
		"a nil arena":                            {func() { sinkName = arena.Escape(nil, n).name }, 0},
	}
	for name, test := range tests {
		if check.On || check.Race || check.ASan || !machine.LayoutOK || testing.CoverMode() != "" {
			t.Skip("the allocations of the plain build are counted")
		}
		test.escape()
		if got := testing.AllocsPerRun(50, test.escape); got != test.want {
			t.Errorf("%s: %v allocations, want %v", name, got, test.want)
		}
	}
}

var (
	sinkAny   any
	sinkName  string
	sinkNodes int
)

// A list of a million values must not need a million stack frames, with or without a pre-scan.
func TestEscapeOfLongLists(t *testing.T) {
	type link struct {
		next *link
		part *int32
		n    int32
		some map[string]*link
		box  any
	}
	type boxed struct{ next any }
	length, boxes := 1_000_000, 10_000
	if testing.Short() || check.On || testkit.Emulated() {
		length = 30_000
	}
	a := arena.NewArena(1<<20, 1<<30)
	for _, kind := range []string{"simple", "overlapping", "maps"} {
		var head *link
		var box any = "end"
		if kind != "simple" {
			length = min(length, 200_000)
		}
		for i := range length {
			x := arena.New[link](a)
			x.next, head = head, x
			x.n = int32(i)
			switch {
			case kind == "overlapping":
				x.part = &x.n
			case kind == "maps" && i < boxes:
				x.some = map[string]*link{"next": x.next}
				box = boxed{box}
				x.box = box
			}
		}
		head = arena.Escape(a, head)
		a.Reset()
		n := 0
		for x := head; x != nil; x = x.next {
			n++
			if x.n != int32(length-n) || x.part != nil && x.part != &x.n || x.some != nil && x.some["next"] != x.next {
				t.Fatalf("%s: value %d is %+v", kind, n, *x)
			}
		}
		if n != length {
			t.Errorf("%s: %d values of %d", kind, n, length)
		}
	}
}

// Shared values must stay shared, in number of copies and in time.
func TestEscapeKeepsSharing(t *testing.T) {
	type token struct {
		rest string
		held any
	}
	type both struct{ a, b any }
	a := arena.NewArena(1<<16, 0)
	source := a.AllocString(strings.Repeat("a text of many words ", 1000))
	var tokens []token
	for i := range 1000 {
		tokens = arena.Append(a, tokens, token{rest: source[i*7:]})
	}
	var x any = a.AllocString("twice")
	depth := 40 // 2^40 paths lead to the string
	for range depth {
		x = both{x, x}
	}
	tokens[0].held = x
	before := bytesMade()
	tokens = escaped(a, tokens)
	if grown := bytesMade() - before; grown > 1<<20 && !check.On {
		t.Errorf("1000 parts of 21 KB took %d bytes", grown)
	}
	if tokens[3].rest[:10] != "a text of many words "[0:10] && !strings.HasPrefix(strings.Repeat("a text of many words ", 4)[21:], tokens[3].rest[:10]) {
		t.Errorf("%q", tokens[3].rest[:10])
	}
	if unsafe.StringData(tokens[1].rest) != unsafe.StringData(tokens[0].rest[7:]) {
		t.Error("long strings do not share their bytes any more")
	}
	for range depth {
		x = tokens[0].held.(both).a
		tokens[0].held = x
	}
	if x != "twice" {
		t.Errorf("%v", x)
	}
}

func bytesMade() int {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.TotalAlloc)
}

// Empty values that are not nil stay so, and do not refer to the arena.
func TestEscapeOfEmptyValues(t *testing.T) {
	type empties struct {
		bytes []byte
		text  string
		nodes []*int
		zeros []struct{}
		none  *struct{}
		n     int
		last  struct{}
		after [2]string
	}
	a := arena.NewArena(1000, 0)
	e := arena.New[empties](a)
	e.bytes, e.text, e.nodes = a.AllocBytes(10)[:0], a.AllocString("abc")[:0], arena.MakeSlice[*int](a, 0, 4)
	e.none = &e.last
	e.zeros = unsafe.Slice(&e.last, 5)
	was := *e
	c := escaped(a, e)
	if c.bytes == nil || cap(c.bytes) != 0 || c.nodes == nil || cap(c.nodes) != 0 || c.text != "" || len(c.zeros) != 5 || c.none == nil {
		t.Errorf("%+v", c)
	}
	if c.none == was.none || unsafe.SliceData(c.zeros) == was.none || unsafe.SliceData(c.bytes) == unsafe.SliceData(was.bytes) {
		t.Error("an empty value keeps the arena's memory alive")
	}
}

// Copies of this package's types that refer to their arena use the heap from then on.
func TestEscapeOfOwnTypes(t *testing.T) {
	type holder struct {
		byText  *arena.Map[string, []byte]
		byAddr  *arena.Map[*holder, int]
		byAny   *arena.Map[any, string]
		within  arena.Map[int, string] // never initialized
		text    *arena.Buffer
		array   [7]*arena.Map[int, int]
		largest *arena.Map[int, int]
		at      *string
	}
	a := arena.NewArena(1000, 0)
	h := arena.New[holder](a)
	h.byText = arena.NewMap[string, []byte](a, 0)
	h.byAddr = arena.NewMap[*holder, int](a, 0)
	h.byAny = arena.NewMap[any, string](a, 0)
	in := arena.NewMap[int, string](a, 0)
	h.largest = arena.NewMap[int, int](a, 0)
	for i := range 100 {
		b := a.AllocBytes(3)
		b[0] = byte(i)
		h.byText.Set(a.AllocString(testkit.HeapText(uint64(i))), b)
		h.byAddr.Set(arena.New[holder](a), i)
		h.byAny.Set(a.AllocString(testkit.HeapText(uint64(i))), a.AllocString("a string"))
		in.Set(i, a.AllocString("within"))
		h.largest.Set(i, i)
	}
	h.byAddr.Set(h, -1)
	h.byAny.Set(h, "itself")
	h.at = in.Ptr(5)
	h.array[6] = h.largest
	h.text = arena.NewBuffer(a, 0)
	h.text.WriteString("some text")
	for range h.byAddr.All() {
		h = arena.Escape(a, h) // during a walk
		break
	}
	a.Reset()
	dirtyArena(a)
	if h.byText.Len() != 100 || h.byAddr.Len() != 101 || h.byAny.Len() != 101 || h.largest.Len() != 100 {
		t.Fatal("entries are missing")
	}
	for i := range 100 {
		text := testkit.HeapText(uint64(i))
		b, _ := h.byText.Get(text)
		if s, _ := h.byAny.Get(text); len(b) != 3 || b[0] != byte(i) || s != "a string" {
			t.Fatalf("%d: %v %q", i, b, s)
		}
		if n, _ := h.array[6].Get(i); n != i {
			t.Fatalf("%d: %d", i, n)
		}
	}
	if n, ok := h.byAddr.Get(h); !ok || n != -1 {
		t.Errorf("the holder is not found: %d", n)
	}
	if s, ok := h.byAny.Get(h); !ok || s != "itself" {
		t.Errorf("the holder is not found: %q", s)
	}
	if *h.at != "within" {
		t.Errorf("a value that Ptr returned is %q", *h.at)
	}
	used := a.Stats().UsedBytes
	for i := range 1000 { // must not allocate from the arena
		h.byText.Set(testkit.HeapText(uint64(i)), nil)
		h.byAddr.Set(new(holder), i)
		h.byAny.Set(i, "new")
		h.largest.Set(i, i)
		h.text.WriteString("more")
	}
	if a.Stats().UsedBytes != used {
		t.Error("a copy takes from the arena")
	}
	if h.array[6] != h.largest || h.largest.Len() != 1000 || !strings.HasPrefix(h.text.String(), "some textmore") {
		t.Error("a copy is not what it was")
	}
}

// Types of the standard library are copied like others.
func TestEscapeOfUsualTypes(t *testing.T) {
	type usual struct {
		when  time.Time
		lock  sync.Mutex
		text  strings.Builder
		count atomic.Int64
		done  chan int
		f     func() string
		err   error
	}
	a := arena.NewArena(1000, 0)
	u := arena.New[usual](a)
	u.when = time.Unix(1, 2).UTC()
	u.text.WriteString("built")
	u.count.Store(5)
	u.done = make(chan int, 1)
	text := "captured"
	u.f = func() string { return text }
	u.err = &time.ParseError{Layout: a.AllocString("a layout"), Value: "heap"}
	if check.On {
		testkit.WantPanic(t, func() { arena.Escape(a, u) }, "v.err.(*time.ParseError).Layout lies in the arena", "v.err.(*time.ParseError), which")
	}
	u.err = arena.NewOf(a, time.ParseError{Layout: a.AllocString("a layout"), Value: "heap"})
	c := escaped(a, u)
	c.text.WriteString(" more") // panics if it was copied by value
	if c.text.String() != "built more" || c.count.Load() != 5 || c.f() != "captured" || !c.when.Equal(time.Unix(1, 2)) {
		t.Errorf("%+v", c)
	}
	if e := c.err.(*time.ParseError); e.Layout != "a layout" {
		t.Errorf("%+v", e)
	}
	c.lock.Lock()
	c.done <- 1
}
