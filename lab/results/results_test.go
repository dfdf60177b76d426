package results_test

import (
	"encoding/csv"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena/lab/results"
)

// run makes a run whose numbers are easy to tell apart.
func run(mode, subject string, round int, seconds float64, p999 time.Duration) results.Run {
	return results.Run{
		Mode: mode, Subject: subject, Round: round, Requests: 1000, Seconds: seconds,
		P50: time.Microsecond, P99: 2 * time.Microsecond, P999: p999, Max: 2 * p999,
		GCCycles: 3, PauseTotal: 5 * time.Microsecond, PauseMax: 4 * time.Microsecond,
		GCShare: 0.25, Mallocs: 64_000, Bytes: 3_000_000, PeakRSS: 55_500_000, Checksum: 1,
	}
}

var runs = []results.Run{
	run("handler", "heap", 1, 2, 400*time.Microsecond),
	run("handler", "arena", 1, 1, 100*time.Microsecond),
	run("handler", "heap", 2, 3, 900*time.Microsecond),
	run("handler", "arena", 2, 1, 100*time.Microsecond),
	run("handler", "heap", 3, 8, 200*time.Microsecond),
	run("handler", "arena", 3, 2, 100*time.Microsecond),
}

func TestRatios(t *testing.T) {
	got, err := results.Compare(runs, "arena")
	if err != nil {
		t.Fatal(err)
	}
	want := []results.Ratio{
		{"handler", "req/s, arena / heap", 3, 2, 4, 3},
		{"handler", "p99.9, heap / arena", 4, 2, 9, 3},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestRatiosNeedBothRunsOfARound(t *testing.T) {
	got, err := results.Compare(runs[:3], "arena")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Rounds != 1 || got[0].Median != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestCSVEqualsTable(t *testing.T) {
	runsTable, err := results.Runs(runs)
	if err != nil {
		t.Fatal(err)
	}
	ratios, err := results.Compare(runs, "arena")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []results.Table{runsTable, results.Ratios(ratios, true)} {
		var text, comma strings.Builder
		if err := table.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		if err := table.WriteCSV(&comma); err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(strings.NewReader(comma.String())).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		gap := regexp.MustCompile(` {2,}`) // between two columns
		var cells [][]string
		for line := range strings.Lines(text.String()) {
			cells = append(cells, gap.Split(strings.TrimSpace(line), -1))
		}
		if !reflect.DeepEqual(cells, records) {
			t.Errorf("table:\n%q\nCSV:\n%q", cells, records)
		}
	}
}

func TestRunsTable(t *testing.T) {
	table, err := results.Runs(runs)
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) != 8 {
		t.Fatalf("%d rows, want 6 runs and 2 medians", len(table.Rows))
	}
	want := []string{"handler", "heap", "1", "500", "1.0", "2.0", "400.0", "800.0",
		"3", "5.0", "4.0", "25.00", "64.00", "3000.0", "55.5"}
	if !reflect.DeepEqual(table.Rows[0], want) {
		t.Errorf("got  %q\nwant %q", table.Rows[0], want)
	}
	median := table.Rows[6]
	if median[1] != "heap" || median[2] != "median" || median[3] != "333" || median[6] != "400.0" {
		t.Errorf("the median row of heap is %q", median)
	}
}

func TestVerify(t *testing.T) {
	if err := results.Verify(runs); err != nil {
		t.Errorf("equal checksums: %v", err)
	}
	other := append([]results.Run(nil), runs...)
	other[4].Checksum = 2
	err := results.Verify(other)
	if !errors.Is(err, results.ErrMismatch) || !strings.Contains(err.Error(), "heap, round 3") {
		t.Errorf("one wrong checksum: %v", err)
	}
	other[4].Requests = 2000 // another number of requests has other answers
	if err := results.Verify(other); err != nil {
		t.Errorf("another number of requests: %v", err)
	}
	other[0].Errors = 7
	if err := results.Verify(other); err == nil || errors.Is(err, results.ErrMismatch) {
		t.Errorf("failed requests: %v", err)
	}
}
