package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/page"
	"github.com/ebbpool/arena/lab/results"
)

// TestRunAndReport measures a little, each measurement a process, and draws
// it: what a newcomer does with two commands.
func TestRunAndReport(t *testing.T) {
	dir := t.TempDir()
	from, out, file := filepath.Join(dir, "results", "one"), filepath.Join(dir, "report"), filepath.Join(dir, "numbers.md")
	stdout, stderr, err := lab(t, "run", "-out", from, "-cpp", "", "-rounds", "2", "-least", "1ms", "-seed", "9",
		"-only", "request,corruption,collector", "-subjects", "heap,Arena,bytebump", "-stress", "0,1000", "-stress-requests", "300")
	if err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	folder, err := matrix.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	steps := map[matrix.Step]string{}
	for _, r := range folder.Rows {
		steps[matrix.Step{Cell: r.Cell, Round: r.Round}] = r.Status
	}
	if len(steps) != 2*3*3 {
		t.Errorf("%d measurements", len(steps))
	}
	for s, status := range steps {
		// Our arena and the heap keep every string; the other is why they exist.
		want := matrix.OK
		if s.Workload == "corruption" && s.Subject == "bytebump" {
			if status == matrix.OK {
				t.Errorf("%v: all strings are still there", s)
			}
			continue
		}
		if status != want {
			t.Errorf("%v: %s", s, status)
		}
	}
	for _, live := range []string{"0", "1000"} {
		text, err := os.ReadFile(filepath.Join(from, matrix.StressPrefix+live+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		// Three subjects, three rounds, and the median, in both loops.
		if n := strings.Count(string(text), "\nhandler,"); n != 2*3*4 || strings.Count(string(text), ",open,") != n/2 {
			t.Errorf("%d rows of the stress test over %s live objects:\n%s", n, live, text)
		}
		f, err := os.Open(filepath.Join(from, matrix.TimelinePrefix+live+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		courses, err := results.ReadTimelines(f)
		if err = errors.Join(err, f.Close()); err != nil || len(courses) != 3*3 {
			t.Errorf("%d timelines: %v", len(courses), err)
		}
		for _, c := range courses {
			var requests uint32
			for _, s := range c.Slices {
				requests += s.Requests
			}
			if requests != 300 {
				t.Errorf("%s, round %d: %d requests in its timeline, want 300", c.Subject, c.Round, requests)
			}
		}
	}
	e := folder.Environment
	if e.Settings.Seed != 9 || e.Go == "" || e.CPU == "" || e.Kernel == "" || e.Commit == "" || e.Begun == "" {
		t.Errorf("environment %+v", e)
	}
	if err := os.WriteFile(file, []byte("x\n<!-- lab:begin -->\n<!-- lab:end -->\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := lab(t, "report", "-dirty", "-results", filepath.Join(dir, "results"), "-out", out, "-page", file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(out, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"requests of 20 objects", "corrupt", "seed 9, 2 rounds", "Under load: p99.9 against live objects"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	table, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := page.Extract(string(table), page.Lab); err != nil || !strings.Contains(got, "| Arena |") {
		t.Errorf("%v: %s", err, got)
	}
	// All is there: going on measures nothing, and finds nothing wrong.
	if _, _, err := lab(t, "run", "-resume", "-results", filepath.Join(dir, "results"), "-cpp", ""); err != nil {
		t.Error(err)
	}
}

// withMeasurer has the runs of a test measured by f.
func withMeasurer(t *testing.T, f matrix.Measurer) {
	t.Helper()
	oldMeasurer, oldLanes := measurer, lanes
	measurer, lanes = func(matrix.Programs) matrix.Measurer { return f }, func() int { return 1 }
	t.Cleanup(func() { measurer, lanes = oldMeasurer, oldLanes })
}

// A subject that does other work than the rest fails the run, and is named;
// its rows are kept.
func TestWrongChecksumFailsTheRun(t *testing.T) {
	withMeasurer(t, func(_ context.Context, c matrix.Cell, _ time.Duration) (matrix.Result, error) {
		r := matrix.Result{Status: matrix.OK, Checksum: 7, Values: []matrix.Value{{Metric: matrix.NsPerOp, Value: 1}}}
		if c.Subject == "ArenaPool" {
			r.Checksum++
		}
		return r, nil
	})
	dir := filepath.Join(t.TempDir(), "one")
	stdout, _, err := lab(t, "run", "-out", dir, "-cpp", "", "-rounds", "2", "-only", "request", "-subjects", "heap,Arena,ArenaPool")
	if err == nil || !strings.Contains(err.Error(), "2 measurements") || code(err) != 1 {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(stdout, "request n=1000, ArenaPool: wrong checksum") {
		t.Errorf("it isn't named in\n%s", stdout)
	}
}

// A run that is interrupted says how to go on, and what is done is there.
func TestInterruptedRunGoesOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "one")
	ctx, stop := context.WithCancel(t.Context())
	n := 0
	measured := matrix.Result{Status: matrix.OK, Checksum: 7, Values: []matrix.Value{{Metric: matrix.NsPerOp, Value: 1}}}
	withMeasurer(t, func(ctx context.Context, _ matrix.Cell, _ time.Duration) (matrix.Result, error) {
		if n++; n == 3 {
			stop()
		}
		return measured, ctx.Err()
	})
	args := []string{"lab", "run", "-out", dir, "-cpp", "", "-rounds", "2", "-only", "request", "-subjects", "heap,Arena"}
	if err := app().Run(ctx, args); err == nil || !strings.Contains(err.Error(), "lab run -resume -out "+dir) {
		t.Fatalf("got %v", err)
	}
	if _, _, err := lab(t, "run", "-resume", "-out", dir, "-cpp", ""); err != nil {
		t.Fatal(err)
	}
	if n != 3+2 { // two are kept, the third was lost, of four
		t.Errorf("%d measurements", n)
	}
}

// Where the C++ half can't be built, one line says why, the report lists it,
// and the run is good.
func TestNoCompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	withMeasurer(t, func(context.Context, matrix.Cell, time.Duration) (matrix.Result, error) {
		return matrix.Result{Status: matrix.OK, Checksum: 7, Values: []matrix.Value{{Metric: matrix.NsPerOp, Value: 1}}}, nil
	})
	dir := filepath.Join(t.TempDir(), "one")
	_, stderr, err := lab(t, "run", "-out", dir, "-rounds", "1", "-stress", "")
	if err != nil {
		t.Fatal(err)
	}
	const want = "the C++ half is not measured: there is no cmake here"
	if strings.Count(stderr, want) != 1 {
		t.Errorf("no line %q in\n%s", want, stderr)
	}
	folder, err := matrix.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if notes := folder.Environment.CppNotes; !slices.Equal(notes, []string{want}) {
		t.Errorf("notes %q", notes)
	}
	// The other notes are of what needs the go command, which isn't there either.
	notes := folder.Environment.Notes
	for i, want := range []string{"the asan build is not measured: ", "the race build is not measured: ",
		"the cover build is not measured: ", "std arena is not measured: ", "not measured with the newest Go: "} {
		if len(notes) != 5 || !strings.HasPrefix(notes[i], want) || strings.HasSuffix(notes[i], ": ") || strings.Contains(notes[i], "\n") {
			t.Fatalf("notes %q, want %q", notes, want)
		}
	}
	if rows, err := folder.Cpp(); rows != nil || err != nil {
		t.Errorf("%v %v", rows, err)
	}
	other := filepath.Join(t.TempDir(), "two")
	// A run that goes on says it once more to nobody, and keeps it.
	if _, _, err := lab(t, "run", "-resume", "-out", dir, "-stress", ""); err != nil {
		t.Error(err)
	}
	if env, err := matrix.ReadEnvironment(dir); err != nil || !slices.Equal(env.CppNotes, []string{want}) {
		t.Errorf("notes after it went on: %q %v", env.CppNotes, err)
	}
	if _, _, err := lab(t, "run", "-out", other, "-cpp", "../../../cpp"); code(err) != 2 || !strings.Contains(err.Error(), want) {
		t.Errorf("asked for by name: %v", err)
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("a folder was made")
	}
}

// The standard library's arena needs a build of its own: it measures the same
// work.
func TestExperimentIsBuiltAndMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library once more")
	}
	programs := matrix.Programs{}
	if err := programs.Build(t.Context(), t.TempDir(), matrix.Build{}, "arenas"); err != nil {
		t.Fatal(err)
	}
	programs[matrix.Program{}] = os.Args[0]
	for _, workload := range []string{"request", "grow-turns", "ComplexStruct", "reset-link"} {
		var sums []uint64
		for _, subject := range []string{"Arena", "std arena"} {
			r, err := programs.Measure(t.Context(), matrix.Cell{Workload: workload, N: 100, Subject: subject}, 0)
			if err != nil || r.Status != matrix.OK {
				t.Fatalf("%s, %s: %+v %v", workload, subject, r, err)
			}
			sums = append(sums, r.Checksum)
		}
		if sums[0] != sums[1] || sums[0] == 0 {
			t.Errorf("%s: checksums %x", workload, sums)
		}
	}
}

// A process that dies is a result with its reason.
func TestCrashIsAResult(t *testing.T) {
	programs := matrix.Programs{{}: os.Args[0]}
	r, err := programs.Measure(t.Context(), matrix.Cell{Workload: "text", N: 10, Subject: "Slab"}, 0)
	if err != nil || r.Status != matrix.Crashed || !strings.Contains(r.Detail, "not made for") || r.Values != nil {
		t.Errorf("%+v %v", r, err)
	}
}
