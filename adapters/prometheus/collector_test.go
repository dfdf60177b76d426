package arenaprom

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// Dashboards and alerts depend on the names, types, help and values of the metrics. This test lists all of
// them.
func TestPoolCollector(t *testing.T) {
	pool := arena.NewArenaPool(1000, 4000)
	pool.SetLimit(20_000, 0)
	a := pool.Get()
	idle := pool.Get()
	idle.AllocBytes(10_000)
	idle.Fork()
	pool.Put(idle)
	a.AllocBytes(500)
	func() {
		defer func() { recover() }()
		a.AllocBytes(50_000)
	}()
	const want = `
# HELP ebbpool_abandoned_total Arenas left to the collector, because another goroutine may still use them.
# TYPE ebbpool_abandoned_total counter
ebbpool_abandoned_total{pool="requests"} 0
# HELP ebbpool_arena_limit_bytes Limit of an arena and its forks; 0 if there is none.
# TYPE ebbpool_arena_limit_bytes gauge
ebbpool_arena_limit_bytes{pool="requests"} 20000
# HELP ebbpool_arenas Arenas that exist.
# TYPE ebbpool_arenas gauge
ebbpool_arenas{pool="requests"} 2
# HELP ebbpool_chunk_size_bytes Size of the first chunk of a new arena.
# TYPE ebbpool_chunk_size_bytes gauge
ebbpool_chunk_size_bytes{pool="requests"} 1000
# HELP ebbpool_dropped_bytes_total Bytes of the chunks that arenas released.
# TYPE ebbpool_dropped_bytes_total counter
ebbpool_dropped_bytes_total{pool="requests"} 10000
# HELP ebbpool_dropped_chunks_total Chunks that arenas released, mostly at Put.
# TYPE ebbpool_dropped_chunks_total counter
ebbpool_dropped_chunks_total{pool="requests"} 1
# HELP ebbpool_evicted_keys_total Keys whose memory was released for other keys, in a keyed pool.
# TYPE ebbpool_evicted_keys_total counter
ebbpool_evicted_keys_total{pool="requests"} 0
# HELP ebbpool_forks_total Forks of arenas handed out.
# TYPE ebbpool_forks_total counter
ebbpool_forks_total{pool="requests"} 1
# HELP ebbpool_gets_total Arenas handed out.
# TYPE ebbpool_gets_total counter
ebbpool_gets_total{pool="requests"} 2
# HELP ebbpool_guarded_total Gets that returned a guarded arena, to find misuse.
# TYPE ebbpool_guarded_total counter
ebbpool_guarded_total{pool="requests"} 0
# HELP ebbpool_high_water_bytes Peak bytes of the chunks of all arenas in the last minutes.
# TYPE ebbpool_high_water_bytes gauge
ebbpool_high_water_bytes{pool="requests"} 10000
# HELP ebbpool_in_use_bytes Bytes of the chunks of arenas in use.
# TYPE ebbpool_in_use_bytes gauge
ebbpool_in_use_bytes{pool="requests"} 1000
# HELP ebbpool_keys Keys with memory, in a keyed pool.
# TYPE ebbpool_keys gauge
ebbpool_keys{pool="requests"} 0
# HELP ebbpool_largest_arena_bytes Peak bytes of the chunks of one arena and its forks.
# TYPE ebbpool_largest_arena_bytes gauge
ebbpool_largest_arena_bytes{pool="requests"} 10000
# HELP ebbpool_leaked_total Arenas that were garbage collected without a Put.
# TYPE ebbpool_leaked_total counter
ebbpool_leaked_total{pool="requests"} 0
# HELP ebbpool_max_idle_bytes Limit of the idle memory kept across collections.
# TYPE ebbpool_max_idle_bytes gauge
ebbpool_max_idle_bytes{pool="requests"} 3.3554432e+07
# HELP ebbpool_max_retained_bytes Limit of the memory kept by one idle arena.
# TYPE ebbpool_max_retained_bytes gauge
ebbpool_max_retained_bytes{pool="requests"} 4000
# HELP ebbpool_misses_total Gets that created an arena.
# TYPE ebbpool_misses_total counter
ebbpool_misses_total{pool="requests"} 2
# HELP ebbpool_mode 1 for the mode of the arenas that Get returns, 0 for other modes.
# TYPE ebbpool_mode gauge
ebbpool_mode{mode="heap",pool="requests"} 0
ebbpool_mode{mode="isolated",pool="requests"} 0
ebbpool_mode{mode="plain",pool="requests"} 1
# HELP ebbpool_no_arena_total Requests that never asked for their arena.
# TYPE ebbpool_no_arena_total counter
ebbpool_no_arena_total{pool="requests"} 0
# HELP ebbpool_oversize_chunks_total Chunks allocated for one large value.
# TYPE ebbpool_oversize_chunks_total counter
ebbpool_oversize_chunks_total{pool="requests"} 1
# HELP ebbpool_pool_limit_bytes Limit of all arenas in use together; 0 if there is none.
# TYPE ebbpool_pool_limit_bytes gauge
ebbpool_pool_limit_bytes{pool="requests"} 0
# HELP ebbpool_put_used_bytes Bytes allocated in an arena and its forks when it is put back.
# TYPE ebbpool_put_used_bytes histogram
ebbpool_put_used_bytes_bucket{pool="requests",le="256"} 0
ebbpool_put_used_bytes_bucket{pool="requests",le="512"} 0
ebbpool_put_used_bytes_bucket{pool="requests",le="1024"} 0
ebbpool_put_used_bytes_bucket{pool="requests",le="2048"} 0
ebbpool_put_used_bytes_bucket{pool="requests",le="4096"} 0
ebbpool_put_used_bytes_bucket{pool="requests",le="8192"} 0
ebbpool_put_used_bytes_bucket{pool="requests",le="16384"} 1
ebbpool_put_used_bytes_bucket{pool="requests",le="32768"} 1
ebbpool_put_used_bytes_bucket{pool="requests",le="65536"} 1
ebbpool_put_used_bytes_bucket{pool="requests",le="131072"} 1
ebbpool_put_used_bytes_bucket{pool="requests",le="262144"} 1
ebbpool_put_used_bytes_bucket{pool="requests",le="524288"} 1
ebbpool_put_used_bytes_bucket{pool="requests",le="1.048576e+06"} 1
ebbpool_put_used_bytes_bucket{pool="requests",le="2.097152e+06"} 1
ebbpool_put_used_bytes_bucket{pool="requests",le="4.194304e+06"} 1
ebbpool_put_used_bytes_bucket{pool="requests",le="8.388608e+06"} 1
ebbpool_put_used_bytes_bucket{pool="requests",le="1.6777216e+07"} 1
ebbpool_put_used_bytes_bucket{pool="requests",le="3.3554432e+07"} 1
ebbpool_put_used_bytes_bucket{pool="requests",le="6.7108864e+07"} 1
ebbpool_put_used_bytes_bucket{pool="requests",le="+Inf"} 1
ebbpool_put_used_bytes_sum{pool="requests"} 10000
ebbpool_put_used_bytes_count{pool="requests"} 1
# HELP ebbpool_puts_total Arenas put back.
# TYPE ebbpool_puts_total counter
ebbpool_puts_total{pool="requests"} 1
# HELP ebbpool_refused_total Allocations refused by the limit of an arena or of the pool.
# TYPE ebbpool_refused_total counter
ebbpool_refused_total{pool="requests",reason="arena"} 1
ebbpool_refused_total{pool="requests",reason="total"} 0
# HELP ebbpool_retained_bytes Bytes of the chunks of idle arenas, and of cached chunks.
# TYPE ebbpool_retained_bytes gauge
ebbpool_retained_bytes{pool="requests"} 0
# HELP ebbpool_spare_bytes Bytes of cached chunks that belong to no arena; a part of the retained bytes.
# TYPE ebbpool_spare_bytes gauge
ebbpool_spare_bytes{pool="requests"} 0
# HELP ebbpool_unused_total Arenas that were put back without an allocation.
# TYPE ebbpool_unused_total counter
ebbpool_unused_total{pool="requests"} 0
# HELP ebbpool_used_late_total Arenas that were used after their Put, of pools that isolate requests.
# TYPE ebbpool_used_late_total counter
ebbpool_used_late_total{pool="requests"} 0
`
	if err := testutil.CollectAndCompare(NewPoolCollector(pool, "requests"), strings.NewReader(want)); err != nil {
		t.Error(err)
	}
	pool.Put(a)
	runtime.KeepAlive(idle) // otherwise it may be collected earlier
}

func TestFixedPoolCollector(t *testing.T) {
	pool := fixedpool.NewSync[[2]uint64](2)
	for range 3 {
		pool.Allocate()
	}
	const want = `
# HELP ebbpool_fixed_high_water_slots Peak number of slots in use.
# TYPE ebbpool_fixed_high_water_slots gauge
ebbpool_fixed_high_water_slots{pool="orders"} 2
# HELP ebbpool_fixed_in_use_bytes Bytes of the slots in use.
# TYPE ebbpool_fixed_in_use_bytes gauge
ebbpool_fixed_in_use_bytes{pool="orders"} 32
# HELP ebbpool_fixed_misses_total Allocations that found no free slot.
# TYPE ebbpool_fixed_misses_total counter
ebbpool_fixed_misses_total{pool="orders"} 1
# HELP ebbpool_fixed_retained_bytes Bytes of the whole pool.
# TYPE ebbpool_fixed_retained_bytes gauge
ebbpool_fixed_retained_bytes{pool="orders"} 42
# HELP ebbpool_fixed_slots Slots of the pool.
# TYPE ebbpool_fixed_slots gauge
ebbpool_fixed_slots{pool="orders"} 2
# HELP ebbpool_fixed_used_slots Slots in use.
# TYPE ebbpool_fixed_used_slots gauge
ebbpool_fixed_used_slots{pool="orders"} 2
`
	if err := testutil.CollectAndCompare(NewFixedPoolCollector(pool, "orders"), strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}

// Several pools in one registry, collected while they work: names are valid, nothing collides, nothing races.
func TestRegistry(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	requests, replies := arena.NewArenaPool(1000, 0), arena.NewAutoPool(0)
	registry.MustRegister(NewPoolCollector(requests, "requests"), NewPoolCollector(replies, "replies"),
		NewFixedPoolCollector(fixedpool.NewSync[int](5), "orders"))
	if err := registry.Register(NewPoolCollector(requests, "requests")); err == nil {
		t.Error("one name for two collectors was accepted")
	}
	problems, err := testutil.GatherAndLint(registry)
	if err != nil || len(problems) != 0 {
		t.Errorf("lint: %v, %v", problems, err)
	}
	var wg sync.WaitGroup
	for _, pool := range []*arena.ArenaPool{requests, replies} {
		for range 2 {
			wg.Go(func() {
				for i := range 300 {
					pool.Do(func(a *arena.Arena) { a.AllocBytes(20 * i) })
				}
			})
		}
	}
	for range 20 {
		if _, err := registry.Gather(); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	if n, err := testutil.GatherAndCount(registry); err != nil || n != 2*(28+3+1)+6 {
		t.Errorf("%d metrics, %v", n, err)
	}
}

func TestNilPools(t *testing.T) {
	for name, f := range map[string]func(){
		"NewPoolCollector(x)":      func() { NewPoolCollector(nil, "x") },
		"NewFixedPoolCollector(y)": func() { NewFixedPoolCollector[int](nil, "y") },
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, name) {
					t.Errorf("panicked with %q, which does not name %s", text, name)
				}
			}()
			f()
		}()
	}
}

func ExampleNewPoolCollector() {
	pool := arena.NewArenaPool(64<<10, 0)
	registry := prometheus.NewRegistry()
	registry.MustRegister(NewPoolCollector(pool, "requests"))
	pool.Do(func(a *arena.Arena) { a.AllocString("hello") })
	n, err := testutil.GatherAndCount(registry, "ebbpool_gets_total")
	fmt.Println(n, err)
	// Output: 1 <nil>
}
