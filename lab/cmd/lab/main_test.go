package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebbpool/arena/lab/figures"
	"github.com/ebbpool/arena/lab/stress"
)

// lab runs a command line, and returns its exit code and all that it prints.
func lab(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var b bytes.Buffer
	a := app()
	a.Writer, a.ErrWriter = &b, &b
	err := a.Run(t.Context(), append([]string{"lab"}, args...))
	if err == nil {
		return 0, b.String()
	}
	return code(err), b.String() + err.Error()
}

// fakes has no processes start: each run serves as fast as its subject's name is short.
func fakes(t *testing.T) {
	old := runner
	t.Cleanup(func() { runner = old })
	runner = func(_ context.Context, c stress.Config, _ func(int)) (stress.Result, error) {
		return stress.Result{Mode: c.Mode, Subject: c.Subject, Requests: c.Requests, Offered: c.Rate, Seconds: float64(len(c.Subject)),
			P50: 1, P90: 2, P99: 3, P999: 4, P9999: 5, Max: 6, CPU: 7, PeakRSS: 8, Checksum: uint64(c.Requests)}, nil
	}
}

// Bad input is exit code 2, with a line that names what is wrong.
func TestBadInput(t *testing.T) {
	fakes(t)
	empty := filepath.Join(t.TempDir(), "empty.txt")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"nothing":                        "no command",
		"bench -rounds 0":                "-rounds 0",
		"bench -from " + empty:           "no benchmark result",
		"bench -from /nowhere":           "/nowhere",
		"matrix -only nothing":           "nothing",
		"matrix -subject tcmalloc":       "tcmalloc",
		"matrix -build msan":             "msan",
		"stress -quick -full":            "exclude",
		"stress -quick -publish":         "-full",
		"stress -subjects x":             "x",
		"stress -modes carrier-pigeon":   "carrier-pigeon",
		"stress -requests 0":             "0 requests",
		"stress -rounds 0":               "-rounds 0",
		"demo -requests 0":               "0 requests",
		"cpp":                            "name a program",
		"cpp gcc":                        "COMPILER=PROGRAM",
		"report -figures " + empty:       "figures",
		"json -no-such-flag":             "no-such-flag",
		"stress -rate 1 -open 0.5":       "not both",
		"stress -subjects arena -open 1": "plain",
	} {
		got, said := lab(t, strings.Fields(line)...)
		if got != 2 || !strings.Contains(said, want) {
			t.Errorf("lab %s: exit code %d, %s", line, got, said)
		}
	}
}

// What stress writes is read back as figures, and shown.
func TestStress(t *testing.T) {
	fakes(t)
	file := filepath.Join(t.TempDir(), "results", "stress.txt")
	if got, said := lab(t, "stress", "-quick", "-out", file); got != 0 || !strings.Contains(said, "99.9 %, µs") {
		t.Fatalf("exit code %d:\n%s", got, said)
	}
	all, err := figures.Of("stress", file)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, g := range figures.Only(all, "stress") {
		if g.Work == "handler" && g.Measure == "req/s, arena / sonic+sync.Pool" {
			found = g.Median > 2.99 && g.Median < 3.01 // 15 letters beside 5
		}
	}
	if !found {
		t.Errorf("there is no such ratio in\n%s", figures.Text(all))
	}
}

func TestDemo(t *testing.T) {
	fakes(t)
	got, said := lab(t, "demo", "-out", filepath.Join(t.TempDir(), "demo.txt"))
	if lines := strings.Count(said[max(0, strings.Index(said, "50000 orders")):], "\n"); got != 0 || lines != 6 {
		t.Errorf("exit code %d, %d lines:\n%s", got, lines, said)
	}
}

// A child process runs what it is told to, and answers with a result.
func TestChild(t *testing.T) {
	c := stress.Config{Mode: stress.Handler, Subject: "arena", Requests: 50, Workers: 2, Seed: 1}
	got, said := lab(t, childArgs(c)...)
	if got != 0 || !strings.Contains(said, `"Requests":50`) {
		t.Errorf("exit code %d: %s", got, said)
	}
}
