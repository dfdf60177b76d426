package programs_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
	"github.com/ebbpool/arena/lab/programs"
	"github.com/ebbpool/arena/lab/workloads"
)

// both are the programs, each as plain Go and in an arena.
var both = map[string]struct {
	plain  func([]byte) (uint64, error)
	in     func(*arena.Arena, []byte) (uint64, error)
	inputs func(*workloads.Inputs) [][]byte
}{
	"query": {func(b []byte) (uint64, error) { return programs.ParseQuery(string(b)) },
		func(a *arena.Arena, b []byte) (uint64, error) { return programs.ParseQueryIn(a, string(b)) },
		func(in *workloads.Inputs) [][]byte { return bytesOf(in.Queries) }},
	"markdown": {func(b []byte) (uint64, error) { return programs.RenderMarkdown(string(b)), nil },
		func(a *arena.Arena, b []byte) (uint64, error) { return programs.RenderMarkdownIn(a, string(b)), nil },
		func(in *workloads.Inputs) [][]byte { return bytesOf(in.Markdown) }},
	"metrics": {programs.ReadMetrics, programs.ReadMetricsIn, func(in *workloads.Inputs) [][]byte { return in.Scrapes }},
	"order":   {programs.ServeOrder, programs.ServeOrderIn, func(in *workloads.Inputs) [][]byte { return in.Orders }},
}

func bytesOf(texts []string) (all [][]byte) {
	for _, s := range texts {
		all = append(all, []byte(s))
	}
	return all
}

// In an arena, a used one, on the heap through a nil arena and as plain Go, a
// program gives one digest of the lab's inputs, each another one.
func TestConvertedProgramsDoTheSame(t *testing.T) {
	in := workloads.NewInputs(3, 40)
	for name, p := range both {
		a := arena.NewArena(4096, 0)
		seen := map[uint64]bool{}
		for i, b := range p.inputs(in) {
			if len(b) < 500 || len(b) > 20_000 {
				t.Errorf("%s %d has %d bytes", name, i, len(b))
			}
			want, err := p.plain(b)
			if err != nil {
				t.Fatalf("%s %d: %v\n%s", name, i, err, b)
			}
			seen[want] = true
			for _, a := range []*arena.Arena{a, nil} {
				if got, err := p.in(a, b); err != nil || got != want {
					t.Fatalf("%s %d: %x, want %x, %v", name, i, got, want, err)
				}
			}
			if a.Stats().UsedBytes < len(b)/2 {
				t.Errorf("%s %d took %d bytes of its arena", name, i, a.Stats().UsedBytes)
			}
			a.Reset()
		}
		if len(seen) != 40 {
			t.Errorf("%s: %d digests of 40 documents", name, len(seen))
		}
	}
}

// What is not right is refused by both, with one error, and what a byte changes
// in a text shows in both.
func TestConvertedProgramsRefuseTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	in := workloads.NewInputs(4, 20)
	for name, p := range both {
		a := arena.NewArena(4096, 0)
		refused, taken := 0, 0
		for _, b := range p.inputs(in) {
			for range 60 {
				c := append([]byte(nil), b...)
				for range 1 + rng.IntN(2) {
					switch at := rng.IntN(len(c)); rng.IntN(3) {
					case 0:
						c[at] = "{}[](),:\"\\ a0.@$!#*`>\n"[rng.IntN(22)]
					case 1:
						c = c[:at+1]
					default:
						c = append(c[:at], c[at+1:]...)
					}
					if len(c) == 0 {
						c = []byte{'x'}
					}
				}
				want, wantErr := p.plain(c)
				got, err := p.in(a, c)
				if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Fatalf("%s: %x and %v, want %x and %v\n%s", name, got, err, want, wantErr, c)
				}
				if err != nil {
					refused++
				} else {
					taken++
				}
				a.Reset()
			}
		}
		if taken < 50 || refused < 50 && name != "markdown" {
			t.Errorf("%s: %d refused, %d taken", name, refused, taken)
		}
	}
}

// The converted programs take next to nothing from the heap once their arena is
// warm: the boxes of numbers and what the compiler makes of fmt's operands.
func TestConvertedProgramsAllocateLittle(t *testing.T) {
	in := workloads.NewInputs(5, 10)
	for name, p := range both {
		if name == "markdown" || name == "query" {
			continue // the test's own copies of the text
		}
		a := arena.NewArena(64<<10, 0)
		all := p.inputs(in)
		run := func() {
			for _, b := range all {
				p.in(a, b)
				a.Reset()
			}
		}
		run()
		converted := testing.AllocsPerRun(20, run)
		plain := testing.AllocsPerRun(5, func() {
			for _, b := range all {
				p.plain(b)
			}
		})
		t.Logf("%s: %.0f allocations, %.0f in an arena", name, plain/10, converted/10)
		if converted > plain/8 {
			t.Errorf("%s: %.0f allocations, %.0f in an arena", name, plain/10, converted/10)
		}
	}
}

var update = flag.Bool("update", false, "write what is counted into docs/guide.md")

// The table of docs/guide.md is what is counted here.
func TestConversionsPage(t *testing.T) {
	if runtime.GOARCH != "amd64" || !strings.HasPrefix(runtime.Version(), "go1.26") {
		t.Skip("the table is that of Go 1.26")
	}
	in := workloads.NewInputs(5, 10)
	var table strings.Builder
	table.WriteString("| program | lines | of them new or changed | allocations for a document, plain | in an arena |\n| --- | ---: | ---: | ---: | ---: |\n")
	for _, row := range []struct {
		name, file, what string
		copies           float64 // the test's own, of the text
	}{
		{"query", "query", "GraphQL documents to a tree", 1},
		{"markdown", "markdown", "Markdown to a tree, and HTML of it", 1},
		{"metrics", "metrics", "lines of metrics with labels, summed up", 0},
		{"order", "orders", "an order as JSON, read, checked and answered", 0},
	} {
		p, a := both[row.name], arena.NewArena(64<<10, 0)
		all := p.inputs(in)
		each := func(f func(b []byte)) float64 {
			n := testing.AllocsPerRun(5, func() {
				for _, b := range all {
					f(b)
				}
			})
			return n/float64(len(all)) - row.copies
		}
		plain := each(func(b []byte) { p.plain(b) })
		arena := each(func(b []byte) { p.in(a, b); a.Reset() })
		lines, changed := compare(t, row.file+"_plain.go", row.file+"_arena.go")
		fmt.Fprintf(&table, "| %s | %d | %d | %.0f | %.0f |\n", row.what, lines, changed, plain, arena)
	}
	testkit.Table(t, "../../docs/guide.md", "programs", table.String(), *update)
}

// compare counts the lines of a file, and those of another one that are none of its.
func compare(t *testing.T, from, to string) (lines, changed int) {
	t.Helper()
	have := map[string]int{}
	for _, name := range []string{from, to} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			switch line = strings.TrimSpace(line); {
			case line == "":
			case name == from:
				lines++
				have[line]++
			case have[line] > 0:
				have[line]--
			default:
				changed++
			}
		}
	}
	return lines, changed
}
