package jsonbench

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena/lab/page"
	"github.com/ebbpool/arena/lab/ratios"
)

// A short run has a row of every codec for time and allocations, and all checksums
// agree.
func TestRunOfOneDocument(t *testing.T) {
	rows, err := Run(t.Context(), Plan{Rounds: 1, Least: time.Millisecond, Corpora: []string{"request"}, Live: 100, LiveWith: []string{"request"},
		Log: func(format string, args ...any) { t.Errorf(format, args...) }})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range rows {
		seen[r.Name+" "+r.Unit] = true
	}
	for _, op := range []string{DecodeAny, DecodeHeap} {
		if !seen[Name(op, "request", Ours, 0)+" "+Time] || !seen[Name(op, "request", standard, 0)+" "+Time] || seen[Name(op, "request", Ours, 100)+" "+Time] {
			t.Errorf("not the rows of %s that there should be", op)
		}
	}
	for _, c := range Codecs() {
		for _, live := range []int{0, 100} {
			if !seen[Name(DecodeAfter, "request", c.Name, 0)+" "+Time] || !seen[Name(Decode, "request", c.Name, live)+" "+Time] || !seen[Name(Encode, "request", c.Name, live)+" "+Allocs] {
				t.Errorf("no rows of %s with %d objects", c.Name, live)
			}
		}
	}
	rows, err = Run(t.Context(), Plan{Rounds: 1, Corpora: []string{"request"}, Codecs: []string{standard}, Log: t.Logf})
	if err != nil {
		t.Error(err)
	}
	for _, r := range rows {
		if r.Unit != Size && !strings.HasSuffix(r.Name, "codec="+standard) {
			t.Errorf("a row of %s", r.Name)
		}
	}
}

func TestMarkdown(t *testing.T) {
	row := func(round int, codec, unit string, value float64) ratios.Row {
		return ratios.Row{Round: round, Name: Name(Encode, "x", codec, 0), Unit: unit, Value: value}
	}
	rows := []ratios.Row{
		row(0, "", Size, 1000), row(1, Ours, Time, 1000), row(1, Ours, Allocs, 0.2), row(1, "b", Time, 3000), row(1, "b", Allocs, 7),
		row(2, Ours, Time, 2000), row(2, Ours, Allocs, 0.1), row(2, "b", Time, 2000), row(2, "b", Allocs, 7),
	}
	rows = append(rows, OfGo([]ratios.Row{row(1, Ours, Time, 500), row(1, "b", Time, 5000)}, "go1.99")...)
	want := "| encode | arenajson, MB/s | allocations | b | b, go1.99 |\n| --- | ---: | ---: | ---: | ---: |\n| x | 667 | 0 | 2.0 (1.0–3.0) | 10.0 (10.0–10.0) |\n"
	if got := Markdown(rows); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// The table of docs/generated/json-speed.md is the one that docs/json.csv gives.
func TestTableIsFresh(t *testing.T) {
	f, err := os.Open("../../docs/json.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := ratios.ReadCSV(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../docs/generated/json-speed.md")
	if err != nil {
		t.Fatal(err)
	}
	got, err := page.Extract(string(text), page.JSON)
	if err != nil {
		t.Fatal(err)
	}
	if want := Markdown(rows); got != want || !strings.Contains(got, Ours) {
		t.Errorf("the table of docs/generated/json-speed.md is stale: run 'lab json -from ../docs/json.csv -page ../docs/generated/json-speed.md'\nthere:\n%s\nCSV:\n%s", got, want)
	}
}
