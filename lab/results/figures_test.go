package results_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ebbpool/arena/lab/results"
)

// A run on one maker's processor replaces what was measured on that maker's, and
// leaves the other's as it is, whatever columns it has.
func TestOtherProcessorsAreKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.csv")
	table := func(cells ...string) results.Table {
		return results.Table{Head: []string{"mode", "ratio", "median", "min", "max", "rounds", "at least", "verdict"}, Rows: [][]string{cells}}
	}
	amd := results.Figures{Processor: "AMD EPYC", Date: "2026-01-02", Table: table("handler", "p99", "4", "3", "5", "5", "2", "holds")}
	intel := results.Figures{Processor: "Intel(R) Xeon(R)", Date: "2026-01-03", Table: table("handler", "p99", "1", "1", "1", "5", "2", "missed")}
	short := results.Figures{Processor: "AMD EPYC 9", Date: "2026-01-04", Table: results.Table{
		Head: []string{"mode", "ratio", "median", "min", "max", "rounds"}, Rows: [][]string{{"http", "p99", "7", "6", "8", "5"}}}}
	for _, k := range []results.Figures{amd, intel} {
		if err := k.Save(file); err != nil {
			t.Fatal(err)
		}
	}
	all, err := results.ReadFigures(file)
	if err != nil || !reflect.DeepEqual(all, []results.Figures{amd, intel}) {
		t.Fatalf("%+v %v", all, err)
	}
	beside, err := results.RatiosBeside(all)
	if err != nil {
		t.Fatal(err)
	}
	want := "| mode | ratio | at least | AMD EPYC, 2026-01-02: median (min–max) |  | Intel(R) Xeon(R), 2026-01-03: median (min–max) |  |\n" +
		"| --- | --- | ---: | ---: | --- | ---: | --- |\n" +
		"| handler | p99 | 2 | 4 (3–5) | holds | 1 (1–1) | missed |\n"
	if got := beside.Markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := short.Save(file); err != nil {
		t.Fatal(err)
	}
	if all, err = results.ReadFigures(file); err != nil || len(all) != 2 || results.Newest(all).Date != "2026-01-04" {
		t.Fatalf("%+v %v", all, err)
	}
	if all[0].Processor != "AMD EPYC 9" || all[0].Table.Rows[0][7] != "" || all[1].Processor != intel.Processor {
		t.Errorf("%+v", all)
	}
	for i, cell := range intel.Table.Head {
		for k, head := range all[1].Table.Head {
			if head == cell && all[1].Table.Rows[0][k] != intel.Table.Rows[0][i] {
				t.Errorf("the other processor's %s is now %q", cell, all[1].Table.Rows[0][k])
			}
		}
	}
	if beside, err = results.RatiosBeside(all); err != nil || len(beside.Rows) != 2 || beside.Rows[0][5] != results.None {
		t.Errorf("%q %v", beside.Rows, err)
	}
}

// A file that doesn't say where its rows were measured is refused, and left as it is.
func TestBadFigures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.csv")
	for text, want := range map[string]string{
		"mode,median\nhandler,1\n":                    "the last columns must be",
		"processor,date\nAMD,2026-01-02\n":            "the last columns must be",
		"mode,processor,date\n":                       "no row",
		"mode,processor,date\na,AMD 1,d\na,AMD 2,d\n": "line 3: a second run on a processor of AMD",
		"mode,processor,date\nhandler,1\n":            "wrong number of fields",
		"":                                            "without a head",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{results.Figures{Processor: "AMD"}.Save(file), second(results.ReadFigures(file))} {
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("%q became %q %v", text, got, err)
		}
	}
	if _, err := results.RatiosBeside([]results.Figures{{Table: results.Table{Head: []string{"mode"}}}}); err == nil {
		t.Error("a table without ratios: no error")
	}
}

func second[T any](_ T, err error) error { return err }
