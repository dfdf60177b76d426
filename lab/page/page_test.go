package page

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/ebbpool/arena/lab/matrix"
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

func readTable(t *testing.T, file string) results.Table {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := results.ReadCSV(f)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// The README says that the arena's runs had no collection.
func TestArenaRunsHadNoCollection(t *testing.T) {
	table := readTable(t, "../../docs/stress.csv")
	column := slices.Index(table.Head, "GCs")
	seen := 0
	for _, row := range table.Rows {
		if row[1] == "arena" {
			seen++
			if row[column] != "0" {
				t.Errorf("%v: collections", row)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d runs of the arena", seen)
	}
}

// The README's table of the stress test is the one that its CSV gives.
func TestStressTableIsFresh(t *testing.T) {
	table := readTable(t, "../../docs/stress-ratios.csv")
	for _, row := range table.Rows {
		if n, err := strconv.Atoi(row[5]); err != nil || n < 5 {
			t.Errorf("%v: a ratio is the median of 5 rounds at least", row)
		}
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Extract(string(readme), Stress)
	if err != nil {
		t.Fatal(err)
	}
	if want := table.Markdown(); got != want {
		t.Errorf("the README's table is stale: run 'lab stress -full -csv ../docs/stress.csv -readme ../README.md'\nREADME:\n%s\nCSV:\n%s", got, want)
	}
}

// The README's table of the report is the one that the newest results give.
func TestLabTableIsFresh(t *testing.T) {
	dir, err := matrix.Newest("../results")
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Extract(string(readme), Lab)
	if err != nil {
		t.Fatal(err)
	}
	if want := r.Summary().Markdown(); got != want {
		t.Errorf("the README's table is stale: run 'lab report -readme ../README.md'\nREADME:\n%s\nCSV:\n%s", got, want)
	}
}
