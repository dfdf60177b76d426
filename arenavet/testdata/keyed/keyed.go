// Package keyed has the mistakes with an arena of a KeyedPool.
package keyed

import "github.com/ebbpool/arena"

type Entry struct {
	Path string
	Next *Entry
}

var pool = arena.NewKeyedPool[string](0)

func returned(tenant, s string) string {
	a := pool.Get(tenant)
	defer pool.Put(a)
	return a.AllocString(s) // want `return of memory of arena a, which the deferred Put`
}

func usedAfterPut(tenant string) string {
	a := pool.Get(tenant)
	e := arena.New[Entry](a)
	pool.Put(a)
	return e.Path // want `use of e, memory of arena a, which Put`
}

func putTwice(tenant string) {
	a := pool.Get(tenant)
	pool.Put(a)
	pool.Put(a) // want `Put`
}

func notPut(tenant string, fail bool) int {
	a := pool.Get(tenant) // want `Put`
	if fail {
		return 0
	}
	n := len(a.AllocString(tenant))
	pool.Put(a)
	return n
}

func fromDo(tenant string) (e *Entry) {
	pool.Do(tenant, func(a *arena.Arena) { e = arena.New[Entry](a) })
	return e // want `memory of the arena, which Do`
}

func fine(tenant string) (n int) {
	a := pool.Get(tenant)
	defer pool.Put(a)
	pool.Do(tenant, func(b *arena.Arena) { n = len(b.AllocString(tenant)) })
	return n + len(a.AllocString(tenant))
}
