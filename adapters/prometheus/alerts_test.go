package arenaprom

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/internal/check"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// promtool returns the path of Prometheus's checker, or skips the test.
func promtool(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("SKIPPED: promtool is not installed (Debian's package prometheus has it)")
	}
	return path
}

// The metrics follow the conventions of Prometheus and OpenMetrics.
func TestPromtoolMetrics(t *testing.T) {
	check := exec.Command(promtool(t), "check", "metrics")
	pool := arena.NewAutoPool(0)
	check.Stdin = strings.NewReader(exposed(t, pool))
	if out, err := check.CombinedOutput(); err != nil || len(out) != 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// exposed returns the pool's metrics in Prometheus's text format.
func exposed(t *testing.T, pool Pool) string {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(NewPoolCollector(pool, "requests"))
	w := httptest.NewRecorder()
	promhttp.HandlerFor(r, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatal(w.Body)
	}
	return w.Body.String()
}

// addSamples appends the samples of a scrape to their series.
func addSamples(series map[string][]string, scrape string) {
	for line := range strings.Lines(scrape) {
		if !strings.HasPrefix(line, "#") {
			i := strings.LastIndexByte(line, ' ')
			series[line[:i]] = append(series[line[:i]], strings.TrimSpace(line[i:]))
		}
	}
}

// serve runs requests that allocate the given number of bytes.
func serve(pool *arena.ArenaPool, requests, bytes int) {
	for range requests {
		pool.Do(func(a *arena.Arena) {
			defer func() { recover() }() // from a limit
			for range bytes / 1000 {
				a.AllocBytes(1000)
			}
		})
	}
}

// A service with a fault, over a simulated day: the alerts for the fault fire, and no others. A service
// without a fault, and one with a morning peak, fire none. Each line of the dashboard is above 0 in one of
// the services.
func TestAlerts(t *testing.T) {
	if check.On {
		t.Skip("checked builds use no memory again: all pools look cold there")
	}
	tool := promtool(t)
	all, err := os.ReadFile("alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	silent := map[string]bool{}
	for _, m := range regexp.MustCompile(`alert: (\w+)`).FindAllSubmatch(all, -1) {
		silent[string(m[1])] = true
	}
	var lines []string
	for _, p := range readDashboard(t).Panels {
		for _, target := range p.Targets {
			if !strings.Contains(target.Expr, "ebbpool_fixed_") { // the services have no fixed pools
				lines = append(lines, strings.NewReplacer("$pool", "requests", "$__rate_interval", "15m").Replace(target.Expr))
			}
		}
	}
	shown := map[string]bool{}
	const day = 24 * 12     // in steps of five minutes
	var kept []*arena.Arena // arenas kept in use
	for name, service := range map[string]struct {
		pool  func() *arena.ArenaPool
		serve func(pool *arena.ArenaPool, at int)
		fires []string
	}{
		"no fault": {
			pool: func() *arena.ArenaPool {
				p := arena.NewAutoPool(0)
				p.SetMisuseSampling(100, nil)
				return p
			},
			serve: func(pool *arena.ArenaPool, at int) {
				serve(pool, 325, 9000)
				pool.Do(func(a *arena.Arena) {
					a.Fork()
					a.AllocBytes(20_000 + 1000*at)
				})
			},
		},
		"a peak": {
			pool: func() *arena.ArenaPool {
				p := arena.NewAutoPool(0)
				p.SetLimit(0, 100_000_000)
				return p
			},
			serve: func(pool *arena.ArenaPool, at int) {
				serve(pool, 325, 9000)
				if at == day {
					serve(pool, 5, 70_000_000)
				}
			},
		},
		"a leak": {
			pool: func() *arena.ArenaPool { return arena.NewAutoPool(0) },
			serve: func(pool *arena.ArenaPool, at int) {
				if serve(pool, 325, 9000); at > day && at%3 == 0 {
					lost := pool.Stats().Leaked
					pool.Get().AllocBytes(100) //arenavet:ignore the leak that is to be found
					for range 1000 {
						if runtime.GC(); pool.Stats().Leaked != lost {
							return
						}
						runtime.Gosched()
					}
				}
			},
			fires: []string{"EbbpoolArenasLeak"},
		},
		"retains too little": {
			pool:  func() *arena.ArenaPool { return arena.NewArenaPool(1024, 1024) },
			serve: func(pool *arena.ArenaPool, at int) { serve(pool, 325, 9000) },
			fires: []string{"EbbpoolTooSmall"},
		},
		"chunks too large": {
			pool:  func() *arena.ArenaPool { return arena.NewArenaPool(4<<20, 0) },
			serve: func(pool *arena.ArenaPool, at int) { serve(pool, 325, 9000) },
			fires: []string{"EbbpoolTooLarge"},
		},
		"near its limit": {
			pool: func() *arena.ArenaPool {
				p := arena.NewArenaPool(64<<10, 0)
				p.SetLimit(0, 2_000_000)
				return p
			},
			serve: func(pool *arena.ArenaPool, at int) {
				if serve(pool, 325, 9000); at == day {
					kept = append(kept, pool.Get())
					kept[0].AllocBytes(1_800_000)
				}
			},
			fires: []string{"EbbpoolNearLimit"},
		},
		"a limit that is too small": {
			pool: func() *arena.ArenaPool {
				p := arena.NewAutoPool(0)
				p.SetLimit(1_000_000, 0)
				return p
			},
			serve: func(pool *arena.ArenaPool, at int) {
				serve(pool, 325, 9000)
				for range 10 {
					pool.Do(func(a *arena.Arena) {
						defer func() { recover() }()
						a.AllocBytes(2_000_000)
					})
				}
			},
			fires: []string{"EbbpoolRefuses"},
		},
		"idle arenas are collected": {
			pool: func() *arena.ArenaPool {
				p := arena.NewAutoPool(0)
				p.SetMaxIdleBytes(0)
				return p
			},
			serve: func(pool *arena.ArenaPool, at int) {
				var burst [325]*arena.Arena
				for i := range burst {
					burst[i] = pool.Get()
					burst[i].AllocBytes(9000)
				}
				for _, a := range burst {
					pool.Put(a)
				}
				runtime.GC()
				runtime.GC()
			},
			fires: []string{"EbbpoolColdArenas"},
		},
		"a timeout in the wrong place": {
			pool: func() *arena.ArenaPool { return arena.NewAutoPool(0) },
			serve: func(pool *arena.ArenaPool, at int) {
				late := arenahttp.Handler(pool, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					done := make(chan bool)
					go func() { arena.FromContext(r.Context()); close(done) }()
					<-done
				}))
				serve(pool, 325, 9000)
				for range 8 {
					late.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
				}
			},
			fires: []string{"EbbpoolAbandons"},
		},
		"requests hang": {
			pool: func() *arena.ArenaPool { return arena.NewAutoPool(0) },
			serve: func(pool *arena.ArenaPool, at int) {
				if serve(pool, 325, 9000); at > day {
					kept = append(kept, pool.Get())
				}
			},
			fires: []string{"EbbpoolArenasStayOut"},
		},
		"growing": {
			pool: func() *arena.ArenaPool { return arena.NewAutoPool(0) },
			serve: func(pool *arena.ArenaPool, at int) {
				if serve(pool, 325, 9000); kept == nil {
					kept = append(kept, pool.Get())
				}
				kept[0].AllocBytes(100_000) // a cycle that does not end
			},
			fires: []string{"EbbpoolGrows"},
		},
		"a router's own contexts": {
			pool: func() *arena.ArenaPool { return arena.NewAutoPool(0) },
			serve: func(pool *arena.ArenaPool, at int) {
				h := arenahttp.Handler(pool, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					arena.FromContext(context.Background()).AllocBytes(9000)
				}))
				serve(pool, 30, 9000)
				serve(pool, 10, 0)
				for range 325 {
					h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
				}
			},
			fires: []string{"EbbpoolUnused"},
		},
		"used late": {
			pool: func() *arena.ArenaPool {
				p := arena.NewAutoPool(0)
				p.SetIsolation(true)
				return p
			},
			serve: func(pool *arena.ArenaPool, at int) {
				if serve(pool, 325, 9000); at%4 == 0 {
					a := pool.Get()
					pool.Put(a)
					a.AllocBytes(10) //arenavet:ignore the mistake that is to be found
				}
			},
			fires: []string{"EbbpoolUsedLate"},
		},
	} {
		series := map[string][]string{}
		const steps = day + 3*12
		synctest.Test(t, func(t *testing.T) { // for the high water mark of the last minutes
			kept = nil
			pool := service.pool()
			for at := range steps {
				service.serve(pool, at)
				addSamples(series, exposed(t, pool))
				time.Sleep(5 * time.Minute)
			}
		})
		got := firing(t, tool, series, 5*(steps-1))
		if !slices.Equal(got, service.fires) {
			t.Errorf("%s: %q fire, want %q", name, got, service.fires)
		}
		for _, alert := range got {
			delete(silent, alert)
		}
		for i, value := range evaluate(t, tool, series, 5*(steps-1), lines) {
			shown[lines[i]] = shown[lines[i]] || above0.MatchString(value)
		}
	}
	// Keys come and go.
	series, keyed := map[string][]string{}, arena.NewKeyedPool[int](0)
	keyed.SetMaxKeys(2)
	const hour = 12
	for at := range hour {
		keyed.Do(at, func(a *arena.Arena) { a.AllocBytes(9000) })
		addSamples(series, exposed(t, keyed))
	}
	for i, value := range evaluate(t, tool, series, 5*(hour-1), lines) {
		shown[lines[i]] = shown[lines[i]] || above0.MatchString(value)
	}
	for _, line := range lines {
		if !shown[line] {
			t.Errorf("the dashboard shows nothing by %s", line)
		}
	}
	if len(silent) != 0 {
		t.Errorf("no fault is planted for %v", silent)
	}
}

// above0 matches a sample above 0 in promtool's output.
var above0 = regexp.MustCompile(`\} \d*[1-9]`)

// firing returns the alerts that fire after the given number of minutes, for series with a value every five
// minutes.
func firing(t *testing.T, promtool string, series map[string][]string, minutes int) (fired []string) {
	t.Helper()
	got := evaluate(t, promtool, series, minutes, []string{`count by (alertname) (ALERTS{alertstate="firing"})`})
	for _, s := range strings.Split(got[0], `alertname="`)[1:] {
		name, _, _ := strings.Cut(s, `"`)
		fired = append(fired, name)
	}
	return fired
}

// evaluate returns the values of expressions at that time, as printed by promtool.
func evaluate(t *testing.T, promtool string, series map[string][]string, minutes int, exprs []string) []string {
	t.Helper()
	alerts, err := filepath.Abs("alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	input, asked := []map[string]string{}, []any{}
	for _, name := range slices.Sorted(maps.Keys(series)) {
		input = append(input, map[string]string{"series": name, "values": strings.Join(series[name], " ")})
	}
	for _, expr := range exprs {
		asked = append(asked, map[string]any{
			"expr": expr, "eval_time": fmt.Sprintf("%dm", minutes),
			"exp_samples": []any{map[string]any{"labels": "nothing", "value": 0}}, // so that promtool prints the actual value
		})
	}
	test, err := json.Marshal(map[string]any{ // JSON is valid YAML
		"rule_files": []string{alerts}, "evaluation_interval": "5m",
		"tests": []any{map[string]any{"interval": "5m", "input_series": input, "promql_expr_test": asked}},
	})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "test.yml")
	if err := os.WriteFile(name, test, 0o666); err != nil {
		t.Fatal(err)
	}
	out, _ := exec.Command(promtool, "test", "rules", name).CombinedOutput()
	got := strings.Split(string(out), "got: ")[1:]
	if len(got) != len(exprs) {
		t.Fatalf("promtool: %s", out)
	}
	for i := range got {
		got[i], _, _ = strings.Cut(got[i], "\n")
	}
	return got
}
