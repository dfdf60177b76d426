package collector

import (
	"runtime"
	"unique"
	"weak"

	"example.com/helpers"
	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
)

type Entry struct {
	Path string
	N    int
	Next *Entry
}

var pool = arena.NewArenaPool(4096, 0)

func finalizer(a *arena.Arena) {
	e := arena.New[Entry](a)
	runtime.SetFinalizer(e, func(*Entry) {}) // want `^runtime.SetFinalizer on e, memory of arena a: the runtime ends the program unless the value is the first of its chunk: call the function when the memory is taken back \(https://github.com/ebbpool/arena/blob/main/docs/arenavet.md#collector\)$`
}

// To take a finalizer away is as fatal as to set one.
func noFinalizer(a *arena.Arena) {
	s := arena.MakeSlice[Entry](a, 2, 2)
	runtime.SetFinalizer(&s[1], nil) // want `runtime.SetFinalizer on s, memory of arena a`
}

func finalizerOfOwn() {
	a := arena.NewArena(4096, 0)
	runtime.SetFinalizer(arena.New[Entry](a), func(*Entry) {}) // want `runtime.SetFinalizer on memory of arena a`
}

func (e *Entry) close() {}

func finalizerOfSlot(p *fixedpool.Pool[Entry]) {
	e := p.Allocate()
	runtime.SetFinalizer(e, (*Entry).close) // want `runtime.SetFinalizer on e, a slot of its pool`
}

func cleanup(a *arena.Arena) {
	e := arena.New[Entry](a)
	runtime.AddCleanup(e, func(int) {}, 1) // want `^runtime.AddCleanup on e, memory of arena a: it runs when the whole chunk is garbage, not when the arena takes the value back: call the function then`
}

func cleanupInside(a *arena.Arena) {
	e := arena.New[Entry](a)
	runtime.AddCleanup(&e.N, func(int) {}, 1) // want `runtime.AddCleanup on e, memory of arena a`
}

// What the cleanup is given is used long after the Put.
func cleanupArgument(conn *Entry) {
	a := pool.Get()
	defer pool.Put(a)
	runtime.AddCleanup(conn, func(s string) { println(s) }, a.AllocString("x")) // want `memory of arena a is kept until runtime.AddCleanup runs its function, and the deferred Put on line \d+ takes back that memory`
}

func cleanupCaptured(conn *Entry) {
	a := pool.Get()
	defer pool.Put(a)
	s := a.AllocString("x")
	runtime.SetFinalizer(conn, func(*Entry) { println(s) }) // want `memory of arena a is kept until runtime.SetFinalizer runs its function`
}

func weakPointer(a *arena.Arena) weak.Pointer[Entry] {
	e := arena.New[Entry](a)
	return weak.Make(e) // want `^weak.Make of e, memory of arena a: it returns whatever uses the memory next, as long as the chunk lives: use an object on Go's heap`
}

func weakSlot(p *fixedpool.SyncPool[Entry]) weak.Pointer[Entry] {
	e := p.Allocate()
	return weak.Make(e) // want `weak.Make of e, a slot of its pool`
}

func uniqueInterface(a *arena.Arena) unique.Handle[any] {
	s := a.AllocString("x")
	return unique.Make[any](s) // want `^unique.Make of s, memory of arena a: the value stays in a table of the program, and changes when the memory is used again: pass a copy, or a string, which unique.Make copies`
}

type key struct {
	name string
	of   any
}

func uniqueStruct(a *arena.Arena, n int) unique.Handle[key] {
	of := a.AllocString("x")
	return unique.Make(key{"n", of}) // want `unique.Make of of, memory of arena a`
}

func uniqueStructInInterface(a *arena.Arena) unique.Handle[any] {
	k := key{name: a.AllocString("x")}
	return unique.Make[any](k) // want `unique.Make of memory of arena a|unique.Make of k.name, memory of arena a`
}

func uniquePointer(a *arena.Arena) unique.Handle[*Entry] {
	e := arena.New[Entry](a)
	return unique.Make(e) // want `unique.Make of e, memory of arena a`
}

// On one path only.
func sometimes(a *arena.Arena, debug bool) {
	e := arena.New[Entry](a)
	if debug {
		runtime.SetFinalizer(e, (*Entry).close) // want `runtime.SetFinalizer on e`
	}
}

// Helpers of this package, and of another.

func watch[T any](p *T) { runtime.SetFinalizer(p, nil) }

func deep(e *Entry) { watch(e) }

func inField(h *holder) { weak.Make(h.e) }

type holder struct{ e *Entry }

func intern[T comparable](v T) unique.Handle[T] { return unique.Make(v) }

func throughHelpers(a *arena.Arena) {
	e := arena.New[Entry](a)
	watch(e)                        // want `^watch calls runtime.SetFinalizer on e, memory of arena a`
	deep(e)                         // want `^deep calls runtime.SetFinalizer on e, memory of arena a`
	inField(&holder{e})             // want `^inField calls weak.Make of e, memory of arena a`
	intern[any](a.AllocString("x")) // want `^intern calls unique.Make of memory of arena a`
	intern(key{of: e})              // want `^intern calls unique.Make of e, memory of arena a`
	func() {
		weak.Make(e) // want `^weak.Make of e, memory of arena a`
	}()
	func() { weak.Make(e) }()    // want `^weak.Make of e, memory of arena a`
	helpers.Watch(e)             // want `^Watch calls runtime.SetFinalizer on e, memory of arena a`
	helpers.OnFree(e, func() {}) // want `^OnFree calls runtime.AddCleanup on e, memory of arena a`
	helpers.Weak(e)              // want `^Weak calls weak.Make of e, memory of arena a`
	helpers.Intern[any](e)       // want `^Intern calls unique.Make of e, memory of arena a`
	helpers.InternAny(e)         // want `^InternAny calls unique.Make of e, memory of arena a`
}

// The use is the mistake, and said once.
func staleAlready(a *arena.Arena) {
	e := arena.New[Entry](a)
	a.Reset()
	weak.Make(e) // want `^use of e, memory of arena a, which Reset`
}
