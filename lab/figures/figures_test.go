package figures

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ebbpool/arena/lab/rounds"
)

const kept = "../../docs/figures.csv"

// The tables of the pages match docs/figures.csv.
func TestTablesAreFresh(t *testing.T) {
	all, err := Read(kept)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Places {
		text, err := os.ReadFile("../../" + p.Page)
		if err != nil {
			t.Fatal(err)
		}
		want, err := p.Insert(string(text), all)
		if err != nil {
			t.Error(err)
		} else if want != string(text) {
			t.Errorf("%s: the table %s is not what %s gives: run 'make report'", p.Page, p.Name, kept)
		}
		if strings.Count(p.Make(all), "\n") < 4 {
			t.Errorf("%s: the table %s is empty", p.Page, p.Name)
		}
	}
}

// A run without a figure for a claim is not published, unless the claim is about a peer that the machine
// lacks.
func TestPublishWantsEveryClaim(t *testing.T) {
	all, err := Read(kept)
	if err != nil {
		t.Fatal(err)
	}
	without := func(table string, gone func(Figure) bool) error {
		fresh := Only(all, table)
		run := fresh[0].Run
		return Publish("/nowhere", slices.DeleteFunc(fresh, func(g Figure) bool { return g.Run == run && gone(g) }))
	}
	const peer = "times the time of mimalloc"
	for _, table := range []string{"bench", "cpp"} {
		for name, c := range map[string]struct {
			gone func(Figure) bool
			want error
		}{
			"nothing":          {func(Figure) bool { return false }, os.ErrNotExist}, // the error for the page
			"a peer":           {func(g Figure) bool { return g.Measure == peer }, os.ErrNotExist},
			"a peer's one row": {func(g Figure) bool { return g.Measure == peer && strings.Contains(g.Work, "documents") }, ErrUnmeasured},
			"one of ours":      {func(g Figure) bool { return strings.Contains(g.Work, "cycles of 20") }, ErrUnmeasured},
			"a subject of ours": {func(g Figure) bool {
				return strings.HasSuffix(g.Measure, "raw bump") || strings.HasSuffix(g.Measure, "`cursor`")
			}, ErrUnmeasured},
		} {
			if table == "bench" && strings.Contains(name, "peer") {
				continue // has no claims
			}
			if err := without(table, c.gone); !errors.Is(err, c.want) {
				t.Errorf("%s without %s: %v", table, name, err)
			}
		}
	}
}

// results is the output of benchmarks in two rounds; the second was slow for both.
const results = `cpu: Intel(R) Xeon(R) CPU @ 2.60GHz
build:
BenchmarkA/alloc=heap-2 10 100 ns/op 7 p99-ns
BenchmarkA/alloc=arena-2 10 20 ns/op 1 p99-ns
BenchmarkA/alloc=heap-2 10 300 ns/op 8 p99-ns
BenchmarkA/alloc=arena-2 10 50 ns/op 2 p99-ns
Benchmarkm/x/1K/ours 1 2 ns/op
Benchmarkm/y/1K/ours 1 32 ns/op
Benchmarkm/x/1K/floor 1 1 ns/op
Benchmarkm/y/1K/floor 1 4 ns/op
build: PGO
BenchmarkA/alloc=arena-2 10 10 ns/op
`

func parsed(t *testing.T) rounds.Measured {
	t.Helper()
	m, err := rounds.Parse(strings.NewReader(results), "results")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMeasure(t *testing.T) {
	const heap, arena = "A/alloc=heap", "A/alloc=arena"
	got := Measure("t", []Claim{
		{"a", "faster", heap, arena},
		{"", "ns", arena, ""},
		{"", "p99", heap + "@p99-ns", arena + "@p99-ns"},
		{"", "profiled", "PGO/" + arena, arena},
		{"b", "all", "m/*/1K/ours", "floor"},
		{"", "worst", "worst:m/*/1K/ours", "floor"},
		{"c", "not measured", "C", arena},
	}, parsed(t))
	var lines []string
	for _, g := range got {
		lines = append(lines, strings.Join([]string{g.Work, g.Measure, g.Text()}, " "))
	}
	want := []string{
		"a faster 5.50 (5.00–6.00)", "a ns 35.0 (20.0–50.0)", "a profiled 0.50",
		"b all 4", "b worst 8",
	}
	if lines = slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, "p99") }); !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if m := parsed(t); Maker(m.CPU) != "Intel Xeon" {
		t.Errorf("%q is taken for %q", m.CPU, Maker(m.CPU))
	}
	if p := Pattern(false); !strings.Contains(p, "|New|") || strings.Contains(p, "PGO") || !strings.Contains(Pattern(true), "New") {
		t.Errorf("the patterns are %s and %s", p, Pattern(true))
	}
}

// The adaptive pool is compared with the fastest of the others, with its misses.
func TestShifted(t *testing.T) {
	m, err := rounds.Parse(strings.NewReader(`cpu: x
BenchmarkPool/phase=a_b/pool=auto 1 100 cpu-ns/req 130 retained-B
BenchmarkPool/phase=a_b/pool=1 1 95 cpu-ns/req 100 retained-B
BenchmarkPool/phase=a_b/pool=4 1 200 cpu-ns/req 10 retained-B
BenchmarkShift/phase=idle/side=plain 1 100 resident-B
BenchmarkShift/phase=idle/side=arena 1 129 resident-B
`), "x")
	if err != nil {
		t.Fatal(err)
	}
	all, _ := shifted(m)
	var got []string
	for _, g := range all {
		got = append(got, strings.Join([]string{g.Work, g.Measure, g.Text()}, " "))
	}
	want := []string{
		"`NewAutoPool`, a b times the throughput of the fastest fixed chunk size, 1 KB 0.95",
		"`NewAutoPool`, a b times the memory that it retains 1.30",
		"a server, idle times the resident memory of the ordinary one 1.29",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// Each codec of the adapters' modules is compared with ours, and duels are used as reported.
func TestAdapters(t *testing.T) {
	const at = "BenchmarkCodec/op=decode/doc=struct/live=0/codec="
	m, err := rounds.Parse(strings.NewReader("build: protobuf\n"+at+"proto.Unmarshal 1 90 ns/op\n"+
		at+"arenapb 1 10 ns/op 7 MB/s 0 allocs/op 4 arena-B/B\nbuild: grpc\nBenchmarkUnary/Echo/maps=1 1 1.5 times 0.6 of-theirs\n"), "x")
	if err != nil {
		t.Fatal(err)
	}
	all, err := Kinds["codecs"](m)
	var got []string
	for _, g := range all {
		got = append(got, strings.Join([]string{g.Table, g.Measure, g.Text()}, "|"))
	}
	want := []string{
		"protobuf|times as fast as `proto.Unmarshal`|9", "adapters|" + stock + "|0.60", "protobuf: decode|arenapb, MB/s|7",
		"protobuf: decode|allocations|0", "protobuf: decode|arena bytes a byte|4", "protobuf: decode|proto.Unmarshal|9",
	}
	if !slices.Equal(got, want) || err != nil {
		t.Errorf("got\n%s\n%v", strings.Join(got, "\n"), err)
	}
}

// A subject whose work differs from the others' gives no result.
func TestChecksumsMustAgree(t *testing.T) {
	const lines = "BenchmarkMatrix/work=flat/n=1000000/subject=heap 1 9 ns/op 7 checksum\nBenchmarkMatrix/work=flat/n=1000000/subject=Arena 1 3 ns/op 7 checksum\n"
	for text, good := range map[string]bool{lines: true, strings.Replace(lines, "7 checksum\n", "8 checksum\n", 1): false} {
		m, err := rounds.Parse(strings.NewReader(text), "matrix")
		if err != nil {
			t.Fatal(err)
		}
		all, err := works(m)
		if (err == nil) != good {
			t.Errorf("%v of\n%s", err, text)
		}
		if good && (len(all) != 1 || all[0].Median != 3 || !strings.Contains(all[0].Measure, "(Arena)")) {
			t.Errorf("got %+v", all)
		}
	}
}

// A new run replaces the figures of the same processor and keeps the figures of others.
func TestReplace(t *testing.T) {
	old := []Figure{{Table: "a", Work: "1", Run: "x"}, {Table: "a", Work: "2", Run: "x"}, {Table: "a", Work: "1", Run: "y"}, {Table: "b", Work: "1", Run: "x"}}
	got := Replace(old, []Figure{{Table: "a", Work: "3", Run: "x"}})
	want := []Figure{{Table: "a", Work: "1", Run: "y"}, {Table: "a", Work: "3", Run: "x"}, {Table: "b", Work: "1", Run: "x"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestReadAndSave(t *testing.T) {
	file := filepath.Join(t.TempDir(), "figures.csv")
	want := []Figure{{"a, b", "w", "m", "cpu", "2026-11-23", 1.5, 1, 1e9}}
	if err := Save(file, want); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(file); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, text := range []string{"", "x\n", strings.Join(head, ",") + "\na,b,c,e,f,1,2,x\n"} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(file); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := (Place{Page: "p", Name: "n"}).Insert("no markers", nil); !errors.Is(err, ErrNoMarkers) {
		t.Error(err)
	}
}
