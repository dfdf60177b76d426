package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ebbpool/arena/lab/handlers"
	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/ratios"
	"github.com/ebbpool/arena/lab/results"
	"github.com/ebbpool/arena/lab/stress"
)

// TestMain lets the test binary be the program: stress and run start "itself"
// with the commands child, measure and misuse, and tests start it with LAB_TEST_MAIN
// set.
func TestMain(m *testing.M) {
	if os.Getenv("LAB_TEST_MAIN") != "" || len(os.Args) > 1 && slices.Contains([]string{"child", matrix.MeasureChild, matrix.MisuseChild}, os.Args[1]) {
		main()
		return
	}
	os.Exit(m.Run())
}

// lab runs the command line within the test.
func lab(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errOut bytes.Buffer
	a := app()
	a.Writer, a.ErrWriter = &out, &errOut
	err = a.Run(t.Context(), append([]string{"lab"}, args...))
	return out.String(), errOut.String(), err
}

func TestStressEndToEnd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.csv")
	out, errOut, err := lab(t, "stress", "-requests", "300", "-live", "1000",
		"-workers", "5", "-rounds", "2", "-seed", "3", "-csv", file)
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, errOut)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	// A heading, 3 subjects with 2 rounds in 2 modes and an open loop, and the medians.
	if len(records) != 1+3*3*2+3*3 {
		t.Errorf("%d records", len(records))
	}
	for _, rec := range records {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), strings.Join(rec[:len(rec)-2], " ")) { // it is of one processor
			t.Errorf("the terminal doesn't show %q", rec)
		}
	}
	compared, err := os.ReadFile(strings.TrimSuffix(file, ".csv") + "-ratios.csv")
	if err != nil {
		t.Fatal(err)
	}
	// Two ratios at least, of requests per second and of p99, for each of two others.
	if n := strings.Count(string(compared), "\n"); n < 1+2*2*3 || !strings.Contains(string(compared), "open loop") {
		t.Errorf("%d lines of ratios:\n%s", n, compared)
	}
	if !strings.Contains(errOut, "%  handler, plain, round 1 of 2") {
		t.Errorf("no line of progress in %q", errOut)
	}
}

// The demo says in six lines what ran, four figures of each handler, and where the
// whole table is.
func TestDemo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "demo.csv")
	out, errOut, err := lab(t, "demo", "-requests", "200", "-live", "100", "-csv", file)
	if err != nil {
		t.Fatalf("%v\n%s", err, errOut)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 6 || !strings.HasSuffix(lines[5], file) {
		t.Fatalf("%d lines:\n%s", len(lines), out)
	}
	for _, line := range lines[1:5] {
		for _, name := range handlers.Names() {
			if !strings.Contains(line, name+" ") {
				t.Errorf("no %s in %q", name, line)
			}
		}
	}
	if text, err := os.ReadFile(file); err != nil || strings.Count(string(text), "\n") != 1+3*3+3 {
		t.Errorf("%v: the table is\n%s", err, text)
	}
}

func TestStressOpenLoop(t *testing.T) {
	out, errOut, err := lab(t, "stress", "-requests", "300", "-live", "10", "-workers", "5", "-rounds", "1", "-rate", "3000", "-modes", "handler")
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, errOut)
	}
	if n := strings.Count(out, " open  "); n != 2*3 { // 3 subjects, and the medians
		t.Errorf("%d rows of an open loop in\n%s", n, out)
	}
	if !strings.Contains(out, "handler, open loop") || strings.Contains(out, "req/s, ") {
		t.Errorf("ratios of p99.9 alone are wanted:\n%s", out)
	}
}

func TestStressFailsWhenAnswersDiffer(t *testing.T) {
	old := runner
	defer func() { runner = old }()
	runner = func(ctx context.Context, c stress.Config, progress func(int)) (results.Run, error) {
		if c.Subject == handlers.Careful {
			c.Seed++ // answers of other requests
		}
		return stress.Run(ctx, c, progress)
	}
	out, _, err := lab(t, "stress", "-requests", "100", "-live", "10", "-workers", "2",
		"-rounds", "1", "-modes", "handler")
	if !errors.Is(err, results.ErrMismatch) {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(out, handlers.Careful) {
		t.Error("the runs are not shown")
	}
}

func TestBenchFromCSV(t *testing.T) {
	dir := t.TempDir()
	rows := []ratios.Row{
		{Round: 1, Name: "New/type=flat64/alloc=heap", Unit: "ns/op", Value: 32},
		{Round: 1, Name: "New/type=flat64/alloc=arena", Unit: "ns/op", Value: 4},
	}
	from, numbers, front := filepath.Join(dir, "bench.csv"), filepath.Join(dir, "numbers.md"), filepath.Join(dir, "README.md")
	page := "before\n<!-- bench:begin -->\n<!-- bench:end -->\nafter\n"
	if err := errors.Join(here(ratios.Table(rows)).Save(from), os.WriteFile(numbers, []byte(page), 0o644),
		os.WriteFile(front, []byte("<!-- front:begin -->\n<!-- front:end -->\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	out, _, err := lab(t, "bench", "-from", from, "-page", numbers, "-front", front)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "8.00") {
		t.Errorf("no ratio of 8 in\n%s", out)
	}
	got, err := os.ReadFile(numbers)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(got), "| 8.00 (8.00–8.00) |") ||
		!strings.HasPrefix(string(got), "before\n") || !strings.HasSuffix(string(got), "\nafter\n") {
		t.Errorf("the page is\n%s", got)
	}
	if got, err = os.ReadFile(front); err != nil || !strings.Contains(string(got), "| 8.0 (8.0–8.0) |") {
		t.Errorf("the front is\n%s%v", got, err)
	}
	if _, _, err := lab(t, "bench", "-from", from, "-strict"); err == nil {
		t.Error("-strict passes although most claims are not measured")
	}
}

// TestBenchRunsBenchmarks runs a package of one benchmark.
func TestBenchRunsBenchmarks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library once more, for a profile")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                   "module example.com/x\n\ngo 1.25.0\n",
		"internal/bench/x_test.go": "package x\n\nimport \"testing\"\n\nfunc BenchmarkNew(b *testing.B) {\n\tb.Run(\"alloc=heap\", func(b *testing.B) {\n\t\tfor range b.N {\n\t\t}\n\t})\n}\n",
	} {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := lab(t, "bench", "-dir", dir, "-rounds", "2", "-benchtime", "10x"); err != nil {
		t.Fatal(err)
	}
	kept, err := results.ReadFigures(filepath.Join(dir, "docs", "bench.csv"))
	if err != nil || len(kept) != 1 || kept[0].Processor != matrix.Processor() {
		t.Fatalf("%+v %v", kept, err)
	}
	rows, err := ratios.FromTable(kept[0].Table)
	// Each round has the plain binary's rows, and those of the one with a profile.
	if err != nil || len(rows) != 4 || rows[2].Round != 2 || rows[2].Name != "New/alloc=heap" || rows[3].Name != "PGO/New/alloc=heap" {
		t.Errorf("%v %v", rows, err)
	}
}
