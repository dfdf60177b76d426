package suite

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unique"
	"weak"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
	"github.com/ebbpool/arena/internal/testkit"
)

// These tests check what docs/safety.md says about using the runtime's functions on arena memory: which ones
// end the program, and what the others do. Each case runs in its own process, because fatal errors cannot be
// recovered. If a case ends differently, the page is wrong.

// How a case ends: a fatal error of the runtime, or success.
const (
	notAtBeginning = "fatal error: runtime.SetFinalizer: pointer not at beginning of allocated block"
	finalizerSet   = "fatal error: runtime.SetFinalizer: finalizer already set"
	wentOn         = "it went on"
)

// apiCase is a program and the expected end.
type apiCase struct {
	end string
	run func()
}

type (
	listNode struct {
		text string
		next *listNode
	}
	numbers struct{ n [8]int }
)

func require(ok bool, what string) {
	if !ok {
		panic("not so: " + what)
	}
}

// recovered reports whether f panics.
func recovered(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

// collectUntil runs the collector, and finalizers, until done returns true or some time has passed.
func collectUntil(done func() bool) bool {
	for range 50 {
		runtime.GC()
		time.Sleep(2 * time.Millisecond)
		if done() {
			return true
		}
	}
	return false
}

var collectorCases = map[string]apiCase{
	"SetFinalizer on a later value": {notAtBeginning, func() {
		a := arena.NewArena(4096, 0)
		arena.New[listNode](a)
		runtime.SetFinalizer(arena.New[listNode](a), func(*listNode) {})
	}},
	"SetFinalizer on a later value without pointers": {notAtBeginning, func() {
		a := arena.NewArena(4096, 0)
		arena.New[numbers](a)
		runtime.SetFinalizer(arena.New[numbers](a), func(*numbers) {})
	}},
	"SetFinalizer of nil": {notAtBeginning, func() {
		a := arena.NewArena(4096, 0)
		arena.New[listNode](a)
		runtime.SetFinalizer(arena.New[listNode](a), nil)
	}},
	"SetFinalizer on a later slot": {notAtBeginning, func() {
		p := fixedpool.New[listNode](4)
		for range 4 {
			runtime.SetFinalizer(p.Allocate(), func(*listNode) {})
		}
	}},
	"SetFinalizer on the first value": {wentOn, func() {
		a := arena.NewArena(4096, 0)
		var ran atomic.Int32
		runtime.SetFinalizer(arena.New[listNode](a), func(*listNode) { ran.Add(1) })
		a.Reset()
		require(!collectUntil(func() bool { return ran.Load() > 0 }), "it does not run after Reset")
		a.Release()
		require(collectUntil(func() bool { return ran.Load() > 0 }), "it runs when the chunk is garbage")
	}},
	"SetFinalizer on the first value of two cycles": {finalizerSet, func() {
		a := arena.NewArena(4096, 0)
		runtime.SetFinalizer(arena.New[listNode](a), func(*listNode) {})
		a.Reset()
		runtime.SetFinalizer(arena.New[listNode](a), func(*listNode) {})
	}},
	"SetFinalizer on a small value": {wentOn, func() {
		a := arena.NewArena(4096, 0)
		var ran atomic.Int32
		arena.New[int32](a)
		runtime.SetFinalizer(arena.New[int32](a), func(*int32) { ran.Add(1) })
		a.Reset()
		require(!collectUntil(func() bool { return ran.Load() > 0 }), "it does not run after Reset")
		a.Release()
		require(collectUntil(func() bool { return ran.Load() > 0 }), "it runs when the chunk is garbage")
	}},
	"AddCleanup": {wentOn, func() {
		a := arena.NewArena(4096, 0)
		var ran atomic.Int32
		for range 3 {
			runtime.AddCleanup(arena.New[listNode](a), func(n int32) { ran.Add(n) }, 1)
		}
		a.Reset()
		require(!collectUntil(func() bool { return ran.Load() > 0 }), "it does not run after Reset")
		last := arena.New[listNode](a)
		a.Release()
		require(!collectUntil(func() bool { return ran.Load() > 0 }), "it does not run while there is another value in the chunk")
		runtime.KeepAlive(last)
		last = nil
		require(collectUntil(func() bool { return ran.Load() == 3 }), "all of them run when the chunk is garbage")
	}},
	"AddCleanup with an argument of the same chunk": {wentOn, func() {
		a := arena.NewArena(4096, 0)
		var ran atomic.Int32
		runtime.AddCleanup(arena.New[numbers](a), func(string) { ran.Add(1) }, a.AllocString("of the same chunk"))
		a.Release()
		require(!collectUntil(func() bool { return ran.Load() > 0 }), "it never runs")
	}},
	"AddCleanup on a slot": {wentOn, func() {
		p := fixedpool.New[listNode](2)
		var ran atomic.Int32
		x := p.Allocate()
		runtime.AddCleanup(x, func(n int32) { ran.Add(n) }, 1)
		p.Deallocate(x)
		require(!collectUntil(func() bool { return ran.Load() > 0 }), "it does not run while there is the pool")
		runtime.KeepAlive(p)
		require(collectUntil(func() bool { return ran.Load() > 0 }), "it runs when the pool is garbage")
	}},
	"AddCleanup and weak.Make on arenas": {wentOn, func() {
		var ran atomic.Int32
		w := func() weak.Pointer[arena.Arena] {
			a := arena.NewArena(4096, 0)
			arena.New[listNode](a)
			runtime.AddCleanup(a, func(n int32) { ran.Add(n) }, 1)
			return weak.Make(a)
		}()
		require(collectUntil(func() bool { return ran.Load() == 1 && w.Value() == nil }), "they work as always")
	}},
	"weak.Make": {wentOn, func() {
		a := arena.NewArena(4096, 0)
		arena.New[listNode](a)
		x := arena.New[listNode](a)
		x.text = "the first owner's"
		w := weak.Make(x)
		x = nil
		a.Reset()
		runtime.GC()
		require(w.Value() != nil, "it is there after Reset")
		arena.New[listNode](a)
		arena.New[listNode](a).text = "the next owner's"
		require(w.Value().text == "the next owner's", "it is the next owner's")
		a.Release()
		require(collectUntil(func() bool { return w.Value() == nil }), "it is gone with the chunk")
	}},
	"weak.Make of a slot": {wentOn, func() {
		p := fixedpool.New[listNode](1)
		x := p.Allocate()
		w := weak.Make(x)
		p.Deallocate(x)
		require(w.Value() == p.Allocate(), "it is the next owner's")
	}},
	"unique.Make of an interface": {wentOn, func() {
		a := arena.NewArena(1<<20, 0)
		var handles []unique.Handle[any]
		for i := range 200 {
			handles = append(handles, unique.Make[any](a.AllocString(fmt.Sprint("first ", 100+i))))
			require(handles[i] == unique.Make[any](fmt.Sprint("first ", 100+i)), "equal values have one handle")
		}
		a.Reset()
		two := 0
		for i := range 200 {
			next := fmt.Sprint("other ", 100+i)
			a.AllocString(next)
			require(handles[i].Value() == next, "it is the next owner's")
			require(handles[i] != unique.Make[any](fmt.Sprint("first ", 100+i)), "a value has another handle than before")
			if handles[i] != unique.Make[any](next) {
				two++ // except pairs that share a place in the table by chance
			}
		}
		require(two > 100, "equal values have two handles")
	}},
	"unique.Make of a struct with an interface": {wentOn, func() {
		a := arena.NewArena(4096, 0)
		h := unique.Make(struct{ of any }{a.AllocString("first")})
		a.Reset()
		a.AllocString("other")
		require(h.Value().of == "other", "it is the next owner's")
	}},
	"unique.Make keeps the chunk": {wentOn, func() {
		var chunk weak.Pointer[numbers]
		h := func() unique.Handle[any] {
			a := arena.NewArena(1<<16, 0)
			chunk = weak.Make(arena.New[numbers](a))
			return unique.Make[any](a.AllocString("in the same chunk"))
		}()
		gone := func() bool { return chunk.Value() == nil }
		require(!collectUntil(gone), "the chunk stays while there is a handle")
		runtime.KeepAlive(h)
		require(collectUntil(gone), "the chunk goes when there is none")
	}},
	"unique.Make of a string": {wentOn, func() {
		type pair struct {
			text string
			list [2]string
		}
		a := arena.NewArena(4096, 0)
		text := a.AllocString("the first owner's")
		h, p := unique.Make(text), unique.Make(pair{text, [2]string{text, text}})
		a.Reset()
		a.AllocString("THE NEXT OWNER'S!")
		require(h.Value() == "the first owner's" && h == unique.Make("the first owner's"), "it is a copy")
		require(p.Value() == pair{h.Value(), [2]string{h.Value(), h.Value()}}, "so are those in structs and arrays")
	}},
}

func TestCollectorAPIOnArenaMemory(t *testing.T) {
	testAPI(t, "TestCollectorAPIOnArenaMemory", collectorCases)
}

func testAPI(t *testing.T, test string, cases map[string]apiCase) {
	const child = "EBBPOOL_TEST_API"
	if name := os.Getenv(child); name != "" {
		cases[name].run()
		fmt.Println(wentOn)
		os.Exit(0)
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			cmd := testkit.Self(t.Context(), t, "-test.run=^"+test+"$")
			// The page describes plain builds; with checks, no memory is reused.
			cmd.Env = append(os.Environ(), child+"="+name, "EBBPOOL_CHECKED=off", "GORACE=atexit_sleep_ms=0")
			out, err := cmd.CombinedOutput()
			if !strings.Contains(string(out), c.end) || (err == nil) != (c.end == wentOn) {
				t.Errorf("it should end with %q, but: %v\n%s", c.end, err, out)
			}
		})
	}
}
