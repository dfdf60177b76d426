//go:build !race && !asan && !arenacheck && !arenaportable && !386

package main

import (
	"flag"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/ebbpool/arena/internal/testkit"
	"github.com/ebbpool/arena/internal/testkit/turns"
)

var rounds = flag.Int("rounds", 1, "how often TestCost measures each build")

// TestCost measures requests without a mistake in each build, with the checks
// and without, in turns, and logs the ratios: lab/adapters.md says which they
// were. It fails where they are far off, on any machine.
func TestCost(t *testing.T) {
	if testing.Short() || testkit.Emulated() {
		t.Skip("builds and measures four programs")
	}
	var runs []costRun
	for _, l := range layers[1:] {
		program, why := l.build(t)
		if why != "" {
			if l.name == "plain" {
				t.Skip("SKIPPED: ", why)
			}
			t.Logf("SKIPPED: %s is not measured: %s", l.name, why)
			continue
		}
		runs = append(runs, costRun{l.name, program, "on"})
		if l.name != "plain" {
			runs = append(runs, costRun{l.name + ", checks off", program, "off"})
		}
	}
	for _, over := range []string{"parsing", "http"} {
		// On a busy machine either side may have to wait: what is far off is so each time.
		for try := range 3 {
			if far := costs(t, over, runs); len(far) == 0 {
				break
			} else if try == 2 {
				t.Errorf("%s takes over a hundred times as long as in a plain build: %v", over, far)
			}
		}
	}
}

type costRun struct{ name, program, checked string }

// costs measures and logs each run, and returns those that take over a hundred times
// as long as the plain one.
func costs(t *testing.T, over string, runs []costRun) (far []string) {
	measure := make([]func() float64, len(runs))
	for i, r := range runs {
		measure[i] = func() float64 {
			cmd := exec.Command(r.program, "cost", over)
			cmd.Env = append(os.Environ(), "EBBPOOL_CHECKED="+r.checked, noSleep)
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%s: %v", r.name, err)
			}
			ns, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
			if err != nil {
				t.Fatal(err)
			}
			return ns
		}
	}
	took := turns.Run(*rounds, measure...)
	for i, r := range runs { // the first of which is plain
		s := turns.Ratio(took[i], took[0])
		t.Logf("%-8s %-28s %s times plain", over, r.name, s)
		if s.Median > 100 {
			far = append(far, r.name)
		}
	}
	return far
}
