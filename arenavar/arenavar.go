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
	"reflect"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
)

// Pool is an arena.ArenaPool or an arena.KeyedPool.
type Pool interface{ Stats() arena.PoolStats }

// Publish makes an expvar variable of the pool's statistics: an object with the
// fields of arena.PoolStats, read anew each time. A nil pool panics, and so
// does a name that is taken, as with expvar.Publish. The variable stays, and
// the pool with it, for the life of the program.
func Publish(name string, pool Pool) {
	if pool == nil || reflect.ValueOf(pool).IsZero() {
		panic("arenavar: Publish(" + name + "): nil pool")
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
