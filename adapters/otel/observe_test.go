package arenaotel

import (
	"context"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// collected returns the values that the reader collects, by Prometheus name and attributes.
func collected(t *testing.T, reader *sdk.ManualReader) map[string]int64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	values := map[string]int64{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			name, points := strings.ReplaceAll(m.Name, ".", "_"), []metricdata.DataPoint[int64]{}
			if m.Unit == "By" {
				name += "_bytes"
			}
			switch d := m.Data.(type) {
			case metricdata.Sum[int64]:
				if !d.IsMonotonic {
					t.Errorf("%s is no counter", name)
				}
				name, points = name+"_total", d.DataPoints
			case metricdata.Gauge[int64]:
				points = d.DataPoints
			}
			if m.Unit == "" || !strings.HasSuffix(m.Description, ".") {
				t.Errorf("%s: unit %q, description %q", name, m.Unit, m.Description)
			}
			for _, p := range points {
				var labels []string
				for _, kv := range p.Attributes.ToSlice() {
					labels = append(labels, fmt.Sprintf("%s=%s", kv.Key, kv.Value.Emit()))
				}
				values[name+"{"+strings.Join(labels, ",")+"}"] = p.Value
			}
		}
	}
	return values
}

// Every metric of the Prometheus adapter is exported, with the same name and the pool's value, for two pools,
// until it is unregistered.
func TestObserve(t *testing.T) {
	reader := sdk.NewManualReader()
	meter := sdk.NewMeterProvider(sdk.WithReader(reader)).Meter("test")
	pool, other := arena.NewArenaPool(1000, 4000), arena.NewAutoPool(0)
	registration, err := Observe(meter, pool, "requests")
	if err != nil {
		t.Fatal(err)
	}
	slots := fixedpool.NewSync[[2]uint64](2)
	for _, f := range []func() (metric.Registration, error){
		func() (metric.Registration, error) { return Observe(meter, other, "other") },
		func() (metric.Registration, error) { return ObserveFixed(meter, slots, "slots") },
	} {
		if _, err := f(); err != nil {
			t.Fatal(err)
		}
	}
	pool.SetLimit(20_000, 50_000)
	a := pool.Get()
	pool.Do(func(a *arena.Arena) { a.Fork().AllocBytes(10_000) })
	func() {
		defer func() { recover() }()
		a.AllocBytes(50_000)
	}()
	slots.Allocate()
	got := collected(t, reader)
	s := pool.Stats()
	for name, want := range map[string]int64{
		"ebbpool_gets_total{pool=requests}": 2, "ebbpool_gets_total{pool=other}": 0,
		"ebbpool_puts_total{pool=requests}": 1, "ebbpool_forks_total{pool=requests}": 1,
		"ebbpool_refused_total{pool=requests,reason=arena}": 1, "ebbpool_refused_total{pool=requests,reason=total}": 0,
		"ebbpool_put_used_bytes_total{pool=requests}":           int64(s.UsedAtPut.Bytes),
		"ebbpool_put_used_arenas_total{le=8192,pool=requests}":  0,
		"ebbpool_put_used_arenas_total{le=16384,pool=requests}": 1,
		"ebbpool_put_used_arenas_total{le=+Inf,pool=requests}":  1,
		"ebbpool_retained_bytes{pool=requests}":                 int64(s.RetainedBytes),
		"ebbpool_largest_arena_bytes{pool=requests}":            int64(s.LargestArena),
		"ebbpool_high_water_bytes{pool=requests}":               int64(s.HighWater),
		"ebbpool_arena_limit_bytes{pool=requests}":              20_000,
		"ebbpool_pool_limit_bytes{pool=requests}":               50_000,
		"ebbpool_max_retained_bytes{pool=requests}":             4000,
		"ebbpool_max_idle_bytes{pool=requests}":                 int64(s.MaxIdleBytes),
		"ebbpool_chunk_size_bytes{pool=requests}":               1000,
		"ebbpool_dropped_chunks_total{pool=requests}":           int64(s.Dropped),
		"ebbpool_oversize_chunks_total{pool=requests}":          int64(s.Oversize),
		"ebbpool_mode{mode=plain,pool=requests}":                1,
		"ebbpool_fixed_slots{pool=slots}":                       2,
		"ebbpool_fixed_used_slots{pool=slots}":                  1,
		"ebbpool_fixed_in_use_bytes{pool=slots}":                16,
	} {
		if v, ok := got[name]; !ok || v != want {
			t.Errorf("%s is %d, %v; want %d", name, v, ok, want)
		}
	}
	pool.Put(a)
	collector, err := os.ReadFile("../prometheus/collector.go")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`\b(?:add|refused)\((?:counter|gauge), "(\w+)"`).FindAllSubmatch(collector, -1)
	if len(names) < 25 {
		t.Fatalf("only %d metrics are found in the other adapter", len(names))
	}
	var have []string
	for name := range got {
		name, _, _ = strings.Cut(name, "{")
		have = append(have, name)
	}
	for _, name := range names {
		if !slices.Contains(have, "ebbpool_"+string(name[1])) {
			t.Errorf("there is no %s, which the Prometheus adapter has", name[1])
		}
	}
	if err := registration.Unregister(); err != nil {
		t.Fatal(err)
	}
	for name := range collected(t, reader) {
		if strings.Contains(name, "pool=requests") {
			t.Errorf("%s after Unregister", name)
		}
	}
}

// Each field of the statistics is exported by one instrument. All fields have different values, so that
// mixed-up ones are noticed.
func TestEachFieldIsObserved(t *testing.T) {
	reader := sdk.NewManualReader()
	var s arena.PoolStats
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.CanInt() {
			f.SetInt(int64(1000 + i))
		} else if f.CanUint() {
			f.SetUint(uint64(1000 + i))
		}
	}
	s.Refused, s.Mode = 3000, "isolated"
	for i := range s.UsedAtPut.Counts {
		s.UsedAtPut.Counts[i] = uint64(i + 1)
	}
	s.UsedAtPut.Bytes = 5000
	if _, err := observe(sdk.NewMeterProvider(sdk.WithReader(reader)).Meter("test"), func() arena.PoolStats { return s }, "p"); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{
		"gets_total": int64(s.Gets), "puts_total": int64(s.Puts), "misses_total": int64(s.Misses), "forks_total": int64(s.Forks),
		"leaked_total": int64(s.Leaked), "abandoned_total": int64(s.Abandoned), "guarded_total": int64(s.Guarded), "used_late_total": int64(s.UsedLate),
		"unused_total": int64(s.Unused), "no_arena_total": int64(s.NoArena), "keys": int64(s.Keys), "evicted_keys_total": int64(s.EvictedKeys),
		"oversize_chunks_total": int64(s.Oversize), "dropped_chunks_total": int64(s.Dropped), "dropped_bytes_total": int64(s.DroppedBytes),
		"put_used_bytes_total": 5000, "arenas": int64(s.Arenas), "in_use_bytes": int64(s.InUseBytes), "retained_bytes": int64(s.RetainedBytes),
		"spare_bytes": int64(s.SpareBytes), "high_water_bytes": int64(s.HighWater), "largest_arena_bytes": int64(s.LargestArena),
		"chunk_size_bytes": int64(s.ChunkSize), "arena_limit_bytes": int64(s.LimitPerArena), "pool_limit_bytes": int64(s.LimitTotal),
		"max_idle_bytes": int64(s.MaxIdleBytes), "max_retained_bytes": int64(s.MaxRetained),
		"mode,mode=plain": 0, "mode,mode=isolated": 1, "mode,mode=heap": 0,
		"refused_total,reason=total": int64(s.RefusedByTotal), "refused_total,reason=arena": int64(s.Refused - s.RefusedByTotal),
	}
	for bound, n := range s.UsedAtPut.Buckets() {
		want[fmt.Sprintf("put_used_arenas_total,le=%d", bound)] = int64(n)
	}
	want["put_used_arenas_total,le=+Inf"] = int64(s.UsedAtPut.Count())
	got := map[string]int64{}
	for name, n := range collected(t, reader) {
		name, labels, _ := strings.Cut(strings.TrimPrefix(name, "ebbpool_"), "{")
		labels = strings.Trim(strings.ReplaceAll(strings.TrimSuffix(labels, "}"), "pool=p", ""), ",")
		got[strings.TrimSuffix(name+","+labels, ",")] = n
	}
	if !maps.Equal(got, want) {
		t.Errorf("observed\n%v, want\n%v", got, want)
	}
}

func TestNilPools(t *testing.T) {
	m := noop.Meter{}
	for name, f := range map[string]func(){
		"Observe(x)":      func() { Observe(m, nil, "x") },
		"ObserveFixed(y)": func() { ObserveFixed[int](m, nil, "y") },
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

func ExampleObserve() {
	pool := arena.NewAutoPool(0)
	reader := sdk.NewManualReader()
	registration, err := Observe(sdk.NewMeterProvider(sdk.WithReader(reader)).Meter("orders"), pool, "requests")
	if err != nil {
		panic(err)
	}
	defer registration.Unregister()
	pool.Do(func(a *arena.Arena) { a.AllocString("hello") })
	var all metricdata.ResourceMetrics
	fmt.Println(reader.Collect(context.Background(), &all), all.ScopeMetrics[0].Metrics[0].Name)
	// Output: <nil> ebbpool.gets
}
