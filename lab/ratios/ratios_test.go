package ratios

import (
	"bytes"
	"github.com/ebbpool/arena/lab/page"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

const output = `goos: linux
goarch: amd64
pkg: github.com/ebbpool/arena
cpu: some
BenchmarkNew/type=flat64/alloc=heap-2         	10000000	        40.0 ns/op	      64 B/op	       1 allocs/op
BenchmarkNew/type=flat64/alloc=arena-2        	10000000	         4.0 ns/op
BenchmarkMakeSlice/mem=fresh/alloc=arena      	10000000	        50.5 ns/op
PASS
ok  	github.com/ebbpool/arena	1.2s
`

var claims = []Claim{
	{"`New`", "times", "New/type=flat64/alloc=heap", "New/type=flat64/alloc=arena", AtLeast, 7},
	{"`MakeSlice`", "ns", "MakeSlice/mem=fresh/alloc=arena", "", Below, 50.5},
	{"", "of", "New/type=flat64/alloc=arena", "New/type=flat64/alloc=heap", AtMost, 0.1},
	{"`Missing`", "of", "A/alloc=arena", "A/alloc=heap", AtMost, 1},
}

func TestParseBench(t *testing.T) {
	rows, err := ParseBench(strings.NewReader(output), 3)
	if err != nil {
		t.Fatal(err)
	}
	want := []Row{
		{3, "New/type=flat64/alloc=heap", "ns/op", 40},
		{3, "New/type=flat64/alloc=heap", "B/op", 64},
		{3, "New/type=flat64/alloc=heap", "allocs/op", 1},
		{3, "New/type=flat64/alloc=arena", "ns/op", 4},
		{3, "MakeSlice/mem=fresh/alloc=arena", "ns/op", 50.5},
	}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("got  %v\nwant %v", rows, want)
	}
	var b bytes.Buffer
	if err := WriteCSV(&b, rows); err != nil {
		t.Fatal(err)
	}
	if again, err := ReadCSV(&b); err != nil || !reflect.DeepEqual(again, rows) {
		t.Errorf("from CSV: %v %v", again, err)
	}
	if _, err := ParseBench(strings.NewReader("PASS\n"), 1); err == nil {
		t.Error("output without a result: no error")
	}
}

func TestBadCSV(t *testing.T) {
	for _, bad := range []string{
		"", "a,b\n", "round,name,unit,value\nx,New,ns/op,1\n", "round,name,unit,value\n1,New,ns/op,fast\n",
		"round,name,unit,value\n1,New\n",
	} {
		if rows, err := ReadCSV(strings.NewReader(bad)); err == nil {
			t.Errorf("no error for %q: %v", bad, rows)
		}
	}
}

func TestMeasure(t *testing.T) {
	var rows []Row
	for round, heap := range []float64{40, 36, 28} {
		rows = append(rows,
			Row{round + 1, "New/type=flat64/alloc=heap", "ns/op", heap},
			Row{round + 1, "New/type=flat64/alloc=heap", "B/op", 64},
			Row{round + 1, "New/type=flat64/alloc=arena", "ns/op", 4},
			Row{round + 1, "MakeSlice/mem=fresh/alloc=arena", "ns/op", 50.5})
	}
	// A round that misses one of the two gives no ratio.
	rows = append(rows, Row{4, "New/type=flat64/alloc=arena", "ns/op", 1})
	got, err := Measure(claims, rows)
	if err != nil {
		t.Fatal(err)
	}
	if r := got[0]; r.Median != 9 || r.Min != 7 || r.Max != 10 || r.Rounds != 3 || !r.Holds() {
		t.Errorf("ratio: %+v", r)
	}
	if r := got[1]; r.Median != 50.5 || r.Rounds != 3 || r.Holds() {
		t.Errorf("absolute number, which isn't below its target: %+v", r)
	}
	if r := got[2]; r.Holds() {
		t.Errorf("1/9 is not at most 0.1: %+v", r)
	}
	if r := got[3]; r.Rounds != 0 || r.Holds() {
		t.Errorf("not measured: %+v", r)
	}
	text := Markdown([]Measured{{"AMD X", "2026-01-02", got}, {"Intel Y", "2026-01-03", []Result{got[3], got[3], got[3], got[0]}}})
	for _, want := range []string{
		"| work | what the number is | target | AMD X, 2026-01-02: median (min–max) | | Intel Y, 2026-01-03: median (min–max) | |\n",
		"| `New` | times | at least 7 | 9.00 (7.00–10.00) | holds | not measured | ? |\n",
		"| `MakeSlice` | ns | below 50.5 | 50.50 (50.50–50.50) | missed | not measured | ? |\n",
		"| `Missing` | of | at most 1 | not measured | ? | 9.00 (7.00–10.00) | holds |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no line %q in\n%s", want, text)
		}
	}
}

func TestPatternMatchesTheClaims(t *testing.T) {
	if got, want := Pattern(claims), "^Benchmark(A|MakeSlice|New)$"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	mixed := append([]Claim{{"", "", "PGO/B/alloc=arena", "PGO/C/alloc=heap", AtMost, 1}}, claims...)
	if got, want := Pattern(mixed), "^Benchmark(A|MakeSlice|New)$"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := ProfiledPattern(mixed), "^Benchmark(B|C)$"; got != want {
		t.Errorf("with a profile: got %s, want %s", got, want)
	}
	plain, profiled := regexp.MustCompile(Pattern(Claims)), regexp.MustCompile(ProfiledPattern(Claims))
	for _, c := range Claims {
		name, isProfiled := strings.CutPrefix(c.Num, Profiled)
		if re := map[bool]*regexp.Regexp{false: plain, true: profiled}[isProfiled]; !re.MatchString("Benchmark" + strings.Split(name, "/")[0]) {
			t.Errorf("the pattern leaves out %s", c.Num)
		}
		if strings.HasPrefix(c.Den, Profiled) != isProfiled && c.Den != "" {
			t.Errorf("%s is compared with %s, which is built in another way", c.Num, c.Den)
		}
	}
}

// published is what docs/bench.csv says of the claims.
func published(t *testing.T) []Measured {
	t.Helper()
	all, err := Read("../../docs/bench.csv", Claims)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The tables in docs/numbers.md and on the README's front are those that
// docs/bench.csv gives, and each claim has a measurement in it.
func TestTablesAreFresh(t *testing.T) {
	all := published(t)
	last := newest(all)
	for _, r := range last.Results {
		if r.Rounds == 0 && !last.lacks(r.Claim) {
			t.Errorf("docs/bench.csv has no round with both %q and %q", r.Num, r.Den)
		}
	}
	for _, table := range []struct{ file, section, want string }{
		{"docs/numbers.md", page.Bench, Markdown(all)},
		{"README.md", page.Front, FrontMarkdown(Newest(all))},
	} {
		text, err := os.ReadFile("../../" + table.file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := page.Extract(string(text), table.section)
		if err != nil {
			t.Fatal(err)
		}
		if got != table.want {
			t.Errorf("the table of %s is stale: run 'lab bench -from ../docs/bench.csv -page ../docs/numbers.md -front ../README.md'\nthere:\n%s\nCSV:\n%s",
				table.file, got, table.want)
		}
	}
}

// Every row of the front is a claim, else a renamed one would vanish from it.
func TestFrontShowsClaims(t *testing.T) {
	measured := Newest(published(t))
	if got, want := strings.Count(FrontMarkdown(measured), "\n"), 2+len(front); got != want {
		t.Errorf("%d lines, want a heading of two and %d rows:\n%s", got, want, FrontMarkdown(measured))
	}
}

// The front has a claim's ratio to the heap, not its ratio to something else.
func TestFrontMarkdown(t *testing.T) {
	all := []Result{
		{Claim: Claim{Work: front[0], Measure: faster}, Median: 9, Min: 7, Max: 10, Rounds: 3},
		{Claim: Claim{Work: "", Measure: bytebump}, Median: 2, Min: 1, Max: 3, Rounds: 3},
		{Claim: Claim{Work: "`Other`", Measure: faster}, Median: 4, Min: 4, Max: 4, Rounds: 3},
		{Claim: Claim{Work: front[1], Measure: faster}},
	}
	const want = "| work | times as fast as the Go heap: median (min–max) |\n| --- | ---: |\n"
	if got := FrontMarkdown(all); got != want+"| "+front[0]+" | 9.0 (7.0–10.0) |\n| "+front[1]+" | not measured |\n" {
		t.Errorf("got\n%s", got)
	}
}

// A claim that is missed has its reason in lab/dead-ends.md, under the name
// that the table has for it.
func TestMissedClaimsAreExplained(t *testing.T) {
	text, err := os.ReadFile("../dead-ends.md")
	if err != nil {
		t.Fatal(err)
	}
	reasons := strings.Join(strings.Fields(string(text)), " ")
	for _, m := range published(t) {
		work := ""
		for _, r := range m.Results {
			if r.Work != "" {
				work = r.Work
			}
			if r.Rounds != 0 && !r.Holds() && !strings.Contains(reasons, work) {
				t.Errorf("lab/dead-ends.md does not mention %q, which is missed on %s", work, m.Processor)
			}
		}
	}
}

// A benchmark that came later than the last run has no row yet, and is missing only
// until there is a run of that day.
func TestClaimsOfLaterRuns(t *testing.T) {
	fresh := Claim{"new", "of", "PoolMixed/mix=sizes", "", AtMost, 0}
	old := Result{Claim: claims[0], Rounds: 1}
	text := Markdown([]Measured{{"AMD X", "2026-01-02", []Result{{Claim: fresh}, old}}})
	if strings.Contains(text, "new") || !strings.Contains(text, "`New`") {
		t.Errorf("%s", text)
	}
	day := since["PoolMixed"]
	before, after := Measured{Date: "2026-11-23"}, Measured{Date: day}
	if !before.lacks(fresh) || after.lacks(fresh) || before.lacks(claims[0]) {
		t.Errorf("%t, %t, %t", before.lacks(fresh), after.lacks(fresh), before.lacks(claims[0]))
	}
	fresh.Num = Profiled + fresh.Num
	if !before.lacks(fresh) {
		t.Error("nor does the binary with a profile")
	}
	for name := range since {
		if !regexp.MustCompile(Pattern(Claims)).MatchString("Benchmark" + name) {
			t.Errorf("no claim is of %s", name)
		}
	}
}
