//go:build linux

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// row of the table: one figure of each round, and how it is written.
type row struct {
	name string
	of   func(round) float64
	unit string
}

func latency(of func(round) outcome, quantile float64) func(round) float64 {
	return func(r round) float64 {
		h := of(r).latency
		if quantile == 100 {
			return float64(h.Max()) / float64(time.Millisecond)
		}
		return float64(h.ValueAtQuantile(quantile)) / float64(time.Millisecond)
	}
}

func closed(r round) outcome { return r.closed }
func open(r round) outcome   { return r.open }

var table = []row{
	{"closed loop: requests/s", func(r round) float64 { return r.closed.perSecond() }, "%.0f"},
	{"closed loop: CPU per request, µs", func(r round) float64 {
		return float64(r.inClosed.CPU) / float64(r.closed.latency.TotalCount()) / 1000
	}, "%.0f"},
	{"closed loop: p50, ms", latency(closed, 50), "%.2f"},
	{"closed loop: p99, ms", latency(closed, 99), "%.2f"},
	{"closed loop: p99.9, ms", latency(closed, 99.9), "%.2f"},
	{"closed loop: max, ms", latency(closed, 100), "%.1f"},
	{"open loop at 60 % of plain's rate: p50, ms", latency(open, 50), "%.2f"},
	{"open loop: p99, ms", latency(open, 99), "%.2f"},
	{"open loop: p99.9, ms", latency(open, 99.9), "%.2f"},
	{"open loop: max, ms", latency(open, 100), "%.1f"},
	{"both loops: collections in 1000 requests", func(r round) float64 { return 1000 * float64(r.both.Collections) / float64(r.requests) }, "%.1f"},
	{"both loops: pauses in 1000 requests, ms", func(r round) float64 {
		return 1000 * float64(r.both.Pause) / float64(r.requests) / float64(time.Millisecond)
	}, "%.2f"},
	{"both loops: allocated for a request, KB", func(r round) float64 { return float64(r.both.Allocated) / float64(r.requests) / 1024 }, "%.1f"},
	{"peak RSS, MB", func(r round) float64 { return float64(r.both.PeakRSS) / (1 << 20) }, "%.0f"},
}

// tabulate writes medians, and the median, least and greatest of the rounds' ratios.
func tabulate(c config, results map[string][]round, perRequest map[string][]float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %d rounds of %d requests in each loop, 80 %% of them read | plain | arena | arena / plain |\n| --- | ---: | ---: | ---: |\n", c.rounds, c.requests)
	line := func(name, unit string, plain, arena []float64) {
		var ratios []float64
		for i := range plain {
			if plain[i] != 0 {
				ratios = append(ratios, arena[i]/plain[i])
			}
		}
		ratio := "-"
		if len(ratios) > 0 {
			ratio = fmt.Sprintf("%.2f (%.2f–%.2f)", median(ratios), slices.Min(ratios), slices.Max(ratios))
		}
		fmt.Fprintf(&b, "| %s | "+unit+" | "+unit+" | %s |\n", name, median(plain), median(arena), ratio)
	}
	micros := func(nanos []float64) (out []float64) {
		for _, n := range nanos {
			out = append(out, n/1000)
		}
		return out
	}
	line("handler: time of a request outside the database, µs", "%.1f", micros(perRequest["plain"]), micros(perRequest["arena"]))
	for _, r := range table {
		var plain, arena []float64
		for i := range results["plain"] {
			plain = append(plain, r.of(results["plain"][i]))
			arena = append(arena, r.of(results["arena"][i]))
		}
		line(r.name, r.unit, plain, arena)
	}
	return b.String()
}

func median(of []float64) float64 {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

const begin, end = "<!-- load:begin -->\n", "<!-- load:end -->"

// insert puts the table into the page, in place of the one that is there.
func insert(page, table string) error {
	b, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(b), begin)
	_, after, too := strings.Cut(rest, end)
	if !ok || !too {
		return fmt.Errorf("%s has no lines %q and %q", page, strings.TrimSpace(begin), end)
	}
	return os.WriteFile(page, []byte(before+begin+table+end+after), 0o644)
}
