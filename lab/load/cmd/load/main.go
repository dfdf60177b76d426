//go:build unix

// Command load measures an HTTP handler of JSON orders, written with more or less attention to memory,
// without and with live objects of the server. -demo compares five of them within a minute.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/montanaflynn/stats"

	"github.com/ebbpool/arena/lab/load"
	"github.com/ebbpool/arena/lab/load/handlers"
)

func main() {
	if load.Child(serve) {
		return
	}
	live := flag.Int("live", 5_000_000, "live objects of the server, in addition to a measurement without")
	requests := flag.Int("live-requests", 300_000, "requests of each closed loop with live objects, enough for a collection with GOGC=400")
	var c load.Config
	flag.IntVar(&c.Rounds, "rounds", 3, "rounds of each side")
	flag.IntVar(&c.Requests, "requests", 60_000, "requests of each closed loop without live objects")
	flag.DurationVar(&c.OpenFor, "open-for", 20*time.Second, "duration of each open loop: several collections of each handler in all rounds")
	flag.IntVar(&c.Workers, "workers", 32, "concurrent requests in the closed loop")
	out := flag.String("out", "../results/load.txt", "write the results to this file, in Go's benchmark format")
	short := flag.Bool("demo", false, "compare five handlers, with 300,000 live objects, in a minute")
	shifting := flag.Duration("shift", 0, "instead, measure a changing load for this long, such as 9m")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if b := load.Busy(); b > 0.7 {
		fmt.Fprintf(os.Stderr, "WARNING: this machine is busy (load average %.2f): times and ratios will be off\n", b)
	}
	if out, err := exec.Command("env", strings.TrimPrefix(handlers.Older, "+"), "go", "version").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "left out: server built by the previous Go: %s", out)
		sides = slices.DeleteFunc(sides, func(s string) bool { return strings.HasSuffix(s, handlers.Older) })
	}
	err := load.ToFile(*out, func(w io.Writer) error {
		if *short {
			return demo(ctx, os.Stdout, w, 300_000, load.Config{Rounds: 3, Requests: 8_000, OpenFor: 700 * time.Millisecond, Workers: 32})
		}
		if *shifting > 0 {
			return shift(ctx, io.MultiWriter(w, os.Stdout), *shifting)
		}
		for _, n := range []int{0, *live} {
			s := service(n, sides, nil)
			if n > 0 {
				s.Open, s.Steady, c.Requests = []int{20, 50, 80}, steady, *requests
			}
			if _, err := s.Measure(ctx, io.MultiWriter(w, os.Stdout), c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

var (
	sides = []string{
		handlers.Plain, handlers.Plain + handlers.Tuned, handlers.Plain + handlers.Older, handlers.Sonic, handlers.Goccy, handlers.ArenaJSON, handlers.ArenaJSON + handlers.Tuned,
		handlers.NilArena, handlers.NilArena + handlers.Tuned, handlers.Careful, handlers.Unsafe, handlers.Arena,
		onFasthttp + handlers.Plain, onFasthttp + handlers.Unsafe, onFasthttp + handlers.Arena,
	}
	// steady are the handlers whose latencies are drawn.
	steady = []string{handlers.Plain, handlers.Plain + handlers.Tuned, handlers.Unsafe, handlers.Arena}
)

func service(live int, sides, steady []string) load.Service {
	return load.Service{Name: fmt.Sprintf("load/live=%d", live), Sides: sides, Steady: steady, Serve: serve, Senders: senders,
		Begin: func(context.Context, string) (string, error) { return strconv.Itoa(live), nil }}
}

// barWidth is the length of the longest bar, so that no line of the demo has more than 100 columns.
const barWidth = 32

// demo measures handlers.Front and writes a table and a summary to out.
func demo(ctx context.Context, out, results io.Writer, live int, c load.Config) error {
	s := service(live, handlers.Front, handlers.Front)
	s.Open = []int{50}
	all, err := s.Measure(ctx, results, c)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "load")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file, err := s.Profile(ctx, handlers.Plain, dir, c)
	if err != nil {
		return err
	}
	codec, memory, err := split(file)
	if err != nil {
		return err
	}
	of := func(side, loop string, value func(load.Result) float64) float64 {
		var values []float64
		for _, r := range all {
			if r.Side == side && r.Loop == loop {
				values = append(values, value(r))
			}
		}
		m, _ := stats.Median(values) // all sides have values
		return m
	}
	cpu := func(r load.Result) float64 { return r.CPU / 1e3 }
	perSecond := func(r load.Result) float64 { return r.PerSecond }
	fmt.Fprintf(out, "JSON orders over net/http; %d live objects; medians of %d rounds; same answers from all\n\n", live, c.Rounds)
	fmt.Fprintf(out, "%-23s %8s %9s %8s %7s %7s\n", "", "CPU, µs", "p99, ms,", "memory,", "GCs per", "")
	fmt.Fprintf(out, "%-23s %8s %9s %8s %7s %7s\n", "handler", "per req", "half load", "MB", "1k req", "req/s")
	most := 0.0
	for _, side := range handlers.Front {
		most = max(most, of(side, "closed", perSecond))
	}
	for _, side := range handlers.Front {
		rate := of(side, "closed", perSecond)
		fmt.Fprintf(out, "%-23s %8.1f %9.2f %8.0f %7.2f %7.0f %s\n", side, of(side, "closed", cpu),
			of(side, "open50", func(r load.Result) float64 { return float64(r.Quantile(99)) / 1e6 }),
			of(side, "closed", func(r load.Result) float64 { return float64(r.Used.PeakRSS) / 1e6 }),
			of(side, "closed", func(r load.Result) float64 { return 1000 * float64(r.Used.Collections) / float64(r.Requests) }),
			rate, strings.Repeat("█", int(barWidth*rate/most+0.5)))
	}
	ours := of(handlers.Arena, "closed", perSecond)
	percent := func(share float64) int { return int(100*share + 0.5) }
	_, err = fmt.Fprintf(out, "\narena: %.1f times plain's throughput, %.1f times that of sonic with sync.Pool\n"+
		"plain's CPU: %d %% codec, %d %% allocation and collection, %d %% other\n",
		ours/of(handlers.Plain, "closed", perSecond), ours/of(handlers.Unsafe, "closed", perSecond),
		percent(codec), percent(memory), 100-percent(codec)-percent(memory))
	return err
}
