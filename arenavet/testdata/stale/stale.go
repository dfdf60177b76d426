package stale

import (
	"fmt"
	"strings"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
)

type Entry struct {
	Path string
	N    int
	Next *Entry
}

var pool = arena.NewArenaPool(4096, 0)

func afterReset() {
	a := arena.NewArena(4096, 0)
	e := arena.New[Entry](a)
	a.Reset()
	e.N = 1 // want `use of e, memory of arena a, which Reset on line 22 has taken back: use it before`
}

func readAfterReset(a *arena.Arena) int {
	e := arena.New[Entry](a)
	a.Reset()
	return e.N // want `use of e, memory of arena a, which Reset`
}

func afterRelease(a *arena.Arena) {
	s := a.AllocString("x")
	a.Release()
	fmt.Println(s) // want `use of s, memory of arena a, which Release`
}

func afterPut() byte {
	a := pool.Get()
	b := a.AllocBytes(10)
	pool.Put(a)
	return b[0] // want `use of b, memory of arena a, which Put`
}

func afterRewind(a *arena.Arena) {
	m := a.Mark()
	e := arena.New[Entry](a)
	a.Rewind(m)
	e.N++ // want `use of e, memory of arena a, which Rewind`
}

func onOnePath(a *arena.Arena, full bool) {
	e := arena.New[Entry](a)
	if full {
		a.Reset()
	}
	e.N = 1 // want `use of e, memory of arena a, which Reset`
}

func inALoop(a *arena.Arena, n int) {
	var last *Entry
	for i := range n {
		if last != nil {
			last.N = i // want `use of memory of arena a|use of e, memory of arena a`
		}
		e := arena.New[Entry](a)
		last = e
		a.Reset()
	}
}

func arenaAfterPut() {
	a := pool.Get()
	pool.Put(a)
	a.AllocString("x") // want `use of arena a, which Put on line 74 has taken back: put it after its last use`
}

func throughPointer(a *arena.Arena) string {
	e := arena.New[Entry](a)
	e.Next = arena.New[Entry](a)
	next := e.Next
	a.Reset()
	return next.Path // want `use of e.Next, memory of arena a, which Reset`
}

func inHeapObject(a *arena.Arena) {
	e := &Entry{Path: a.AllocString("x")}
	a.Reset()
	fmt.Println(e) // want `use of memory of arena a, which Reset`
}

func reusedSlice(a *arena.Arena) {
	s := arena.MakeSlice[int](a, 0, 10)
	s = arena.Append(a, s, 1)
	a.Reset()
	s = arena.Append(a, s[:0], 2) // want `use of s, memory of arena a, which Reset`
	_ = s
}

type conn struct {
	a   *arena.Arena
	buf []byte
}

func field(c *conn) {
	c.buf = c.a.AllocBytes(10)
	c.a.Reset()
	c.buf[0] = 1 // want `use of c.buf, memory of arena c.a, which Reset`
}

func slot(p *fixedpool.Pool[Entry]) {
	e := p.Allocate()
	p.Deallocate(e)
	e.N = 1 // want `use of e, a slot of its pool, which Deallocate on line 113 has taken back: deallocate it after its last use`
}

func afterDo() {
	var e *Entry
	pool.Do(func(a *arena.Arena) { e = arena.New[Entry](a) })
	e.N = 1 // want `use of memory of the arena, which Do`
}

func capturedVariable(a *arena.Arena) {
	var e *Entry
	flush := func() { a.Reset() }
	e = arena.New[Entry](a)
	flush()
	e.N = 1 // want `use of e, memory of arena a, which Reset on line 127`
}

func ranged(a *arena.Arena) (n int) {
	s := arena.MakeSlice[int](a, 10, 10)
	a.Reset()
	for _, x := range s { // want `use of s, memory of arena a`
		n += x
	}
	return n
}

func compared(a *arena.Arena) bool {
	s := a.AllocString("x")
	a.Reset()
	return s == "x" // want `use of s, memory of arena a`
}

// Only the index is emptied: the slice still holds what the arena took back.
func halfCleared(a *arena.Arena, w string) int {
	index := map[string]*Entry{}
	var items []*Entry
	e := arena.New[Entry](a)
	index[w] = e
	items = append(items, e)
	clear(index)
	a.Reset()
	return items[0].N // want `use of e, memory of arena a, which Reset`
}

// append(s[:0:0], s...) copies the slice, it does not empty it.
func copied(a *arena.Arena) int {
	items := []*Entry{arena.New[Entry](a)}
	a.Reset()
	items = append(items[:0:0], items...)
	return items[0].N // want `use of memory of arena a, which Reset`
}

// The list is not dropped in the branch that resets: it is read on the next turn.
func listKept(a *arena.Arena, in []int) (sum int) {
	var head *Entry
	for i, x := range in {
		e := arena.New[Entry](a)
		e.N, e.Next = x, head
		head = e
		if i%10 == 9 {
			a.Reset()
		}
	}
	for p := head; p != nil; p = p.Next { // want `use of e, memory of arena a, which Reset`
		sum += p.N // want `use of e, memory of arena a, which Reset`
	}
	return sum
}

// The slice still leads to the elements when their arena is reset in a branch.
func branchKept(a *arena.Arena, done bool) int {
	items := []*Entry{arena.New[Entry](a)}
	if done {
		a.Reset()
	}
	return items[0].N // want `use of memory of arena a, which Reset`
}

// One mistake, though a field of what is stale is stale, too.
func fieldOfStale(a *arena.Arena, s string) {
	e := arena.New[Entry](a)
	e.Path = a.AllocString(s)
	a.Reset()
	fmt.Println(e.Path + "!") // want `use of e, memory of arena a, which Reset`
}

func lateRange(a *arena.Arena, s string) int {
	words := strings.FieldsSeq(a.AllocString(s))
	a.Reset()
	n := 0
	for w := range words { // want `use of memory of arena a, which Reset on line`
		n += len(w)
	}
	return n
}

// Functions that a variable of the package holds.
var handlers = map[string]func(*arena.Arena) int{
	"late": func(a *arena.Arena) int {
		e := arena.New[Entry](a)
		a.Reset()
		return e.N // want `use of e, memory of arena a, which Reset`
	},
	"fine": func(a *arena.Arena) int {
		e := arena.New[Entry](a)
		n := e.N
		a.Reset()
		return n
	},
}
