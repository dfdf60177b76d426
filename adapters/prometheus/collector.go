// Package arenaprom is a Prometheus collector for arena pools:
//
//	prometheus.MustRegister(arenaprom.NewPoolCollector(pool, "requests"))
//
// Statistics are read when Prometheus collects, which looks at every arena of the pool. Pools do no work
// between collections. An arena outside a pool has no metrics.
package arenaprom

import (
	"reflect"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
	"github.com/prometheus/client_golang/prometheus"
)

// Pool is an arena.ArenaPool or an arena.KeyedPool. Keys are not exported.
type Pool interface{ Stats() arena.PoolStats }

// NewPoolCollector returns a collector of the pool's statistics. All metrics have the label pool with the
// value name, so two pools in one registry need two names. NewPoolCollector panics if pool is nil.
func NewPoolCollector(pool Pool, name string) prometheus.Collector {
	if pool == nil || reflect.ValueOf(pool).IsZero() {
		panic("arenaprom: NewPoolCollector(" + name + "): nil pool")
	}
	c := &collector[arena.PoolStats]{stats: pool.Stats}
	add := c.adder(name)
	counter, gauge := prometheus.CounterValue, prometheus.GaugeValue
	add(counter, "gets_total", "Arenas handed out.", func(s arena.PoolStats) float64 { return float64(s.Gets) })
	add(counter, "puts_total", "Arenas put back.", func(s arena.PoolStats) float64 { return float64(s.Puts) })
	add(counter, "misses_total", "Gets that created an arena.", func(s arena.PoolStats) float64 { return float64(s.Misses) })
	add(counter, "forks_total", "Forks of arenas handed out.", func(s arena.PoolStats) float64 { return float64(s.Forks) })
	add(counter, "leaked_total", "Arenas that were garbage collected without a Put.", func(s arena.PoolStats) float64 { return float64(s.Leaked) })
	add(counter, "abandoned_total", "Arenas left to the collector, because another goroutine may still use them.", func(s arena.PoolStats) float64 { return float64(s.Abandoned) })
	add(counter, "guarded_total", "Gets that returned a guarded arena, to find misuse.", func(s arena.PoolStats) float64 { return float64(s.Guarded) })
	add(counter, "used_late_total", "Arenas that were used after their Put, of pools that isolate requests.", func(s arena.PoolStats) float64 { return float64(s.UsedLate) })
	add(counter, "unused_total", "Arenas that were put back without an allocation.", func(s arena.PoolStats) float64 { return float64(s.Unused) })
	add(counter, "no_arena_total", "Requests that never asked for their arena.", func(s arena.PoolStats) float64 { return float64(s.NoArena) })
	add(counter, "oversize_chunks_total", "Chunks allocated for one large value.", func(s arena.PoolStats) float64 { return float64(s.Oversize) })
	add(counter, "dropped_chunks_total", "Chunks that arenas released, mostly at Put.", func(s arena.PoolStats) float64 { return float64(s.Dropped) })
	add(counter, "dropped_bytes_total", "Bytes of the chunks that arenas released.", func(s arena.PoolStats) float64 { return float64(s.DroppedBytes) })
	add(counter, "evicted_keys_total", "Keys whose memory was released for other keys, in a keyed pool.", func(s arena.PoolStats) float64 { return float64(s.EvictedKeys) })
	const refused = "Allocations refused by the limit of an arena or of the pool."
	add(counter, "refused_total", refused, func(s arena.PoolStats) float64 { return float64(s.Refused - s.RefusedByTotal) }, "reason", "arena")
	add(counter, "refused_total", refused, func(s arena.PoolStats) float64 { return float64(s.RefusedByTotal) }, "reason", "total")
	add(gauge, "arenas", "Arenas that exist.", func(s arena.PoolStats) float64 { return float64(s.Arenas) })
	add(gauge, "keys", "Keys with memory, in a keyed pool.", func(s arena.PoolStats) float64 { return float64(s.Keys) })
	add(gauge, "in_use_bytes", "Bytes of the chunks of arenas in use.", func(s arena.PoolStats) float64 { return float64(s.InUseBytes) })
	add(gauge, "retained_bytes", "Bytes of the chunks of idle arenas, and of cached chunks.", func(s arena.PoolStats) float64 { return float64(s.RetainedBytes) })
	add(gauge, "spare_bytes", "Bytes of cached chunks that belong to no arena; a part of the retained bytes.", func(s arena.PoolStats) float64 { return float64(s.SpareBytes) })
	add(gauge, "high_water_bytes", "Peak bytes of the chunks of all arenas in the last minutes.", func(s arena.PoolStats) float64 { return float64(s.HighWater) })
	add(gauge, "largest_arena_bytes", "Peak bytes of the chunks of one arena and its forks.", func(s arena.PoolStats) float64 { return float64(s.LargestArena) })
	add(gauge, "chunk_size_bytes", "Size of the first chunk of a new arena.", func(s arena.PoolStats) float64 { return float64(s.ChunkSize) })
	add(gauge, "arena_limit_bytes", "Limit of an arena and its forks; 0 if there is none.", func(s arena.PoolStats) float64 { return float64(s.LimitPerArena) })
	add(gauge, "pool_limit_bytes", "Limit of all arenas in use together; 0 if there is none.", func(s arena.PoolStats) float64 { return float64(s.LimitTotal) })
	add(gauge, "max_idle_bytes", "Limit of the idle memory kept across collections.", func(s arena.PoolStats) float64 { return float64(s.MaxIdleBytes) })
	add(gauge, "max_retained_bytes", "Limit of the memory kept by one idle arena.", func(s arena.PoolStats) float64 { return float64(s.MaxRetained) })
	for _, mode := range []string{"plain", "isolated", "heap"} {
		add(gauge, "mode", "1 for the mode of the arenas that Get returns, 0 for other modes.", func(s arena.PoolStats) float64 {
			if s.Mode == mode {
				return 1
			}
			return 0
		}, "mode", mode)
	}
	c.add("put_used_bytes", "Bytes allocated in an arena and its forks when it is put back.", prometheus.Labels{"pool": name}, func(d *prometheus.Desc, s arena.PoolStats) prometheus.Metric {
		buckets := map[float64]uint64{}
		for bound, n := range s.UsedAtPut.Buckets() {
			buckets[float64(bound)] = n
		}
		return prometheus.MustNewConstHistogram(d, s.UsedAtPut.Count(), float64(s.UsedAtPut.Bytes), buckets)
	})
	return c
}

// NewFixedPoolCollector is like [NewPoolCollector] for a fixed-capacity pool.
func NewFixedPoolCollector[T any](pool *fixedpool.SyncPool[T], name string) prometheus.Collector {
	if pool == nil {
		panic("arenaprom: NewFixedPoolCollector(" + name + "): nil pool")
	}
	c := &collector[fixedpool.Stats]{stats: pool.Stats}
	add := c.adder(name)
	counter, gauge := prometheus.CounterValue, prometheus.GaugeValue
	add(gauge, "fixed_slots", "Slots of the pool.", func(s fixedpool.Stats) float64 { return float64(s.Capacity) })
	add(gauge, "fixed_used_slots", "Slots in use.", func(s fixedpool.Stats) float64 { return float64(s.Used) })
	add(gauge, "fixed_high_water_slots", "Peak number of slots in use.", func(s fixedpool.Stats) float64 { return float64(s.HighWater) })
	add(counter, "fixed_misses_total", "Allocations that found no free slot.", func(s fixedpool.Stats) float64 { return float64(s.Misses) })
	add(gauge, "fixed_in_use_bytes", "Bytes of the slots in use.", func(s fixedpool.Stats) float64 { return float64(s.UsedBytes) })
	add(gauge, "fixed_retained_bytes", "Bytes of the whole pool.", func(s fixedpool.Stats) float64 { return float64(s.RetainedBytes) })
	return c
}

// collector makes metrics of statistics of type S, which it reads once per collection.
type collector[S any] struct {
	stats   func() S
	metrics []metric[S]
}

type metric[S any] struct {
	desc *prometheus.Desc
	make func(*prometheus.Desc, S) prometheus.Metric
}

// adder returns a function that adds a metric of the named pool; label is the name and value of an additional
// label.
func (c *collector[S]) adder(pool string) func(kind prometheus.ValueType, name, help string, value func(S) float64, label ...string) {
	return func(kind prometheus.ValueType, name, help string, value func(S) float64, label ...string) {
		labels := prometheus.Labels{"pool": pool}
		if label != nil {
			labels[label[0]] = label[1]
		}
		c.add(name, help, labels, func(d *prometheus.Desc, s S) prometheus.Metric {
			return prometheus.MustNewConstMetric(d, kind, value(s))
		})
	}
}

func (c *collector[S]) add(name, help string, labels prometheus.Labels, make func(*prometheus.Desc, S) prometheus.Metric) {
	c.metrics = append(c.metrics, metric[S]{prometheus.NewDesc("ebbpool_"+name, help, nil, labels), make})
}

// Describe sends the descriptions of all metrics.
func (c *collector[S]) Describe(to chan<- *prometheus.Desc) {
	for _, m := range c.metrics {
		to <- m.desc
	}
}

// Collect sends the values of all metrics at one moment.
func (c *collector[S]) Collect(to chan<- prometheus.Metric) {
	s := c.stats()
	for _, m := range c.metrics {
		to <- m.make(m.desc, s)
	}
}
