package soak

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"weak"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/examples/orders/pair"
	"github.com/ebbpool/arena/internal/check"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// ledger counts the service's operations independently of the metrics: from the log of each request, and from
// each request's arena at its end.
type ledger struct {
	mu                                   sync.Mutex
	registry                             *prometheus.Registry // the ledger's own metrics, and the Go runtime's
	seconds                              *prometheus.HistogramVec
	used                                 prometheus.Histogram
	gets, puts, forks, abandoned, leaked uint64
	refusedByArena, refusedByTotal       uint64
	oversize                             uint64
	largest                              int                                  // maximum bytes of chunks of an arena at the end of its request
	made                                 uint64                               // arenas seen, without forks
	arenas                               map[weak.Pointer[arena.Arena]]uint64 // and their Oversize
}

func newLedger() *ledger {
	l := &ledger{
		registry: prometheus.NewRegistry(),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "orders_request_seconds", Buckets: prometheus.ExponentialBuckets(1e-4, 4, 8),
		}, []string{"method", "status"}),
		used: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "ebbpool_put_used_bytes", Buckets: prometheus.ExponentialBuckets(256, 2, 19), ConstLabels: prometheus.Labels{"pool": "requests"},
		}),
		arenas: map[weak.Pointer[arena.Arena]]uint64{},
	}
	l.registry.MustRegister(l.seconds, l.used, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return l
}

// The ledger is the service's log.
func (l *ledger) Enabled(context.Context, slog.Level) bool { return true }
func (l *ledger) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *ledger) WithGroup(string) slog.Handler            { return l }

func (l *ledger) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "request" {
		at := map[string]slog.Value{}
		r.Attrs(func(a slog.Attr) bool { at[a.Key] = a.Value; return true })
		status := max(at["status"].Int64(), 200-200*min(at["status"].Int64(), 1)) // no response means 200
		l.seconds.WithLabelValues(at["method"].String(), strconv.FormatInt(status, 10)).Observe(at["took"].Duration().Seconds())
	}
	return nil
}

// inside is between the request's arena and its handler. Requests may ask for forks, and for a goroutine that
// asks for the arena, which abandons it.
func (l *ledger) inside(h http.Handler) http.Handler {
	h = pair.Faults(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var forks []*arena.Arena
		strays := r.Header.Get("X-Stray") != ""
		defer func() {
			v := recover()
			l.end(arena.FromContext(r.Context()), forks, strays, v)
			if v != nil {
				panic(v)
			}
		}()
		a := arena.FromContext // on the arena's goroutine
		n, _ := strconv.Atoi(r.Header.Get("X-Forks"))
		for range n {
			forks = append(forks, a(r.Context()).Fork())
		}
		var g sync.WaitGroup
		over := make(chan any, n)
		for i, f := range forks {
			g.Go(func() {
				defer func() { over <- recover() }()
				for range 100 << i {
					f.AllocBytes(1000)
				}
			})
		}
		g.Wait()
		for range forks {
			if v := <-over; v != nil {
				l.refuse(v)
			}
		}
		if strays {
			a(r.Context())
			g.Go(func() { a(r.Context()) })
			g.Wait()
		}
		h.ServeHTTP(w, r)
	})
}

func (l *ledger) refuse(v any) {
	var over *arena.LimitError
	if err, _ := v.(error); errors.As(err, &over) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if over.Pool {
			l.refusedByTotal++
		} else {
			l.refusedByArena++
		}
	}
}

// end counts a request whose handler has returned, or panicked with v.
func (l *ledger) end(a *arena.Arena, forks []*arena.Arena, strays bool, v any) {
	l.refuse(v)
	l.mu.Lock()
	defer l.mu.Unlock()
	used, held := 0, 0
	for i, x := range append(forks, a) {
		s, key := x.Stats(), weak.Make(x)
		last, seen := l.arenas[key]
		if l.arenas[key] = s.Oversize; i == len(forks) && !seen {
			l.made++
		}
		l.oversize += s.Oversize - last
		held += s.RetainedBytes
		used += s.UsedBytes
	}
	l.largest = max(l.largest, held)
	l.gets++
	l.forks += uint64(len(forks))
	if strays {
		l.abandoned++
		return
	}
	l.puts++
	l.used.Observe(float64(used))
}

// probe does operations with known results on the idle pool: it releases an arena's memory and leaks an
// arena. It returns the differences.
func (l *ledger) probe(p *arena.ArenaPool, operator http.Handler) (problems []string) {
	a := p.Get()
	defer p.Put(a)
	a.Release() // with its idle forks
	a.AllocBytes(3 << 20)
	has, before := a.Stats(), scrape(operator)
	a.Release()
	l.end(a, nil, false, nil)
	after := scrape(operator)
	for key, want := range map[string]int{"in_use_bytes": -has.RetainedBytes, "dropped_bytes_total": has.RetainedBytes, "dropped_chunks_total": has.Chunks} {
		if got := after[name(key)] - before[name(key)]; got != float64(want) {
			problems = append(problems, fmt.Sprintf("an arena let go of %d bytes in %d chunks: %s changed by %v", has.RetainedBytes, has.Chunks, key, got))
		}
	}
	// The leak is last, because the collector may find it at any time and free its memory.
	l.end(p.Get(), nil, true, nil)
	l.abandoned--
	l.leaked++
	return problems
}

// scrape returns the metrics exported by h, by name and labels.
func scrape(h http.Handler) map[string]float64 {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return parse(w.Body.String())
}

func parse(metrics string) map[string]float64 {
	values := map[string]float64{}
	for line := range strings.Lines(metrics) {
		if at := strings.LastIndexByte(line, ' '); line[0] != '#' {
			values[line[:at]], _ = strconv.ParseFloat(strings.TrimSpace(line[at:]), 64)
		}
	}
	return values
}

// span is the minimum and maximum of a metric.
type span struct{ least, most float64 }

func exactly[T int | uint64 | float64](n T) span { return span{float64(n), float64(n)} }

// compare returns the metrics that differ from the ledger while the pool is idle. Every exported metric must
// be known to the ledger.
func (l *ledger) compare(operator http.Handler, asked span) (problems []string) {
	own := promhttp.HandlerFor(l.registry, promhttp.HandlerOpts{})
	before, got, after := scrape(own), scrape(operator), scrape(own)
	l.mu.Lock()
	defer l.mu.Unlock()
	alive := 0
	for x := range l.arenas {
		if x.Value() == nil {
			delete(l.arenas, x)
		} else {
			alive++
		}
	}
	total := int(share * float64(debug.SetMemoryLimit(-1)))
	any := math.Inf(1)
	known := map[string]span{
		"gets_total":            exactly(l.gets),
		"puts_total":            exactly(l.puts),
		"misses_total":          exactly(float64(l.made) - got[name("guarded_total")]),
		"forks_total":           exactly(l.forks),
		"leaked_total":          exactly(l.leaked),
		"abandoned_total":       exactly(l.abandoned),
		"guarded_total":         binomial(l.gets, 1./guardRate),
		"used_late_total":       exactly(0), // no isolation
		"oversize_chunks_total": exactly(l.oversize),
		"dropped_chunks_total":  {float64(l.leaked), any},
		"dropped_bytes_total":   {float64(l.leaked * 3 << 20), got["go_memstats_alloc_bytes_total"]},
		"arenas":                {0, float64(alive)},
		"in_use_bytes":          exactly(0),
		"retained_bytes":        {got[name("spare_bytes")], maxIdle},
		"spare_bytes":           {0, maxIdle},
		"high_water_bytes":      {got[name("retained_bytes")], any},
		"largest_arena_bytes":   {float64(l.largest), float64(total / 4)},
		"chunk_size_bytes":      {256, 640 << 10},
		"arena_limit_bytes":     exactly(total / 4),
		"pool_limit_bytes":      exactly(total),
		"max_idle_bytes":        exactly(maxIdle),
		"max_retained_bytes":    exactly(640 << 10),
		"refused_total,arena":   exactly(l.refusedByArena),
		"refused_total,total":   exactly(l.refusedByTotal),
		"mode,plain":            exactly(1),
		"mode,isolated":         exactly(0),
		"mode,heap":             exactly(0),
	}
	if check.On { // each arena is new, and earlier ones are not visible
		known["misses_total"], known["oversize_chunks_total"] = span{1, float64(l.gets)}, span{1, any}
	}
	var requests float64
	expect := map[string]span{"orders_requests_under_way": exactly(0)}
	for key, s := range known {
		expect[name(key)] = s
	}
	for key, a := range before {
		b := after[key]
		switch {
		case strings.HasPrefix(key, "go_"), strings.HasPrefix(key, "process_"):
			expect[key] = span{min(a, b)/2 - 16, max(a, b)*2 + 16} // read at about the same time
		case strings.Contains(key, "_sum"):
			expect[key] = span{b * (1 - 1e-9), b * (1 + 1e-9)} // summed in another order
		default:
			expect[key] = exactly(b)
		}
	}
	for key, v := range got {
		if strings.HasPrefix(key, "orders_request_seconds_count") {
			requests += v
		}
		if s, ok := expect[key]; !ok {
			problems = append([]string{fmt.Sprintf("%s is %v, and this test does not know what it should be", key, v)}, problems...)
		} else if !(v >= s.least && v <= s.most) {
			problems = append(problems, fmt.Sprintf("%s is %v, not %v to %v", key, v, s.least, s.most))
		}
	}
	for key, s := range expect {
		if _, ok := got[key]; !ok {
			problems = append(problems, fmt.Sprintf("%s is missing, %v to %v", key, s.least, s.most))
		}
	}
	if requests < asked.least || requests > asked.most {
		problems = append(problems, fmt.Sprintf("%v requests are counted; clients began %v, and had answers to %v", requests, asked.most, asked.least))
	}
	return problems
}

// name returns the exported name of a pool's metric. A comma in key separates a label's value.
func name(key string) string {
	key, value, ok := strings.Cut(key, ",")
	switch {
	case key == "mode":
		return `ebbpool_mode{mode="` + value + `",pool="requests"}`
	case ok:
		return "ebbpool_" + key + `{pool="requests",reason="` + value + `"}`
	}
	return "ebbpool_" + key + `{pool="requests"}`
}

// binomial returns the range of the number of hits in n tries with probability p, with one exception in
// millions of soaks. Large guarded requests keep others from being guarded, so the minimum is half.
func binomial(n uint64, p float64) span {
	mean := float64(n) * p
	far := 6*math.Sqrt(mean*(1-p)) + 6
	return span{max(0, mean/2-far), mean + far}
}
