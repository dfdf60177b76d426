//go:build go1.27

// Package methods has the generic methods of an Arena, which stand for the functions.
package methods

import (
	"iter"

	"github.com/ebbpool/arena"
)

type Entry struct {
	Path string
	Next *Entry
}

var pool = arena.NewArenaPool(4096, 0)

func returnsNew() *Entry {
	a := pool.Get()
	defer pool.Put(a)
	return a.New[Entry]() // want `return of memory of arena a, which the deferred Put`
}

func returnsNewOf() *Entry {
	a := pool.Get()
	defer pool.Put(a)
	return a.NewOf(Entry{}) // want `return of memory of arena a`
}

func returnsPart(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	e := a.NewOf(Entry{Path: a.AllocString(s)})
	return e.Path // want `return of memory of arena a`
}

func returnsBoxOf(n int) any {
	a := pool.Get()
	defer pool.Put(a)
	return a.BoxOf(n) // want `return of memory of arena a`
}

func returnsMakeSlice() []string {
	a := pool.Get()
	defer pool.Put(a)
	return a.MakeSlice[string](1, 1) // want `return of memory of arena a`
}

func returnsMakeSliceUninit() []byte {
	a := pool.Get()
	defer pool.Put(a)
	return a.MakeSliceUninit[byte](1, 1) // want `return of memory of arena a`
}

func returnsAppend(s []int) []int {
	a := pool.Get()
	defer pool.Put(a)
	return a.Append(s, 1) // want `return of memory of arena a`
}

func returnsSliceOf() []int {
	a := pool.Get()
	defer pool.Put(a)
	return a.SliceOf(1, 2) // want `return of memory of arena a`
}

func returnsCloneSlice(s []int) []int {
	a := pool.Get()
	defer pool.Put(a)
	return a.CloneSlice(s) // want `return of memory of arena a`
}

func returnsCollect(seq iter.Seq[int]) []int {
	a := pool.Get()
	defer pool.Put(a)
	return a.Collect(seq) // want `return of memory of arena a`
}

func returnsNewMap() *arena.Map[string, int] {
	a := pool.Get()
	defer pool.Put(a)
	return a.NewMap[string, int](0) // want `return of memory of arena a`
}

func returnsAllocatorFor() *Entry {
	a := pool.Get()
	defer pool.Put(a)
	entries := a.AllocatorFor[Entry]()
	return entries.New() // want `return of memory of arena a`
}

func usesAfterReset(a *arena.Arena) string {
	e := a.New[Entry]()
	a.Reset()
	return e.Path // want `use of e, memory of arena a, which Reset`
}

func fineEscape(s string) *Entry {
	a := pool.Get()
	defer pool.Put(a)
	return a.Escape(a.NewOf(Entry{Path: a.AllocString(s)}))
}

func fineNumbers() int {
	a := pool.Get()
	defer pool.Put(a)
	return len(a.Append(a.MakeSlice[int](0, 4), 1, 2))
}

type Named struct {
	Entry
	Count int
}

// Path is a field of the embedded Entry.
func returnsPromoted(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	n := Named{Count: 1, Path: a.AllocString(s)}
	return n.Path // want `return of memory of arena a`
}

func finePromoted(s string) int {
	a := pool.Get()
	defer pool.Put(a)
	n := Named{Count: 1, Path: a.AllocString(s)}
	return n.Count
}
