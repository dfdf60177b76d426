// Package arenaotel exports the statistics of arena pools through OpenTelemetry's metrics API:
//
//	registration, err := arenaotel.Observe(otel.Meter("orders"), pool, "requests")
//
// The metrics are those of adapters/prometheus, and have the same names after a collector's conversion:
// ebbpool.in_use, in bytes, becomes ebbpool_in_use_bytes. The SDK's collection reads the statistics, which
// looks at every arena of the pool. Pools do no work between collections.
//
// The API has no asynchronous histogram. The memory used by arenas at Put is exported as two counters:
// ebbpool.put_used, in bytes, and ebbpool.put_used.arenas, the number of arenas that used at most as many
// bytes as the attribute le.
package arenaotel

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"sync"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
)

// Pool is an arena.ArenaPool or an arena.KeyedPool. Keys are not exported.
type Pool interface{ Stats() arena.PoolStats }

// Observe creates instruments for the pool's statistics, with the attribute pool set to name. They are
// observed until the registration's Unregister is called, which also releases the pool. It is an error if the
// meter already observes a pool with this name, because the SDK would add the two. Other errors are the
// meter's. Observe panics if pool is nil.
func Observe(m metric.Meter, pool Pool, name string) (metric.Registration, error) {
	if pool == nil || reflect.ValueOf(pool).IsZero() {
		panic("arenaotel: Observe(" + name + "): nil pool")
	}
	return observe(m, pool.Stats, name)
}

func observe(m metric.Meter, stats func() arena.PoolStats, name string) (metric.Registration, error) {
	o := observer[arena.PoolStats]{meter: m}
	o.counter("gets", "{arena}", "Arenas handed out.", func(s arena.PoolStats) uint64 { return s.Gets })
	o.counter("puts", "{arena}", "Arenas put back.", func(s arena.PoolStats) uint64 { return s.Puts })
	o.counter("misses", "{arena}", "Gets that created an arena.", func(s arena.PoolStats) uint64 { return s.Misses })
	o.counter("forks", "{arena}", "Forks of arenas handed out.", func(s arena.PoolStats) uint64 { return s.Forks })
	o.counter("leaked", "{arena}", "Arenas that were garbage collected without a Put.", func(s arena.PoolStats) uint64 { return s.Leaked })
	o.counter("abandoned", "{arena}", "Arenas left to the collector, because another goroutine may still use them.", func(s arena.PoolStats) uint64 { return s.Abandoned })
	o.counter("guarded", "{arena}", "Gets that returned a guarded arena, to find misuse.", func(s arena.PoolStats) uint64 { return s.Guarded })
	o.counter("used_late", "{arena}", "Arenas that were used after their Put, of pools that isolate requests.", func(s arena.PoolStats) uint64 { return s.UsedLate })
	o.counter("unused", "{arena}", "Arenas that were put back without an allocation.", func(s arena.PoolStats) uint64 { return s.Unused })
	o.counter("no_arena", "{request}", "Requests that never asked for their arena.", func(s arena.PoolStats) uint64 { return s.NoArena })
	o.counter("oversize_chunks", "{chunk}", "Chunks allocated for one large value.", func(s arena.PoolStats) uint64 { return s.Oversize })
	o.counter("dropped_chunks", "{chunk}", "Chunks that arenas released, mostly at Put.", func(s arena.PoolStats) uint64 { return s.Dropped })
	o.counter("dropped", "By", "Bytes of the chunks that arenas released.", func(s arena.PoolStats) uint64 { return s.DroppedBytes })
	o.counter("evicted_keys", "{key}", "Keys whose memory was released for other keys, in a keyed pool.", func(s arena.PoolStats) uint64 { return s.EvictedKeys })
	const refused = "Allocations refused by the limit of an arena or of the pool."
	o.counter("refused", "{allocation}", refused, func(s arena.PoolStats) uint64 { return s.Refused - s.RefusedByTotal }, attribute.String("reason", "arena"))
	o.counter("refused", "{allocation}", refused, func(s arena.PoolStats) uint64 { return s.RefusedByTotal }, attribute.String("reason", "total"))
	o.counter("put_used", "By", "Bytes allocated in an arena and its forks when it is put back.", func(s arena.PoolStats) uint64 { return s.UsedAtPut.Bytes })
	const arenas = "Arenas with at most so many allocated bytes when they are put back."
	for bound := range (arena.UsedBytes{}).Buckets() {
		o.counter("put_used.arenas", "{arena}", arenas, func(s arena.PoolStats) uint64 {
			for b, n := range s.UsedAtPut.Buckets() {
				if b == bound {
					return n
				}
			}
			return 0
		}, attribute.String("le", strconv.Itoa(bound)))
	}
	o.counter("put_used.arenas", "{arena}", arenas, func(s arena.PoolStats) uint64 { return s.UsedAtPut.Count() }, attribute.String("le", "+Inf"))
	o.gauge("arenas", "{arena}", "Arenas that exist.", func(s arena.PoolStats) int { return s.Arenas })
	o.gauge("keys", "{key}", "Keys with memory, in a keyed pool.", func(s arena.PoolStats) int { return s.Keys })
	o.gauge("in_use", "By", "Bytes of the chunks of arenas in use.", func(s arena.PoolStats) int { return s.InUseBytes })
	o.gauge("retained", "By", "Bytes of the chunks of idle arenas, and of cached chunks.", func(s arena.PoolStats) int { return s.RetainedBytes })
	o.gauge("spare", "By", "Bytes of cached chunks that belong to no arena; a part of the retained bytes.", func(s arena.PoolStats) int { return s.SpareBytes })
	o.gauge("high_water", "By", "Peak bytes of the chunks of all arenas in the last minutes.", func(s arena.PoolStats) int { return s.HighWater })
	o.gauge("largest_arena", "By", "Peak bytes of the chunks of one arena and its forks.", func(s arena.PoolStats) int { return s.LargestArena })
	o.gauge("chunk_size", "By", "Size of the first chunk of a new arena.", func(s arena.PoolStats) int { return s.ChunkSize })
	o.gauge("arena_limit", "By", "Limit of an arena and its forks; 0 if there is none.", func(s arena.PoolStats) int { return s.LimitPerArena })
	o.gauge("pool_limit", "By", "Limit of all arenas in use together; 0 if there is none.", func(s arena.PoolStats) int { return s.LimitTotal })
	o.gauge("max_idle", "By", "Limit of the idle memory kept across collections.", func(s arena.PoolStats) int { return s.MaxIdleBytes })
	o.gauge("max_retained", "By", "Limit of the memory kept by one idle arena.", func(s arena.PoolStats) int { return s.MaxRetained })
	for _, mode := range []string{"plain", "isolated", "heap"} {
		o.gauge("mode", "{mode}", "1 for the mode of the arenas that Get returns, 0 for other modes.", func(s arena.PoolStats) int {
			if s.Mode == mode {
				return 1
			}
			return 0
		}, attribute.String("mode", mode))
	}
	return o.register(stats, name, "")
}

// ObserveFixed is like [Observe] for a fixed-capacity pool.
func ObserveFixed[T any](m metric.Meter, pool *fixedpool.SyncPool[T], name string) (metric.Registration, error) {
	if pool == nil {
		panic("arenaotel: ObserveFixed(" + name + "): nil pool")
	}
	o := observer[fixedpool.Stats]{meter: m}
	o.gauge("fixed_slots", "{slot}", "Slots of the pool.", func(s fixedpool.Stats) int { return s.Capacity })
	o.gauge("fixed_used_slots", "{slot}", "Slots in use.", func(s fixedpool.Stats) int { return s.Used })
	o.gauge("fixed_high_water_slots", "{slot}", "Peak number of slots in use.", func(s fixedpool.Stats) int { return s.HighWater })
	o.counter("fixed_misses", "{allocation}", "Allocations that found no free slot.", func(s fixedpool.Stats) uint64 { return s.Misses })
	o.gauge("fixed_in_use", "By", "Bytes of the slots in use.", func(s fixedpool.Stats) int { return s.UsedBytes })
	o.gauge("fixed_retained", "By", "Bytes of the whole pool.", func(s fixedpool.Stats) int { return s.RetainedBytes })
	return o.register(pool.Stats, name, "fixed")
}

// observer creates instruments for statistics of type S, which it reads once per collection.
type observer[S any] struct {
	meter       metric.Meter
	instruments []metric.Observable
	observe     []func(metric.Observer, attribute.KeyValue, S)
	err         error
}

func (o *observer[S]) counter(name, unit, description string, value func(S) uint64, more ...attribute.KeyValue) {
	i, err := o.meter.Int64ObservableCounter("ebbpool."+name, metric.WithUnit(unit), metric.WithDescription(description))
	o.add(i, err, func(s S) int64 { return int64(value(s)) }, more)
}

func (o *observer[S]) gauge(name, unit, description string, value func(S) int, more ...attribute.KeyValue) {
	i, err := o.meter.Int64ObservableGauge("ebbpool."+name, metric.WithUnit(unit), metric.WithDescription(description))
	o.add(i, err, func(s S) int64 { return int64(value(s)) }, more)
}

func (o *observer[S]) add(i metric.Int64Observable, err error, value func(S) int64, more []attribute.KeyValue) {
	o.err = errors.Join(o.err, err)
	o.instruments = append(o.instruments, i)
	o.observe = append(o.observe, func(to metric.Observer, pool attribute.KeyValue, s S) {
		to.ObserveInt64(i, value(s), metric.WithAttributes(append(more, pool)...))
	})
}

// observed holds the registered meters and names.
var observed sync.Map // of key to *registration

type key struct {
	meter      metric.Meter
	kind, name string
}

// registration removes its name at Unregister.
type registration struct {
	metric.Registration
	key key
}

func (r *registration) Unregister() error {
	err := r.Registration.Unregister()
	observed.CompareAndDelete(r.key, r)
	return err
}

// register makes the meter observe all instruments of the pool.
func (o *observer[S]) register(stats func() S, name, kind string) (metric.Registration, error) {
	if o.err != nil {
		return nil, o.err
	}
	mine := &registration{key: key{o.meter, kind, name}}
	_, ignored := o.meter.(noop.Meter) // all no-op meters are equal and export nothing
	if !ignored && reflect.TypeOf(o.meter).Comparable() {
		if _, taken := observed.LoadOrStore(mine.key, mine); taken {
			return nil, fmt.Errorf("arenaotel: Observe: name %q is already observed by this meter", name)
		}
	}
	pool := attribute.String("pool", name)
	var err error
	mine.Registration, err = o.meter.RegisterCallback(func(_ context.Context, to metric.Observer) error {
		s := stats()
		for _, observe := range o.observe {
			observe(to, pool, s)
		}
		return nil
	}, o.instruments...)
	if err != nil {
		observed.CompareAndDelete(mine.key, mine)
		return nil, err
	}
	return mine, nil
}
