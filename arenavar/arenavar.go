// Package arenavar publishes the statistics of pools as variables of package expvar, which serves them as
// JSON at /debug/vars:
//
//	arenavar.Publish("requests", pool)
//
// The package is separate from package arena because importing expvar adds a handler to http.DefaultServeMux.
package arenavar

import (
	"expvar"
	"reflect"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
)

// Pool is an arena.ArenaPool or an arena.KeyedPool.
type Pool interface{ Stats() arena.PoolStats }

// Publish publishes the pool's statistics as an expvar variable: an object with the fields of
// arena.PoolStats, read at each request. It panics if pool is nil or, like expvar.Publish, if the name is in
// use. The variable keeps the pool for the life of the program.
func Publish(name string, pool Pool) {
	if pool == nil || reflect.ValueOf(pool).IsZero() {
		panic("arenavar: Publish(" + name + "): nil pool")
	}
	publish(name, pool.Stats)
}

// PublishFixed is like Publish, for a fixed-capacity pool, with the fields of fixedpool.Stats.
func PublishFixed[T any](name string, pool *fixedpool.SyncPool[T]) {
	if pool == nil {
		panic("arenavar: PublishFixed(" + name + "): nil pool")
	}
	publish(name, pool.Stats)
}

func publish[S any](name string, stats func() S) {
	expvar.Publish(name, expvar.Func(func() any { return stats() }))
}
