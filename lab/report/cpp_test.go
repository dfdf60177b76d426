package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/ebbpool/arena/lab/matrix"
)

// The compilers stand side by side, each with its own base and its own fastest
// of the others.
func TestCppTable(t *testing.T) {
	r := load(t, small)
	table := cppTable(r.Cpp)
	wantHead := []string{"work", "object", "capacity", "subject",
		"gcc 12.2: time of a call", "spread", "times as fast as glibc's malloc (95 %)",
		"clang 14.0: time of a call", "spread", "times as fast as glibc's malloc (95 %)", "rounds", "remark"}
	if !slices.Equal(table.Head, wantHead) {
		t.Errorf("head %q", table.Head)
	}
	for _, want := range [][]string{
		{"rolling (write)", "16 B", "8,192", "ebb trap", "8.00 ns", "0 %", "5.00 (5.00–5.00)", "4.00 ns", "0 %", "10.0 (10.0–10.0)", "7",
			"gcc 12.2: slower than floor: 2.00 (2.00–2.00) times its time; clang 14.0: slower than floor: 1.33 (1.33–1.33) times its time"},
		{"rolling (write)", "16 B", "8,192", "glibc malloc", "40.0 ns", "0 %", "-", "40.0 ns", "0 %", "-", "7", ""},
		{"rolling (write)", "16 B", "1,024", "Boost.ObjectPool", "6.00 ns", "0 %", "3.33 (3.33–3.34)", "-", "-", "-", "7", ""},
		{"2 threads, churn (write+read)", "64 B", "-", "ebb sync", "5.00 ns", "0 %", "-", "-", "-", "-", "7", ""},
	} {
		if got := row(t, table, want[:4]...); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	// ebb trap at 16 B, two capacities.
	want := [][]string{
		{"gcc 12.2", "rolling (write)", "16 B", "1,024", "ebb trap", "2.00 (2.00–2.00)", "floor"},
		{"gcc 12.2", "rolling (write)", "16 B", "8,192", "ebb trap", "2.00 (2.00–2.00)", "floor"},
		{"clang 14.0", "rolling (write)", "16 B", "1,024", "ebb trap", "1.33 (1.33–1.33)", "floor"},
		{"clang 14.0", "rolling (write)", "16 B", "8,192", "ebb trap", "1.33 (1.33–1.33)", "floor"},
	}
	if got := cppLosses(r.Cpp).Rows; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("losses: %q", got)
	}
}

// Percentiles are medians of the rounds; the longest is not shown.
func TestLatencyTable(t *testing.T) {
	table := latencyTable(load(t, small).Latencies)
	if want := []string{"work", "object", "capacity", "subject", "compiler", "p50", "p90", "p99", "p99.9", "rounds"}; !slices.Equal(table.Head, want) {
		t.Errorf("head %q", table.Head)
	}
	for _, want := range [][]string{
		{"rolling (write)", "16 B", "8,192", "ebb trap", "gcc 12.2", "4.00 ns", "6.00 ns", "8.00 ns", "10.0 ns", "3"},
		{"rolling (write)", "16 B", "8,192", "ebb trap", "clang 14.0", "2.00 ns", "3.00 ns", "4.00 ns", "5.00 ns", "3"},
		{"rolling (write)", "16 B", "65,536", "glibc malloc", "gcc 12.2", "40.0 ns", "60.0 ns", "160 ns", "400 ns", "3"},
	} {
		if got := row(t, table, want[:5]...); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	// What is compared stands together: a subject's rows of both compilers.
	if a, b := table.Rows[2], table.Rows[3]; a[3] != "ebb trap" || b[3] != "ebb trap" || a[4] == b[4] {
		t.Errorf("%q before %q", a, b)
	}
}

// What the C++ half left out is listed with the rest.
func TestCppNotesAreListed(t *testing.T) {
	r := load(t, small)
	for _, s := range r.sections() {
		if s.Heading == "Not measured, and why" {
			row(t, s.Table, "-", "in this run", "std arena is not measured: this is a test")
			row(t, s.Table, "-", "in this run", "C++: tcmalloc is not here")
		}
		if s.Heading == "C++: percentiles" && !strings.Contains(s.Text, "32 steps") {
			t.Errorf("it isn't said how percentiles come about: %q", s.Text)
		}
	}
}

// One compiler's folder has all tables and pictures, without a gap for the
// other.
func TestOneCompiler(t *testing.T) {
	r := load(t, altered(t, "cpp-clang.csv", func(l string) string {
		if strings.HasPrefix(l, "clang") {
			return ""
		}
		return l
	}))
	if f := patternField(r.Cpp, "ebb trap"); len(f.columns) != 2 || f.columns[0] != "1,024\ngcc 12.2" {
		t.Errorf("columns %q", f.columns)
	}
	if f := patternField(load(t, small).Cpp, "ebb trap"); len(f.columns) != 5 || f.columns[4] != "8,192\nclang 14.0" || f.value[0][4] != 10 {
		t.Errorf("columns %q %v", f.columns, f.value)
	}
	for _, p := range []*picture{cppTime(r.Cpp), cppSpeedup(r.Cpp), heatmap(r.Cpp, "ebb trap"), cppPercentiles(r.Latencies)} {
		if p == nil || strings.Contains(p.about, "Dashed") {
			t.Fatalf("%+v", p)
		}
		if _, err := p.inline(); err != nil {
			t.Error(err)
		}
	}
	if p := cppTime(load(t, small).Cpp); !strings.Contains(p.about, "Dashed: ebb trap, built by clang 14.0.") {
		t.Errorf("%q", p.about)
	}
	if p := cppPercentiles(latencyLines([]matrix.LatencyRow{})); p != nil {
		t.Error("a picture of nothing")
	}
}
