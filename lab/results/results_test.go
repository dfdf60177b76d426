package results_test

import (
	"encoding/csv"
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena/lab/results"
)

// run makes a run whose numbers are easy to tell apart.
func run(mode, subject string, round int, seconds float64, p999 time.Duration) results.Run {
	return results.Run{
		Mode: mode, Subject: subject, Round: round, Requests: 1000, Seconds: seconds,
		CPU: time.Duration(seconds * float64(time.Second)),
		P50: time.Microsecond, P90: 1500, P99: 2 * time.Microsecond, P999: p999, P9999: p999 + 1000, Max: 2 * p999,
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
		{"handler", "CPU per request, heap / arena", 3, 2, 4, 3},
		{"handler", "p99, heap / arena", 1, 1, 1, 3},
		{"handler", "p99.9, heap / arena", 4, 2, 9, 3},
		{"handler", "peak memory, heap / arena", 1, 1, 1, 3},
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
	if len(got) != 5 || got[0].Rounds != 1 || got[0].Median != 2 {
		t.Errorf("got %+v", got)
	}
}

// What the system doesn't tell has no ratio.
func TestRatiosOfWhatIsKnown(t *testing.T) {
	unknown := slices.Clone(runs[:2])
	for i := range unknown {
		unknown[i].CPU, unknown[i].PeakRSS = 0, 0
	}
	if got, err := results.Compare(unknown, "arena"); err != nil || len(got) != 3 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A summary is the medians, a column for each subject.
func TestSummary(t *testing.T) {
	table, err := results.Runs(runs)
	if err != nil {
		t.Fatal(err)
	}
	got, err := results.Summary(table, "handler", results.Closed)
	if err != nil {
		t.Fatal(err)
	}
	want := results.Table{Head: []string{"handler, closed loop", "heap", "arena"}, Rows: [][]string{
		{"requests per second", "333", "1,000"}, {"half of them take at most", "1.0 µs", "1.0 µs"}, {"99 %", "2.0 µs", "2.0 µs"},
		{"99.9 %", "400.0 µs", "100.0 µs"}, {"the slowest one", "800.0 µs", "200.0 µs"}, {"collections", "3", "3"},
		{"pauses for them, in sum", "5.0 µs", "5.0 µs"}, {"processor time per request", "3.0 ms", "1.0 ms"},
		{"allocations per request", "64.0", "64.0"}, {"memory at most", "56 MB", "56 MB"},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if _, err := results.Summary(table, "http", results.Closed); err == nil {
		t.Error("no error for a mode that is not there")
	}
}

// A newcomer's lines: a median for each subject, and bars in proportion.
func TestBars(t *testing.T) {
	var b strings.Builder
	if err := results.WriteBars(&b, runs, "x.csv"); err != nil {
		t.Fatal(err)
	}
	want := `requests/s, more is better        heap 333     ████          arena 1000    ████████████
1 in 1,000 takes longer than      heap 0.4 ms  ████████████  arena 0.1 ms  ███
processors' time for collection   heap 25.0 %  ████████████  arena 25.0 %  ████████████
memory at most                    heap 56 MB   ████████████  arena 56 MB   ████████████
The whole table: x.csv
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
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
		for i, r := range records { // the text has no empty cells at a line's end
			records[i] = r[:filled(r)]
		}
		if !reflect.DeepEqual(cells, records) {
			t.Errorf("table:\n%q\nCSV:\n%q", cells, records)
		}
	}
}

// filled is how many cells there are up to the last one that is not empty.
func filled(row []string) int {
	n := len(row)
	for n > 0 && row[n-1] == "" {
		n--
	}
	return n
}

func TestRunsTable(t *testing.T) {
	table, err := results.Runs(runs)
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) != 8 {
		t.Fatalf("%d rows, want 6 runs and 2 medians", len(table.Rows))
	}
	want := []string{"handler", "heap", "1", "closed", "-", "500", "-", "1.0", "1.5", "2.0", "400.0", "401.0", "800.0",
		"3", "5.0", "4.0", "2000.00", "25.00", "64.00", "3000.0", "55.5"}
	if !reflect.DeepEqual(table.Rows[0], want) {
		t.Errorf("got  %q\nwant %q", table.Rows[0], want)
	}
	median := table.Rows[6]
	if median[1] != "heap" || median[2] != "median" || median[5] != "333" || median[6] != "-" || median[10] != "400.0" {
		t.Errorf("the median row of heap is %q", median)
	}
}

// open makes a run of an open loop at 400 requests per second, of 1000.
func open(subject string, round int, seconds float64, p999 time.Duration) results.Run {
	r := run("handler", subject, round, seconds, p999)
	r.Offered = 400
	return r
}

// The two kinds of loop are rows, medians and ratios of their own; a run that
// served less than 95 % of what it was offered says so.
func TestOpenLoop(t *testing.T) {
	both := append(runs[:2:2], open("heap", 1, 2.5, 900*time.Microsecond), open("arena", 1, 2.5, 300*time.Microsecond),
		open("heap", 2, 2.64, 800*time.Microsecond), open("arena", 2, 2.62, 400*time.Microsecond))
	table, err := results.Runs(both)
	if err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for _, row := range table.Rows {
		got = append(got, append(row[:7:7], row[10]))
	}
	want := [][]string{
		{"handler", "heap", "1", "closed", "-", "500", "-", "400.0"},
		{"handler", "arena", "1", "closed", "-", "1000", "-", "100.0"},
		{"handler", "heap", "1", "open", "kept", "400", "400", "900.0"},
		{"handler", "arena", "1", "open", "kept", "400", "400", "300.0"},
		{"handler", "heap", "2", "open", "behind", "379", "400", "800.0"},
		{"handler", "arena", "2", "open", "kept", "382", "400", "400.0"},
		{"handler", "heap", "median", "closed", "-", "500", "-", "400.0"},
		{"handler", "arena", "median", "closed", "-", "1000", "-", "100.0"},
		{"handler", "heap", "median", "open", "behind", "389", "400", "850.0"},
		{"handler", "arena", "median", "open", "kept", "391", "400", "350.0"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	ratios, err := results.Compare(both, "arena")
	if err != nil {
		t.Fatal(err)
	}
	if want := []results.Ratio{
		{"handler", "req/s, arena / heap", 2, 2, 2, 1},
		{"handler", "CPU per request, heap / arena", 2, 2, 2, 1},
		{"handler", "p99, heap / arena", 1, 1, 1, 1},
		{"handler", "p99.9, heap / arena", 4, 4, 4, 1},
		{"handler", "peak memory, heap / arena", 1, 1, 1, 1},
		{"handler, open loop", "CPU per request, heap / arena", 1.0038167938931297, 1, 1.0076335877862594, 2},
		{"handler, open loop", "p99, heap / arena", 1, 1, 1, 2},
		{"handler, open loop", "p99.9, heap / arena", 2.5, 2, 3, 2},
		{"handler, open loop", "peak memory, heap / arena", 1, 1, 1, 2},
	}; !reflect.DeepEqual(ratios, want) {
		t.Errorf("got  %+v\nwant %+v", ratios, want)
	}
}

func TestTimelinesRoundTrip(t *testing.T) {
	a, b := runs[0], runs[3]
	a.Slices = []results.Slice{{700, 0}, {650, 1}, {3, 2}}
	b.Slices = []results.Slice{{900, 0}}
	var text strings.Builder
	if err := results.WriteTimelines(&text, []results.Run{a, runs[1], b}); err != nil {
		t.Fatal(err)
	}
	const want = "subject,round,ms,requests,collections\nheap,1,0,700,0\nheap,1,10,650,1\nheap,1,20,3,2\narena,2,0,900,0\n"
	if text.String() != want {
		t.Errorf("got %s", text.String())
	}
	got, err := results.ReadTimelines(strings.NewReader(want))
	if err != nil || !reflect.DeepEqual(got, []results.Timeline{
		{Subject: "heap", Round: 1, Slices: a.Slices}, {Subject: "arena", Round: 2, Slices: b.Slices},
	}) {
		t.Errorf("got %+v, %v", got, err)
	}
	for part, bad := range map[string]string{
		"first line":             strings.Replace(want, "collections", "gcs", 1),
		"line 3":                 strings.Replace(want, ",650,", ",many,", 1),
		"one is missing":         strings.Replace(want, "heap,1,10,650,1\n", "", 1),
		"wrong number of fields": strings.Replace(want, ",650,1", ",650", 1),
	} {
		if _, err := results.ReadTimelines(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want %q", err, part)
		}
	}
}

func TestVerify(t *testing.T) {
	if err := results.Verify(runs); err != nil {
		t.Errorf("equal checksums: %v", err)
	}
	other := append([]results.Run(nil), runs...)
	other[4].Checksum = 2
	err := results.Verify(other)
	if !errors.Is(err, results.ErrMismatch) || !strings.Contains(err.Error(), "heap, closed loop, round 3") {
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
