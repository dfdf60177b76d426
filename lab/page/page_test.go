package page

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/ebbpool/arena/lab/report"
	"github.com/ebbpool/arena/lab/results"
)

func TestInsert(t *testing.T) {
	begin, end := markers("x")
	text := "# x\n" + begin + "\nold\n" + end + "\nrest\n"
	got, err := Insert(text, "x", "new\n")
	if want := "# x\n" + begin + "\nnew\n" + end + "\nrest\n"; err != nil || got != want {
		t.Errorf("got %q, %v", got, err)
	}
	for _, bad := range []string{"", begin + "\n", end + "\n" + begin + "\n", begin + end} {
		if _, err := Insert(bad, "x", "new\n"); !errors.Is(err, ErrNoMarkers) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func kept(t *testing.T, file string) []results.Figures {
	t.Helper()
	all, err := results.ReadFigures(file)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// docs/numbers.md says that the arena's runs had no collection.
func TestArenaRunsHadNoCollection(t *testing.T) {
	for _, k := range kept(t, "../../docs/stress.csv") {
		column := slices.Index(k.Table.Head, "GCs")
		seen := 0
		for _, row := range k.Table.Rows {
			if row[1] == "arena" {
				seen++
				if row[column] != "0" {
					t.Errorf("%v: collections", row)
				}
			}
		}
		if seen < 10 {
			t.Errorf("only %d runs of the arena on %s", seen, k.Processor)
		}
	}
}

// The table in docs/numbers.md of the stress test is the one that its CSV gives.
func TestStressTableIsFresh(t *testing.T) {
	all := kept(t, "../../docs/stress-ratios.csv")
	for _, k := range all {
		for _, row := range k.Table.Rows {
			if n, err := strconv.Atoi(row[5]); err != nil || n < 5 {
				t.Errorf("%v: a ratio is the median of 5 rounds at least", row)
			}
		}
	}
	beside, err := results.RatiosBeside(all)
	if err != nil {
		t.Fatal(err)
	}
	numbers, err := os.ReadFile("../../docs/numbers.md")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Extract(string(numbers), Stress)
	if err != nil {
		t.Fatal(err)
	}
	if want := beside.Markdown(); got != want {
		t.Errorf("the table of docs/numbers.md is stale: run 'lab stress -full -csv ../docs/stress.csv -page ../docs/numbers.md'\nthere:\n%s\nCSV:\n%s", got, want)
	}
}

// The table in the README of the load test is that of the kept runs' medians.
func TestLoadTableIsFresh(t *testing.T) {
	want, err := results.Summary(results.Newest(kept(t, "../../docs/stress.csv")).Table, "handler", results.Closed)
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Extract(string(readme), Load)
	if err != nil {
		t.Fatal(err)
	}
	if got != want.Markdown() {
		t.Errorf("the load test's table of the README is stale: run 'make stress'\nthere:\n%s\nCSV:\n%s", got, want.Markdown())
	}
}

// The table in docs/numbers.md of the report is the one that the newest results of each processor give.
func TestLabTableIsFresh(t *testing.T) {
	all, err := report.LoadEach("../results")
	if err != nil {
		t.Fatal(err)
	}
	numbers, err := os.ReadFile("../../docs/numbers.md")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Extract(string(numbers), Lab)
	if err != nil {
		t.Fatal(err)
	}
	if want := report.Markdown(all); got != want {
		t.Errorf("the table of docs/numbers.md is stale: run 'lab report -page ../docs/numbers.md'\nthere:\n%s\nCSV:\n%s", got, want)
	}
}
