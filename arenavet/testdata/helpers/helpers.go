// Package helpers is what package facts calls: everything is known of it by
// facts alone.
package helpers

import (
	"runtime"
	"strings"
	"sync"
	"unique"
	"weak"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
)

var Pool = arena.NewArenaPool(4096, 0)

var Last *Entry

type Entry struct {
	Path string
	Next *Entry
}

func Parse(a *arena.Arena, path string) *Entry { // want Parse:"2 flows, 0 writes, 1 effects"
	e := arena.New[Entry](a)
	e.Path = a.AllocString(path)
	return e
}

func ParseHeap(a *arena.Arena, path string) *Entry { // want ParseHeap:"0 flows, 0 writes, 1 effects"
	e := arena.New[Entry](a)
	e.Path = path
	return &Entry{Path: strings.Clone(e.Path)}
}

func FirstWord(s string) string { // want FirstWord:"1 flows, 0 writes, 0 effects"
	if i := strings.IndexByte(s, ' '); i >= 0 {
		return s[:i]
	}
	return s
}

func Clone(e *Entry) *Entry { return &Entry{Path: strings.Clone(e.Path)} }

func Keep(e *Entry) { Last = e } // want Keep:"0 flows, 1 writes, 0 effects"

func Empty(a *arena.Arena) { a.Reset() } // want Empty:"0 flows, 0 writes, 2 effects"

func Begin() *arena.Arena { return Pool.Get() } // want Begin:"1 flows, 0 writes, 0 effects"

func End(a *arena.Arena) { Pool.Put(a) } // want End:"0 flows, 0 writes, 1 effects"

func Background(wg *sync.WaitGroup, a *arena.Arena) { // want Background:"0 flows, 0 writes, 1 effects"
	wg.Go(func() { // want `arena a is used by this goroutine`
		a.AllocString("x")
	})
}

func Start(wg *sync.WaitGroup, f func()) { // want Start:"0 flows, 0 writes, 1 effects"
	wg.Add(1)
	go func() {
		defer wg.Done()
		f()
	}()
}

func Send(ch chan *Entry, e *Entry) { ch <- e } // want Send:"0 flows, 0 writes, 1 effects"

func Identity[T any](x T) T { return x } // want Identity:"1 flows, 0 writes, 0 effects"

type Request struct {
	A    *arena.Arena
	Name string
}

func (r *Request) SetName(s string) { r.Name = r.A.AllocString(s) } // want SetName:"0 flows, 1 writes, 1 effects"

func (r *Request) Title() string { return r.Name } // want Title:"1 flows, 0 writes, 0 effects"

func (r *Request) Close() { // want Close:"0 flows, 1 writes, 1 effects"
	Pool.Put(r.A)
	r.A = nil
}

func Open() *Request { return &Request{A: Pool.Get()} } // want Open:"1 flows, 0 writes, 0 effects"

func Watch(x any) { runtime.SetFinalizer(x, nil) } // want Watch:"0 flows, 0 writes, 2 effects"

func OnFree[T any](p *T, f func()) { // want OnFree:"0 flows, 0 writes, 4 effects"
	runtime.AddCleanup(p, func(f func()) { f() }, f)
}

func Weak[T any](p *T) weak.Pointer[T] { return weak.Make(p) } // want Weak:"0 flows, 0 writes, 1 effects"

func Intern[T comparable](v T) unique.Handle[T] { return unique.Make(v) } // want Intern:"0 flows, 0 writes, 1 effects"

func InternAny(v any) unique.Handle[any] { return unique.Make(v) } // want InternAny:"0 flows, 0 writes, 1 effects"

// Session may lie in its own arena.
type Session struct {
	mu    sync.Mutex
	Arena *arena.Arena
}

func (s *Session) Unlock() { s.mu.Unlock() } // want Unlock:"0 flows, 0 writes, 0 effects"

// Guard holds what it unlocks.
type Guard struct{ Mutex *sync.Mutex }

func (g *Guard) Unlock() { g.Mutex.Unlock() } // want Unlock:"0 flows, 0 writes, 0 effects"

func (s *Session) Close() { // want Close:"0 flows, 0 writes, 1 effects"
	s.mu.Lock()
	defer s.mu.Unlock()
	Pool.Put(s.Arena)
}

// What other packages know of the cleanup is that there is one.
func Lease() (*arena.Arena, func()) { // want Lease:"1 flows, 0 writes, 0 effects"
	a := Pool.Get()
	return a, func() { Pool.Put(a) }
}

// Decode fills what v leads to, for its callers to know.
func Decode(a *arena.Arena, data []byte, v any) error { // want Decode:"0 flows, 0 writes, 2 effects"
	return arenajson.Unmarshal(a, data, v)
}
