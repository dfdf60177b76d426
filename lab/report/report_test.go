package report

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/results"
)

// small is a folder whose numbers one can check in one's head.
const small = "testdata/small"

func load(t *testing.T, dir string) *Report {
	t.Helper()
	r, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// altered is a copy of the small folder, one file of it edited line by line.
// A line that edit answers with "" is left out.
func altered(t *testing.T, file string, edit func(line string) string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(small)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	changed := 0
	for line := range strings.Lines(string(text)) {
		now := edit(line)
		if now != line {
			changed++
		}
		b.WriteString(now)
	}
	if changed == 0 {
		t.Fatal("nothing was altered")
	}
	if err := os.WriteFile(filepath.Join(dir, file), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func without(text string) func(string) string {
	return func(line string) string {
		if strings.Contains(line, text) {
			return ""
		}
		return line
	}
}

// row finds the row whose first cells are the given ones.
func row(t *testing.T, table results.Table, first ...string) []string {
	t.Helper()
	for _, r := range table.Rows {
		if slices.Equal(r[:len(first)], first) {
			return r
		}
	}
	t.Fatalf("no row %q in %q", first, table.Rows)
	return nil
}

const flat = "structs of 64 B, no pointers: 1,000,000 objects"

func TestTableOfTimes(t *testing.T) {
	r := load(t, small)
	table := times(r.Go, groups[0].workloads)
	for _, want := range [][]string{
		{flat, "heap", "50.0 ns each", "0 %", "-", "1,000,000", "64 MB", "100 MB", "7", ""},
		{flat, "Arena", "10.0 ns each", "0 %", "5.00 (5.00–5.00)", "0", "0 B", "80 MB", "7", "slower than bytebump: 2.50 (2.50–2.50) times its time"},
		{flat, "Slab", "5.00 ns each", "0 %", "10.0 (10.0–10.0)", "0", "0 B", "80 MB", "7", "slower than bytebump: 1.25 (1.25–1.25) times its time"},
		{flat, "bytebump", "4.00 ns each", "0 %", "12.5 (12.5–12.5)", "0", "0 B", "80 MB", "7", "unsafe: loses what only its objects point to (4,987 of 5,000)"},
	} {
		if got := row(t, table, want[:2]...); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	// Rounds of 25 ms times 1, 1.2, 0.8, 1.4, 0.6, 1.6, 0.4: the quartiles are
	// 0.7 and 1.3.
	pool := row(t, table, flat, "sync.Pool")
	if pool[3] != "60 %" || !strings.Contains(pool[9], "spread above 10 %") {
		t.Errorf("a row with a wide spread is not flagged: %q", pool)
	}
	requests := times(r.Go, groups[2].workloads)
	const request = "requests of 20 objects of 6 types, 30 strings, 4 slices: 1,000 requests"
	if got := row(t, requests, request, "Arena"); got[2] != "1,000 ns each" || got[4] != "8.00 (8.00–8.00)" || got[9] != "" {
		t.Errorf("%q", got)
	}
}

// The four programs are compared with plain Go, a document at a time.
func TestTableOfPrograms(t *testing.T) {
	r := load(t, small)
	i := slices.IndexFunc(groups, func(g group) bool { return slices.Contains(g.workloads, "query") })
	const query = "GraphQL documents parsed to a tree: 100 documents"
	if got := row(t, times(r.Go, groups[i].workloads), query, "ArenaPool"); got[2] != "25.0 µs each" || got[4] != "1.60 (1.60–1.60)" {
		t.Errorf("%q", got)
	}
	for _, text := range unmeasured(nil).Rows {
		if text[0] == "bytebump" && strings.Contains(strings.Join(text, " "), "neither maps nor text") {
			return
		}
	}
	t.Errorf("nothing says why bytebump has no row: %q", unmeasured(nil).Rows)
}

// What crashed, lied or corrupted is no time, in any table or picture.
func TestFailuresAreNoTimes(t *testing.T) {
	r := load(t, small)
	table := times(r.Go, groups[0].workloads)
	for subject, want := range map[string]string{
		"modernc memory": "crashed: fatal error: found bad pointer in Go heap (exit status 2)",
		"FixedPool":      "wrong checksum: checksum bad, the others have abc",
	} {
		got := row(t, table, flat, subject)
		if got[9] != want {
			t.Errorf("%s: %q, want %q", subject, got[9], want)
		}
		for _, cell := range got[2:8] {
			if cell != "-" {
				t.Errorf("%s shows %q", subject, cell)
			}
		}
	}
	for _, l := range r.Go {
		if l.Status != matrix.OK && (l.Ns != 0 || l.Beside) {
			t.Errorf("%s has a time", l.Cell)
		}
	}
	got := corruptionTable(r.Go)
	want := [][]string{
		{"heap", "5,000", "0", "ok"}, {"Arena", "5,000", "0", "ok"}, {"bytebump", "5,000", "4,987", "corrupt"},
		{"modernc memory", "5,000", "-", "crashed: unexpected fault address (exit status 2)"},
	}
	if len(got.Rows) != len(want) {
		t.Fatalf("%q", got.Rows)
	}
	for i := range want {
		if !slices.Equal(got.Rows[i], want[i]) {
			t.Errorf("got %q, want %q", got.Rows[i], want[i])
		}
	}
	for _, l := range r.Summary().Rows {
		if strings.Contains(strings.Join(l, " "), "FixedPool") {
			t.Errorf("the table of docs/numbers.md shows the wrong subject: %q", l)
		}
	}
}

func TestOtherTables(t *testing.T) {
	r := load(t, small)
	if got, want := lossTable(r.Go).Rows, 2; len(got) != want || got[0][1] != "Arena" || got[0][3] != "bytebump" {
		t.Errorf("losses: %q", got)
	}
	if got := residentTable(r.Go).Rows; len(got) != 2 || !slices.Equal(got[1], []string{"ArenaPool", "64 MB", "11 MB", "90 MB", "ok"}) {
		t.Errorf("resident: %q", got)
	}
	collector := row(t, collectorTable(r.Go), "100 calls that append 100,000 ints", "Arena")
	if !slices.Equal(collector[2:], []string{"2.0 MB", "1.0 MB", "10 MB", "1", "ok"}) {
		t.Errorf("collector: %q", collector)
	}
	summary := r.Summary()
	want := []string{flat, "Slab", "10.0 (10.0–10.0)", "bytebump (unsafe)", "1.25 (1.25–1.25)", "slower"}
	if got := row(t, summary, flat); !slices.Equal(got, want) {
		t.Errorf("summary: got %q, want %q", got, want)
	}
}

// Each kind of picture is there, and each shows its rows: without one of them
// the picture and the page are others.
func TestAllIsMadeFromTheRows(t *testing.T) {
	before := drawn(t, load(t, small))
	for _, x := range []struct{ file, text, picture string }{
		{"go.csv", "flat,1000000,Slab,", "Objects, strings, one slice"},
		{"go.csv", "flat,1000000,Slab,", "Times as fast as the Go heap, by kind of work"},
		{"go.csv", "Slice,100,Arena,plain,", "The matrix"},
		// One round less of seven: the median moves by a twentieth of a percent,
		// which the table, not the drawing, resolves.
		{"go.csv", "request,1000,Arena,plain,7,", ""},
		{"go.csv", "query,100,ArenaPool,plain,", "Four programs"},
		{"cpp-gcc.csv", `"rolling",write,16,8192,ebb trap,`, "C++: time of one call against capacity, gcc 12.2"},
		{"cpp-clang.csv", `"rolling",write,16,8192,ebb trap,`, "C++: time of one call against capacity, gcc 12.2"},
		{"cpp-gcc.csv", `"rolling",write,16,8192,ebb trap,`, "C++: times as fast as glibc's malloc, against capacity, gcc 12.2"},
		{"cpp-gcc.csv", `"rolling",write,16,8192,ebb trap,`, "C++: ebb trap, times as fast as glibc's malloc"},
		{"cpp-clang.csv", `"rolling",write,16,8192,ebb trap,`, "C++: ebb trap, times as fast as glibc's malloc"},
		{"cpp-gcc-latencies.csv", `"rolling",write,16,65536,ebb trap,`, "C++: time of a call by percentile, gcc 12.2"},
		{"stress-1000000.csv", "handler,arena,1,open", "Latency by percentile, over 1,000,000 live objects, 1,000 requests/s"},
		{"stress-1000000.csv", "handler,arena,1,open", "Peak memory of the load test"},
		{"stress-1000000.csv", "handler,arena,1,open", "Under load: p99.9 against live objects"},
		{"stress-1000000.csv", "handler,arena,1,open", "Under load: p99.9 against memory"},
		{"timeline-1000000.csv", "arena,", "Throughput over time, over 1,000,000 live objects"},
	} {
		if x.picture != "" && before[x.picture] == "" {
			t.Errorf("there is no %q", x.picture)
		}
		after := drawn(t, load(t, altered(t, x.file, without(x.text))))
		if x.picture != "" && after[x.picture] == before[x.picture] {
			t.Errorf("%q is the same without %s", x.picture, x.text)
		}
		if after["index.html"] == before["index.html"] {
			t.Errorf("the page is the same without %s", x.text)
		}
	}
	if again := drawn(t, load(t, small)); again["index.html"] != before["index.html"] {
		t.Error("the same results give another page")
	}
	r := load(t, small)
	for _, s := range append(r.losses(), r.sections()...) {
		for _, r := range s.Table.Rows {
			if len(r) != len(s.Table.Head) {
				t.Errorf("%s: %d cells under %d heads: %q", s.Heading, len(r), len(s.Table.Head), r)
			}
		}
	}
}

// drawn makes the report, and returns its files and, by their titles, the pictures in
// the page.
func drawn(t *testing.T, r *Report) map[string]string {
	t.Helper()
	dir := t.TempDir()
	if err := r.Write(dir, func(int, int, string) {}); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		found[e.Name()] = string(text)
	}
	for _, m := range regexp.MustCompile(`(?s)<svg [^>]*aria-label="([^"]*)">.*?</svg>`).FindAllStringSubmatch(found["index.html"], -1) {
		found[html.UnescapeString(m[1])] = m[0]
	}
	return found
}

// The page asks nobody for anything, and opens with four questions, each with a
// picture and one sentence of what it shows; then come the losses.
func TestPageIsSelfContained(t *testing.T) {
	page := drawn(t, load(t, small))["index.html"]
	for _, bad := range []string{"http://", "https://", "<script ", "src=", "@import", "url(", "<link rel=\"stylesheet", "#010203", "#D0D1D2"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	front, rest, ok := strings.Cut(page, "<section")
	if !ok || strings.Count(front, "<svg") != 4 || !strings.Contains(front, "what would I gain?") {
		t.Errorf("%d pictures come first", strings.Count(front, "<svg"))
	}
	if !strings.HasPrefix(rest, ` id="where-ours-is-slower--in-go">`) {
		t.Errorf("then come %.60s", rest)
	}
	for _, want := range []string{
		"One request of 1,000 takes longer than 8.06 ms with heap, ",
		"The same requests take 0.06 s and 3 collections with heap, ",
		"To the right of the line is faster than the Go heap: of 3 kinds of work ours is so in 3 and slower in 0, and of the 1 that another arena or pool can do, one of these is faster than ours in 1.",
		"Over 1,000,000 live objects the process takes at most 202 MB with heap, ",
	} {
		if !strings.Contains(front, want) {
			t.Errorf("the page doesn't say %q:\n%s", want, regexp.MustCompile(`(?s)<svg.*?</svg>`).ReplaceAllString(front[strings.Index(front, "<h1"):], ""))
		}
	}
}

// newest are the kept results.
func newest(t *testing.T) *Report {
	t.Helper()
	dir, err := matrix.Newest("../results")
	if err != nil {
		t.Fatal(err)
	}
	return load(t, dir)
}

// The kept pictures are the page, and two for pages that can't have them in themselves.
// They are of the newest results, and small.
func TestKeptReportIsFresh(t *testing.T) {
	want := drawn(t, newest(t))
	entries, err := os.ReadDir("../../docs/report")
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join("../../docs/report", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		size += len(text)
		if want[e.Name()] != string(text) {
			t.Errorf("docs/report/%s is not what the newest results give: run lab report", e.Name())
		}
	}
	if len(entries) != 1+len(files) || size > 1_500_000 {
		t.Errorf("%d files of %d bytes; the page and %q are to be at most 1.5 MB", len(entries), size, files)
	}
}

func TestBadFolders(t *testing.T) {
	for want, dir := range map[string]string{
		"no results folder": t.TempDir(),
		"version 1":         altered(t, "environment.json", func(l string) string { return strings.Replace(l, `"Format": 2`, `"Format": 1`, 1) }),
		"line 2": altered(t, "go.csv", func(l string) string {
			return strings.Replace(l, "flat,1000000,heap,plain,1", "flat,many,heap,plain,1", 1)
		}),
		"first line":             altered(t, "cpp-gcc.csv", func(l string) string { return strings.Replace(l, "workload,touched", "workload,handled", 1) }),
		"cpp-clang.csv: line 3":  altered(t, "cpp-clang.csv", func(l string) string { return strings.Replace(l, "write,16,1024,floor,1", "write,16,many,floor,1", 1) }),
		`"no" is no`:             altered(t, "cpp-clang-latencies.csv", func(l string) string { return strings.Replace(l, "floor,0,50,1.8", "floor,0,no,1.8", 1) }),
		"unknown subject":        altered(t, "go.csv", func(l string) string { return strings.Replace(l, ",Slab,", ",slob,", 1) }),
		"unknown workload":       altered(t, "go.csv", func(l string) string { return strings.Replace(l, "request,", "quest,", 1) }),
		"no size 65":             altered(t, "go.csv", func(l string) string { return strings.Replace(l, "giant,64,", "giant,65,", 1) }),
		`column "p99.9 us"`:      altered(t, "stress-0.csv", func(l string) string { return strings.Replace(l, "p99.9 us", "tail", 1) }),
		"a loop is closed or":    altered(t, "stress-0.csv", func(l string) string { return strings.Replace(l, ",open,", ",ajar,", 1) }),
		`parsing "-"`:            altered(t, "stress-0.csv", func(l string) string { return strings.Replace(l, ",2.5,", ",-,", 1) }),
		"one is missing":         altered(t, "timeline-0.csv", without("heap,1,20,")),
		"subject":                altered(t, "timeline-1000000.csv", without("subject")),
		"no measurement":         emptied(t),
		`a build "msan"`:         altered(t, "go.csv", func(l string) string { return strings.Replace(l, ",asan,", ",msan,", 1) }),
		"subject,variant":        altered(t, "misuse.csv", func(l string) string { return strings.Replace(l, "subject,variant", "subject,kind", 1) }),
		"wrong number of fields": altered(t, "go.csv", func(l string) string { return strings.Replace(l, "flat,1000000,Arena,plain,3", "flat", 1) }),
	} {
		_, err := Load(dir)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want one line with %q", err, want)
		}
	}
}

func emptied(t *testing.T) string {
	dir := altered(t, "go.csv", func(l string) string {
		if strings.HasPrefix(l, "workload,") {
			return l
		}
		return ""
	})
	for _, c := range matrix.Compilers {
		if err := os.Remove(filepath.Join(dir, matrix.CppFile(c))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestIntervals(t *testing.T) {
	v := []float64{7, 1, 2, 3, 4, 5, 6}
	if got := interval(v); got.Center != 4 || got.Lo > 2 || got.Hi < 6 {
		t.Errorf("interval %v", got)
	}
	if v[0] != 7 {
		t.Error("the values were sorted in place")
	}
	got := bootstrap(v)
	if got.Center != 4 || got.Lo >= 4 || got.Hi <= 4 || got.Lo < 1 || got.Hi > 7 || got != bootstrap(v) {
		t.Errorf("bootstrap %v", got)
	}
	if s := spread(v); s != 3.0/4 { // quartiles 2.5 and 5.5
		t.Errorf("spread %v", s)
	}
	same := []float64{1, 1, 1, 1, 1, 1, 1}
	if got := bootstrap(same); got != (Interval{1, 1, 1}) {
		t.Errorf("bootstrap of equals %v", got)
	}
	if differ(v, v) || !differ(v, []float64{17, 11, 12, 13, 14, 15, 16}) {
		t.Error("the test of two samples")
	}
}

// A subject has one colour, and subjects that share a picture have different
// ones.
func TestColours(t *testing.T) {
	r := load(t, small)
	seen := map[any]string{}
	for _, l := range r.Go {
		c := colour(l.Subject)
		if other, ok := seen[c]; ok && other != l.Subject {
			t.Errorf("%s and %s have the same colour", other, l.Subject)
		}
		seen[c] = l.Subject
	}
	cpp := map[any]string{}
	for _, name := range cppShapes {
		c := colour(name)
		if other, ok := cpp[c]; ok {
			t.Errorf("%s and %s have the same colour", other, name)
		}
		cpp[c] = name
	}
}
