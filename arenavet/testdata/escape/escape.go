package escape

import (
	"slices"
	"strings"
	"sync"

	"github.com/ebbpool/arena"
)

type Entry struct {
	Path string
	Tags []string
	N    int
	Next *Entry
}

var pool = arena.NewArenaPool(4096, 0)

var last *Entry

var names = map[string]string{}

func returned() *Entry {
	a := pool.Get()
	defer pool.Put(a)
	e := arena.New[Entry](a)
	return e // want `return of e, memory of arena a, which the deferred Put on line 26 takes back: return a deep copy`
}

func returnedString(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return a.AllocString(s) // want `return of memory of arena a, which the deferred Put`
}

func returnedField(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	e := arena.New[Entry](a)
	e.Path = a.AllocString(s)
	return e.Path // want `return of e.Path, memory of arena a`
}

func returnedTrimmed(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return strings.TrimSpace(a.AllocString(s)) // want `return of memory of arena a`
}

func returnedSubslice() []byte {
	a := pool.Get()
	defer pool.Put(a)
	b := a.AllocBytes(100)
	return b[:10] // want `return of b, memory of arena a`
}

func returnedInHeapObject(s string) *Entry {
	a := pool.Get()
	defer pool.Put(a)
	e := &Entry{Path: a.AllocString(s)}
	return e // want `return of memory of arena a`
}

func returnedShallowCopy(s string) Entry {
	a := pool.Get()
	defer pool.Put(a)
	e := arena.New[Entry](a)
	e.Path = a.AllocString(s)
	return *e // want `return of e.Path, memory of arena a`
}

func returnedInterface() any {
	a := pool.Get()
	defer pool.Put(a)
	return arena.New[Entry](a) // want `return of memory of arena a`
}

func returnedAfterPut() *Entry {
	a := pool.Get()
	e := arena.New[Entry](a)
	pool.Put(a)
	return e // want `return of e, memory of arena a, which Put on line 82 has taken back`
}

func returnedInOneBranch(ok bool) *Entry {
	a := pool.Get()
	defer pool.Put(a)
	if ok {
		return arena.New[Entry](a) // want `return of memory of arena a`
	}
	return nil
}

func returnedNamed() (e *Entry, err error) {
	a := pool.Get()
	defer pool.Put(a)
	e = arena.New[Entry](a)
	return e, nil // want `return of e, memory of arena a`
}

func returnedDeferredClosure() *Entry {
	a := pool.Get()
	defer func() {
		pool.Put(a)
	}()
	return arena.New[Entry](a) // want `return of memory of arena a`
}

func returnedClosure() func() int {
	a := pool.Get()
	defer pool.Put(a)
	e := arena.New[Entry](a)
	return func() int { return e.N } // want `return of e, memory of arena a`
}

func returnedParameterArena(a *arena.Arena) []int {
	defer a.Reset()
	return arena.MakeSlice[int](a, 3, 3) // want `return of memory of arena a, which the deferred Reset`
}

func storedInGlobal() {
	a := pool.Get()
	defer pool.Put(a)
	last = arena.New[Entry](a) // want `last, memory of arena a, is stored where it outlives the function, but the deferred Put on line 124 takes back that memory`
}

func storedInMap(key string) {
	a := pool.Get()
	defer pool.Put(a)
	names[key] = a.AllocString(key) // want `is stored where it outlives the function`
}

func storedInField(e *Entry, s string) {
	a := pool.Get()
	defer pool.Put(a)
	e.Path = a.AllocString(s) // want `is stored where it outlives the function`
}

func storedInElement(out []string, s string) {
	a := pool.Get()
	defer pool.Put(a)
	out[0] = a.AllocString(s) // want `is stored where it outlives the function`
}

var cache sync.Map

func storedInSyncMap(key string) {
	a := pool.Get()
	defer pool.Put(a)
	cache.Store(key, arena.New[Entry](a)) // want `is stored where it outlives the function`
}

func sent(ch chan<- *Entry) {
	a := pool.Get()
	defer pool.Put(a)
	ch <- arena.New[Entry](a) // want `memory of arena a is sent on a channel, and the deferred Put`
}

func selected(ch chan<- *Entry) {
	a := pool.Get()
	defer pool.Put(a)
	select {
	case ch <- arena.New[Entry](a): // want `memory of arena a is sent on a channel`
	default:
	}
}

func captured() {
	a := pool.Get()
	defer pool.Put(a)
	e := arena.New[Entry](a)
	go func() { // want `memory of arena a is captured by a goroutine`
		println(e.Path)
	}()
}

func passedToGoroutine() {
	a := pool.Get()
	defer pool.Put(a)
	e := arena.New[Entry](a)
	go show(e) // want `memory of arena a is captured by a goroutine`
}

func show(e *Entry) { println(e.Path) }

func leavesDo(s string) string {
	var out string
	pool.Do(func(a *arena.Arena) {
		out = a.AllocString(s)
	})
	return out // want `return of memory of the arena, which Do on line 189 has taken back`
}

func globalFromDo() {
	pool.Do(func(a *arena.Arena) {
		last = arena.New[Entry](a) // want `is stored where it outlives the function`
	})
}

type server struct {
	last *Entry
}

func (s *server) handle() {
	a := pool.Get()
	defer pool.Put(a)
	e := arena.New[Entry](a)
	s.last = e // want `e, memory of arena a, is stored where it outlives the function`
}

func shallowClone(s string) []string {
	a := pool.Get()
	defer pool.Put(a)
	words := arena.MakeSlice[string](a, 1, 1)
	words[0] = a.AllocString(s)
	return slices.Clone(words) // want `return of memory of arena a`
}

func keepWord(dst *[]*Entry, path string) { *dst = append(*dst, &Entry{Path: path}) }

// The helper puts the text into an object, and that into a slice.
func storedDeep(s string) []*Entry {
	a := pool.Get()
	defer pool.Put(a)
	var out []*Entry
	keepWord(&out, a.AllocString(s))
	return out // want `return of memory of arena a, which the deferred Put`
}

func storedDeepField(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	var out []*Entry
	keepWord(&out, a.AllocString(s))
	return out[0].Path // want `return of memory of arena a, which the deferred Put`
}

// One mistake, though the elements are stored and the slice is, too.
func appendedForCaller(out *[]string, s string) {
	a := pool.Get()
	defer pool.Put(a)
	*out = append(*out, a.AllocString(s)) // want `^memory of arena a is stored where it outlives the function, but the deferred Put on line \d+ takes back that memory`
}

type words struct{ byKind map[string][]string }

func appendedInMap(dst *words, s string) {
	a := pool.Get()
	defer pool.Put(a)
	w := a.AllocString(s)
	dst.byKind["all"] = append(dst.byKind["all"], w) // want `^w, memory of arena a, is stored where`
}

func (w *words) add(s string) {
	w.byKind["all"] = append(w.byKind["all"], s)
}

// The mistake is made where the helper is called.
func addedByHelper(dst *words, s string) {
	a := pool.Get()
	defer pool.Put(a)
	dst.add(a.AllocString(s)) // want `^memory of arena a is stored where`
}

// So it is where the helper stands in another file: its lines are not meant.
func keptByHelper(dst *Entry, s string) {
	a := pool.Get()
	defer pool.Put(a)
	fineKeepName(dst, a.AllocString(s)) // want `^memory of arena a is stored where it outlives the function, but the deferred Put on line \d+ takes back`
}

func someCloned(line string) []string {
	a := pool.Get()
	defer pool.Put(a)
	words := strings.Fields(a.AllocString(line))
	for i := range words {
		if i > 0 {
			words[i] = strings.Clone(words[i])
		}
	}
	return words // want `return of memory of arena a`
}

func allReplaced(line string) []string {
	a := pool.Get()
	defer pool.Put(a)
	words := strings.Fields(line)
	for i := range words {
		words[i] = a.AllocString(words[i])
	}
	return words // want `return of memory of arena a`
}
