package collector

import (
	"runtime"
	"strings"
	"unique"
	"weak"

	"example.com/helpers"
	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
)

// Objects of Go's heap are the collector's, though they hold arena memory.
func fineHeap(a *arena.Arena) weak.Pointer[Entry] {
	e := &Entry{}
	e.Path = a.AllocString("x")
	runtime.SetFinalizer(e, (*Entry).close)
	runtime.AddCleanup(e, func(int) {}, 1)
	return weak.Make(e)
}

func fineSlice() {
	s := make([]Entry, 4)
	runtime.AddCleanup(&s[1], func(int) {}, 1)
	watch(&s[0])
}

// So are arenas and pools themselves.
func fineArena() *arena.Arena {
	a := arena.NewArena(4096, 0)
	runtime.AddCleanup(a, func(int) {}, 1)
	weak.Make(a)
	unique.Make(a)
	helpers.Weak(a)
	runtime.SetFinalizer(a, (*arena.Arena).Release)
	return a
}

func finePool() {
	p := fixedpool.New[Entry](10)
	weak.Make(p)
	watch(p)
}

type server struct{ a *arena.Arena }

func fineOwner() *server {
	s := &server{a: pool.Get()}
	runtime.AddCleanup(s, func(a *arena.Arena) { pool.Put(a) }, s.a)
	return s
}

// Without an arena the heap serves.
func fineNil() {
	e := arena.New[Entry](nil)
	runtime.SetFinalizer(e, (*Entry).close)
	weak.Make(e)
	helpers.Watch(e)
	var none *arena.Arena
	runtime.AddCleanup(arena.New[Entry](none), func(int) {}, 1)
}

func fineNilBranch(a *arena.Arena) {
	if a == nil {
		runtime.SetFinalizer(arena.New[Entry](a), (*Entry).close)
	}
}

// What the program gets of others is not known to be arena memory: callers say.
func fineParameter(e *Entry, s string) {
	runtime.SetFinalizer(e, (*Entry).close)
	weak.Make(e)
	unique.Make[any](s)
}

func fineCaller() { fineParameter(&Entry{}, "x") }

// unique.Make copies strings, also those in structs and arrays.
func fineUnique(a *arena.Arena, n int) {
	s := a.AllocString("x")
	unique.Make(s)
	unique.Make(struct {
		s string
		n [2]string
		k struct{ s string }
	}{s: s, n: [2]string{s, s}})
	intern(s)
	intern(key{name: s})
	helpers.Intern(s)
	unique.Make[any](strings.Clone(s))
	unique.Make[any](n)
	unique.Make(len(s))
	unique.Make[any](key{name: strings.Clone(s), of: 7})
}

// A handle of it is a copy.
func fineHandle() string {
	a := pool.Get()
	defer pool.Put(a)
	return unique.Make(a.AllocString("x")).Value()
}

func fineNumber(a *arena.Arena) {
	e := arena.New[Entry](a)
	e.N = 7
	unique.Make(e.N)
	runtime.KeepAlive(e)
}

// The cleanup gets a copy, and the deferred Put comes when nothing is kept.
func fineCleanupArgument(conn *Entry) {
	a := pool.Get()
	defer pool.Put(a)
	s := a.AllocString("x")
	runtime.AddCleanup(conn, func(s string) { println(s) }, strings.Clone(s))
	runtime.AddCleanup(conn, func(n int) { println(n) }, len(s))
}

func (e *Entry) Make() {}

// A function of the same name.
func fineOther(a *arena.Arena) { arena.New[Entry](a).Make() }

// A mark is a value of its own.
func fineMark(a *arena.Arena) {
	m := a.Mark()
	weak.Make(&m)
	var of any = m
	runtime.AddCleanup(new(Entry), func(any) {}, of)
	unique.Make(of)
}
