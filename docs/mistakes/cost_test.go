//go:build !race && !asan && !arenacheck && !386

package main

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/ebbpool/arena/internal/testkit/turns"
)

// BenchmarkCost reports the CPU time of correct requests in each build, with and without its checks, relative to a
// plain build. The builds are interleaved.
func BenchmarkCost(b *testing.B) {
	var runs []costRun
	for _, l := range layers[1:] {
		program, why := l.build(b)
		if why != "" {
			b.Skipf("SKIPPED: %s: %s", l.name, why)
		}
		runs = append(runs, costRun{l.name, program, "on"})
		if l.name != "plain" {
			runs = append(runs, costRun{l.name + ", checks off", program, "off"})
		}
	}
	for _, over := range []string{"parsing", "http"} {
		b.Run(over, func(b *testing.B) {
			measure := make([]func() float64, len(runs))
			for i, r := range runs {
				measure[i] = func() float64 { return r.measure(b, over) }
			}
			took := turns.Run(b.N, measure...)
			for i, r := range runs { // the first is plain
				b.ReportMetric(turns.Ratio(took[i], took[0]).Median, strings.ReplaceAll(r.name, " ", "-")+"/plain")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

type costRun struct{ name, program, checked string }

// measure returns the CPU time of a run in nanoseconds.
func (r costRun) measure(b *testing.B, over string) float64 {
	cmd := exec.Command(r.program, "cost", over)
	cmd.Env = append(os.Environ(), "EBBPOOL_CHECKED="+r.checked, noSleep)
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("%s: %v", r.name, err)
	}
	ns, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return ns
}
