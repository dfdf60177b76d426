// Package arenaprom is a Prometheus collector for the pools of package arena:
//
//	prometheus.MustRegister(arenaprom.NewPoolCollector(pool, "requests"))
//
// Statistics are read when Prometheus asks for them, which takes a look at every arena of
// the pool; pools do nothing for it in between. An arena outside a pool has no metrics.
package arenaprom

import (
	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
	"github.com/prometheus/client_golang/prometheus"
)

// NewPoolCollector returns a collector of the pool's statistics. All of its
// metrics have the label pool, whose value is name: two pools in one registry
// need two names. A nil pool panics.
func NewPoolCollector(pool *arena.ArenaPool, name string) prometheus.Collector {
	if pool == nil {
		panic("arenaprom: NewPoolCollector(" + name + "): the pool is nil; give it one from arena.NewArenaPool or arena.NewAutoPool")
	}
	c := &collector[arena.PoolStats]{stats: pool.Stats}
	add := c.adder(name)
	counter, gauge := prometheus.CounterValue, prometheus.GaugeValue
	add(counter, "gets_total", "Arenas handed out.", func(s arena.PoolStats) float64 { return float64(s.Gets) })
	add(counter, "puts_total", "Arenas put back.", func(s arena.PoolStats) float64 { return float64(s.Puts) })
	add(counter, "misses_total", "Gets that made a new arena.", func(s arena.PoolStats) float64 { return float64(s.Misses) })
	add(counter, "leaked_total", "Arenas that were collected without a Put.", func(s arena.PoolStats) float64 { return float64(s.Leaked) })
	add(counter, "abandoned_total", "Arenas of requests that ended while another goroutine might go on with them.", func(s arena.PoolStats) float64 { return float64(s.Abandoned) })
	add(counter, "guarded_total", "Gets that returned a guarded arena, to find misuse.", func(s arena.PoolStats) float64 { return float64(s.Guarded) })
	add(counter, "used_late_total", "Arenas that were used after their Put, of pools that isolate requests.", func(s arena.PoolStats) float64 { return float64(s.UsedLate) })
	add(counter, "oversize_chunks_total", "Chunks made larger than planned, or extra, for one large value.", func(s arena.PoolStats) float64 { return float64(s.Oversize) })
	add(counter, "dropped_chunks_total", "Chunks that arenas let go of, mostly at Put.", func(s arena.PoolStats) float64 { return float64(s.Dropped) })
	add(counter, "refused_total", "Allocations that a limit refused.", func(s arena.PoolStats) float64 { return float64(s.Refused) })
	add(gauge, "arenas", "Arenas that exist.", func(s arena.PoolStats) float64 { return float64(s.Arenas) })
	add(gauge, "in_use_bytes", "Chunks of the arenas that are out.", func(s arena.PoolStats) float64 { return float64(s.InUseBytes) })
	add(gauge, "retained_bytes", "Chunks of the arenas that lie idle.", func(s arena.PoolStats) float64 { return float64(s.RetainedBytes) })
	add(gauge, "high_water_bytes", "The most that the chunks of all arenas had together.", func(s arena.PoolStats) float64 { return float64(s.HighWater) })
	add(gauge, "largest_arena_bytes", "The most that the chunks of one arena and its forks had.", func(s arena.PoolStats) float64 { return float64(s.LargestArena) })
	add(gauge, "chunk_size_bytes", "What a new arena starts with.", func(s arena.PoolStats) float64 { return float64(s.ChunkSize) })
	return c
}

// NewFixedPoolCollector is NewPoolCollector for a pool of fixed capacity.
func NewFixedPoolCollector[T any](pool *fixedpool.SyncPool[T], name string) prometheus.Collector {
	if pool == nil {
		panic("arenaprom: NewFixedPoolCollector(" + name + "): the pool is nil; give it one from fixedpool.NewSync")
	}
	c := &collector[fixedpool.Stats]{stats: pool.Stats}
	add := c.adder(name)
	counter, gauge := prometheus.CounterValue, prometheus.GaugeValue
	add(gauge, "fixed_slots", "Slots of the pool.", func(s fixedpool.Stats) float64 { return float64(s.Capacity) })
	add(gauge, "fixed_used_slots", "Slots that are out.", func(s fixedpool.Stats) float64 { return float64(s.Used) })
	add(gauge, "fixed_high_water_slots", "The most slots that were out.", func(s fixedpool.Stats) float64 { return float64(s.HighWater) })
	add(counter, "fixed_misses_total", "Allocates that found no free slot.", func(s fixedpool.Stats) float64 { return float64(s.Misses) })
	add(gauge, "fixed_in_use_bytes", "Memory of the slots that are out.", func(s fixedpool.Stats) float64 { return float64(s.UsedBytes) })
	add(gauge, "fixed_retained_bytes", "All memory of the pool.", func(s fixedpool.Stats) float64 { return float64(s.RetainedBytes) })
	return c
}

// collector makes metrics of statistics of type S, which it reads once for all
// of them.
type collector[S any] struct {
	stats   func() S
	metrics []metric[S]
}

type metric[S any] struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(S) float64
}

// adder returns a function that adds a metric of the pool with that name.
func (c *collector[S]) adder(pool string) func(kind prometheus.ValueType, name, help string, value func(S) float64) {
	return func(kind prometheus.ValueType, name, help string, value func(S) float64) {
		desc := prometheus.NewDesc("ebbpool_"+name, help, nil, prometheus.Labels{"pool": pool})
		c.metrics = append(c.metrics, metric[S]{desc, kind, value})
	}
}

// Describe sends the descriptions of all metrics.
func (c *collector[S]) Describe(to chan<- *prometheus.Desc) {
	for _, m := range c.metrics {
		to <- m.desc
	}
}

// Collect sends the values of all metrics, as they are at one moment.
func (c *collector[S]) Collect(to chan<- prometheus.Metric) {
	s := c.stats()
	for _, m := range c.metrics {
		to <- prometheus.MustNewConstMetric(m.desc, m.kind, m.value(s))
	}
}
