package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/ebbpool/arena/lab/results"
)

func section(t *testing.T, r *Report, heading string) Section {
	t.Helper()
	for _, s := range r.sections() {
		if s.Heading == heading {
			return s
		}
	}
	t.Fatalf("no section %q", heading)
	return Section{}
}

const slice100 = "a slice of capacity n, n ints appended: 100 ints"

// Another build has a table of its own, beside the heap in that build and
// beside its own plain time; the plain tables know nothing of it.
func TestBuildTables(t *testing.T) {
	r := load(t, small)
	for heading, want := range map[string][][]string{
		"The matrix, built with -asan": {
			{slice100, "heap", "400 ns", "0 %", "-", "4.00 (4.00–4.00)", "1", "1.0 kB", "7", ""},
			{slice100, "Arena", "200 ns", "0 %", "2.00 (2.00–2.00)", "5.00 (5.00–5.00)", "0", "0 B", "7", ""},
			{slice100, "std arena", "-", "-", "-", "-", "-", "-", "7", "crashed: a fault (exit status 2)"},
		},
		"With another Go: go1.99.0": {
			{slice100, "heap", "90.0 ns", "0 %", "-", "0.90 (0.90–0.90)", "1", "1.0 kB", "7", ""},
			{slice100, "Arena", "30.0 ns", "0 %", "3.00 (3.00–3.00)", "0.75 (0.75–0.75)", "0", "0 B", "7", ""},
		},
	} {
		if got := section(t, r, heading).Table.Rows; !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s:\ngot  %q\nwant %q", heading, got, want)
		}
	}
	plain := row(t, times(r.Go, groups[1].workloads), slice100, "Arena")
	if plain[2] != "40.0 ns" || plain[4] != "2.50 (2.50–2.50)" || plain[8] != "7" {
		t.Errorf("the plain row has changed: %q", plain)
	}
	for _, s := range r.sections() {
		if strings.Contains(s.Heading, "race") {
			t.Errorf("a build without a row has the section %q", s.Heading)
		}
	}
	row(t, section(t, r, "Not measured, and why").Table, "-", "in this run", "the race build is not measured: this is a test, too")
}

// The page of numbers has what another Go makes of the heap's time and of ours.
func TestOtherGoBesideThisOne(t *testing.T) {
	text := Markdown([]*Report{load(t, small)})
	for _, want := range []string{
		"The times with go1.99.0, in times of those with ",
		"| " + slice100 + " | 0.90 (0.90–0.90) | Arena | 0.75 (0.75–0.75) |\n",
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q is not there once:\n%s", want, text)
		}
	}
}

func TestMisuseTable(t *testing.T) {
	got := section(t, load(t, small), "Use after free").Table
	want := results.Table{Head: []string{"subject", "use", "plain", "asan"}, Rows: [][]string{
		{"heap", "a pointer is read; a slice is read", "still its own value", "still its own value"},
		{"Arena", "a pointer is read", "reads another life's value", "reads another life's value: 3 of 100"},
		{"Arena", "a value is written through it", "changes another life's value", "-"},
		{"std arena", "a pointer is read", "-", "asan reported: use-after-poison: read of size 8 at misuse.go:101"},
	}}
	if !slices.Equal(got.Head, want.Head) || !slices.EqualFunc(got.Rows, want.Rows, slices.Equal) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}
