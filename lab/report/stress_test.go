package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ebbpool/arena/lab/results"
)

// Both loops are in the table, each with its own numbers, and a round that
// fell behind is told.
func TestStressTable(t *testing.T) {
	table := stressTable(load(t, small).Stress)
	for _, want := range [][]string{
		{"1,000,000", "handler", "closed", "heap", "-", "2,000", "1,500 ns", "2,000 ns", "2,500 ns", "402 µs", "502 µs", "900 µs", "200 MB", "0", "3", ""},
		{"1,000,000", "handler", "open", "heap", "1,000", "1,000", "4,000 ns", "20.0 µs", "4.03 ms", "8.06 ms", "12.1 ms", "16.2 ms", "202 MB", "4", "3", "behind schedule in 1 of 3 rounds"},
		{"0", "handler", "open", "arena", "1,000", "1,000", "4,000 ns", "20.0 µs", "230 µs", "460 µs", "690 µs", "1.04 ms", "32 MB", "0", "3", ""},
	} {
		if got := row(t, table, want[:4]...); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	if len(table.Rows) != 2*2*3 {
		t.Errorf("%d rows, want 2 live heaps, 2 loops and 3 subjects", len(table.Rows))
	}
}

// Pictures of latency show the open loop, and say so.
func TestLatenciesAreOfTheOpenLoop(t *testing.T) {
	r := load(t, small)
	lines, text := latencies(r.Stress)
	if len(lines) != 2*3 || !strings.HasPrefix(text, "Open loop") {
		t.Fatalf("%d lines, %q", len(lines), text)
	}
	for _, l := range lines {
		if l.Loop != results.Open || l.Offered != 1000 {
			t.Errorf("%+v", l)
		}
	}
	for _, p := range []*picture{percentiles(r.Stress), tail(r.Stress), frontier(r.Stress)} {
		if !strings.Contains(p.about, text) {
			t.Errorf("%s doesn't say which loop it shows: %s", p.title, p.about)
		}
	}
	if got, want := percentiles(r.Stress).title, "Latency by percentile, over 1,000,000 live objects, 1,000 requests/s"; got != want {
		t.Errorf("got %q", got)
	}
}

// A folder of before there was an open loop is read: what it lacks is "-", and
// its pictures are of the closed loop and say so.
func TestStressOfBeforeTheOpenLoop(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(small)); err != nil {
		t.Fatal(err)
	}
	for _, live := range []string{"0", "1000000"} {
		text := "mode,subject,round,req/s,p50 us,p99 us,p99.9 us,max us,GCs,pause us,worst pause us,GC CPU %,allocs/req,B/req,peak MB\n" +
			"handler,heap,1,1000,1.5,2.5,101,900,7,0,0,0,0,0,50\nhandler,heap,median,1,1,1,1,1,1,1,1,1,1,1,1\n"
		if err := os.WriteFile(filepath.Join(dir, "stress-"+live+".csv"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, "timeline-"+live+".csv")); err != nil {
			t.Fatal(err)
		}
	}
	r := load(t, dir)
	want := []string{"0", "handler", "closed", "heap", "-", "1,000", "1,500 ns", "-", "2,500 ns", "101 µs", "-", "900 µs", "50 MB", "7", "1", ""}
	if got := stressTable(r.Stress).Rows; len(got) != 2 || !slices.Equal(got[0], want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if p := percentiles(r.Stress); p == nil || !strings.Contains(p.about, "Closed loop") {
		t.Errorf("%+v", p)
	}
	var files []string
	for _, a := range r.answers() {
		files = append(files, a.picture.file)
		if _, err := a.picture.inline(); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(files, []string{"latency", "work", "memory"}) || tail(r.Stress) == nil {
		t.Errorf("pictures %q", files)
	}
}

// The course is that of the largest live heap, of each subject the run of
// middle length, with its rate per second and where its collections ended.
func TestCourse(t *testing.T) {
	c := load(t, small).Course
	var got []string
	for _, r := range c.Runs {
		got = append(got, r.Subject)
		if r.Round != 2 {
			t.Errorf("%s: round %d, want the second, which is neither the shortest nor the longest", r.Subject, r.Round)
		}
	}
	if c.Live != 1_000_000 || !slices.Equal(got, []string{"heap", "sync.Pool", "arena"}) {
		t.Fatalf("%d live objects, %q", c.Live, got)
	}
	// 200 requests in 10 ms are 20 thousand per second; the last slice is cut.
	heap := courseOf(c.Runs[0])
	if len(heap.line) != 6 || heap.line[0].Y != 20 || heap.line[1].Y != 0 || heap.line[1].X != 0.015 {
		t.Errorf("line %v", heap.line)
	}
	if heap.requests != 4*200 || heap.collected != 3 || !slices.Equal(heap.collections, []float64{0.015, 0.035, 0.055}) {
		t.Errorf("%d requests, %d collections at %v", heap.requests, heap.collected, heap.collections)
	}
	for what, edit := range map[string]func(string) string{
		"when a collection ended": func(l string) string {
			return strings.NewReplacer("heap,2,30,0,1", "heap,2,30,0,0", "heap,2,40,200,0", "heap,2,40,200,1").Replace(l)
		},
		"a slow slice": func(l string) string { return strings.Replace(l, "arena,2,10,400,", "arena,2,10,100,", 1) },
	} {
		other := load(t, altered(t, "timeline-1000000.csv", edit))
		a, errA := c.picture().inline()
		b, errB := other.Course.picture().inline()
		if errA != nil || errB != nil || string(a) == string(b) {
			t.Errorf("the picture doesn't show %s: %v %v", what, errA, errB)
		}
	}
	if (Course{}).picture() != nil {
		t.Error("a folder without timelines has a picture of them")
	}
}
