// Package arenavar publishes the statistics of pools as variables of package
// expvar, which serves them as JSON at /debug/vars:
//
//	arenavar.Publish("requests", pool)
//
// It is a package of its own because expvar imports net/http and adds its
// handler to http.DefaultServeMux when it is imported: an allocator must not
// open a page in every program that uses it.
package arenavar

import (
	"expvar"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
)

// Publish makes an expvar variable of the pool's statistics: an object with the
// fields of arena.PoolStats, read anew each time. A nil pool panics, and so
// does a name that is taken, as with expvar.Publish. The variable stays, and
// the pool with it, for the life of the program.
func Publish(name string, pool *arena.ArenaPool) {
	if pool == nil {
		panic("arenavar: Publish(" + name + "): the pool is nil; give it one from arena.NewArenaPool or arena.NewAutoPool")
	}
	publish(name, pool.Stats)
}

// PublishFixed is Publish for a pool of fixed capacity, with the fields of
// fixedpool.Stats.
func PublishFixed[T any](name string, pool *fixedpool.SyncPool[T]) {
	if pool == nil {
		panic("arenavar: PublishFixed(" + name + "): the pool is nil; give it one from fixedpool.NewSync")
	}
	publish(name, pool.Stats)
}

func publish[S any](name string, stats func() S) {
	expvar.Publish(name, expvar.Func(func() any { return stats() }))
}
