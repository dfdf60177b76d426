package figures

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// ErrNoMarkers reports that a page has no place for a table.
var ErrNoMarkers = errors.New("no markers for the table")

// ErrUnmeasured reports that a run lacks the figure of a claim.
var ErrUnmeasured = errors.New("claims without a measurement")

// Place is the place of a table: between <!-- NAME:begin --> and <!-- NAME:end -->.
type Place struct {
	Page string // path from the repository's root
	Name string
	Make func(all []Figure) string
}

// Places lists the tables of the pages.
var Places = []Place{
	{"README.md", "load", front},
	{"docs/numbers.md", "slower", slower},
	{"docs/numbers.md", "load", func(all []Figure) string {
		return Pivot("handler, on net/http unless noted", some(Only(all, "load"), frontMeasures)) + "\n" + frontText(all)
	}},
	{"docs/numbers.md", "calls", func(all []Figure) string { return Rows(some(Only(all, "bench"), []string{besideHeap})) }},
	{measurements, "bench", func(all []Figure) string { return Rows(Only(all, "bench")) }},
	{measurements, "load", func(all []Figure) string {
		return Pivot("handler, on net/http unless noted", Only(all, "load"))
	}},
	{measurements, "shifting", func(all []Figure) string { return Rows(Only(all, "shifting")) }},
	{measurements, "conversions", func(all []Figure) string { return Pivot("program", Only(all, "conversions")) }},
	{"docs/numbers.md", "others", func(all []Figure) string { return Pivot("module", Only(all, "others")) }},
	{"lab/dead-ends.md", "automatic", func(all []Figure) string { return Pivot("module, root", Only(all, "automatic")) }},
	{measurements, "lab", func(all []Figure) string { return Rows(Only(all, "work")) }},
	{"examples/orders/README.md", "load", func(all []Figure) string { return Pivot("7 rounds, 80 % of the requests read", Only(all, "orders")) }},
	{"docs/generated/isolation.md", "isolation", func(all []Figure) string { return Rows(Only(all, "isolation")) }},
	{"docs/generated/cpp-speed.md", "bench", func(all []Figure) string { return Rows(Only(all, "cpp")) }},
	{"docs/generated/cpp-speed.md", "instructions", func(all []Figure) string { return Pivot("a call of", Only(all, "cpp instructions")) }},
	{"docs/generated/json-speed.md", "claims", func(all []Figure) string { return Rows(Only(all, "json")) }},
	{"docs/generated/json-speed.md", "json", func(all []Figure) string { return byCodec("json", all) }},
	{"docs/generated/protobuf.md", "claims", func(all []Figure) string { return Rows(Only(all, "protobuf")) }},
	{"docs/generated/protobuf.md", "bench", func(all []Figure) string { return byCodec("protobuf", all) }},
	{"lab/adapters.md", "claims", func(all []Figure) string { return Rows(Only(all, "adapters")) }},
}

const (
	measurements = "docs/generated/measurements.md"
	besideHeap   = "times as fast as the Go heap"
)

// frontMeasures are the columns of a loaded server in docs/numbers.md.
var frontMeasures = []string{noneLive, manyLive, "requests/s, 5,000,000 live", "p99 at half load, ms", "p99 at 80 %, ms", "resident memory, MB"}

// some returns the figures of the measures.
func some(all []Figure, measures []string) []Figure {
	return slices.DeleteFunc(slices.Clone(all), func(g Figure) bool { return !slices.Contains(measures, g.Measure) })
}

// slower returns a list of the rows in which a rival is faster.
func slower(all []Figure) string {
	var b strings.Builder
	for _, rival := range []struct{ table, name, measure string }{
		{"bench", "the Go heap", besideHeap},
		{"bench", "a builtin map", "times as fast as a builtin map"},
		{"bench", "an arena over a `[]byte`, which is unsafe", "times the time of `bytebump`"},
		{"bench", "plain Go, with a nil arena", "times the time of plain Go"},
		{"others", "the module before its conversion", "times as fast, none live"},
	} {
		rows := Newest(some(Only(all, rival.table), []string{rival.measure}))
		var lost []string
		for _, g := range rows {
			if strings.HasPrefix(rival.measure, "times as fast") {
				g.Median = 1 / g.Median
			}
			if g.Median > 1.005 {
				lost = append(lost, fmt.Sprintf("%s (%.2f times)", g.Work, g.Median))
			}
		}
		fmt.Fprintf(&b, "- Slower than %s in %d of %d rows", rival.name, len(lost), len(rows))
		if len(lost) > 0 {
			b.WriteString(": " + strings.Join(lost, "; "))
		}
		b.WriteString(".\n")
	}
	return b.String()
}

// byCodec returns a table for each operation, with a column for each codec.
func byCodec(table string, all []Figure) string {
	var tables []string
	for _, op := range []string{"decode", "decode into any", "decode, nil arena", "decode, after all others", "decode a body", "decode a stream", "decode a stream, after all others", "encode",
		"decode, of services", "decode into any, of services", "encode, of services", "parse and get"} {
		if rows := Only(all, table+": "+op); len(rows) > 0 {
			tables = append(tables, Pivot(op, rows))
		}
	}
	return strings.Join(tables, "\n")
}

// Only returns the figures of a table.
func Only(all []Figure, table string) []Figure {
	return slices.DeleteFunc(slices.Clone(all), func(g Figure) bool { return g.Table != table })
}

// Text formats all figures for a terminal.
func Text(all []Figure) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, g := range all {
		fmt.Fprintln(w, strings.Join([]string{g.Table, g.Work, g.Measure, g.Text()}, "\t"))
	}
	w.Flush()
	return b.String()
}

// Newest returns the figures of the latest run.
func Newest(all []Figure) []Figure {
	last := Figure{}
	for _, g := range all {
		if g.Date >= last.Date {
			last = g
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(g Figure) bool { return g.Run != last.Run })
}

// Rows returns a table with a line for each work and measure, and a column for each run.
func Rows(all []Figure) string {
	var runs, keys []string
	at := map[string]Figure{}
	key := func(g Figure) string { return g.Work + "|" + g.Measure }
	for _, g := range all {
		runs, keys = appendNew(runs, g.Run+", "+g.Date), appendNew(keys, key(g))
		at[key(g)], at[key(g)+g.Run+", "+g.Date] = g, g
	}
	var b strings.Builder
	b.WriteString("| work | what the number is |")
	for _, run := range runs {
		fmt.Fprintf(&b, " %s: median (min–max) |", run)
	}
	b.WriteString("\n| --- | --- |" + strings.Repeat(" ---: |", len(runs)) + "\n")
	work := ""
	for _, k := range keys {
		g := at[k]
		shown := g.Work
		if shown == work {
			shown = ""
		}
		work = g.Work
		fmt.Fprintf(&b, "| %s | %s |", shown, g.Measure)
		for _, run := range runs {
			if g, ok := at[k+run]; ok {
				fmt.Fprintf(&b, " %s |", g.Text())
			} else {
				b.WriteString(" not measured |")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Pivot returns a table of the latest run with a line for each work and a column for each measure. Its corner
// names the processor and the date.
func Pivot(corner string, all []Figure) string {
	var works, measures []string
	at := map[[2]string]string{}
	all = Newest(all)
	if len(all) > 0 {
		corner += "; " + all[0].Run + ", " + all[0].Date
	}
	for _, g := range all {
		works, measures = appendNew(works, g.Work), appendNew(measures, g.Measure)
		at[[2]string{g.Work, g.Measure}] = g.Text()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | %s |\n| --- |%s\n", corner, strings.Join(measures, " | "), strings.Repeat(" ---: |", len(measures)))
	for _, work := range works {
		fmt.Fprintf(&b, "| %s |", work)
		for _, m := range measures {
			fmt.Fprintf(&b, " %s |", at[[2]string{work, m}])
		}
		b.WriteString("\n")
	}
	return b.String()
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// Insert returns the page's text with a new table.
func (p Place) Insert(page string, all []Figure) (string, error) {
	begin, end := "<!-- "+p.Name+":begin -->\n", "<!-- "+p.Name+":end -->"
	before, rest, ok := strings.Cut(page, begin)
	_, after, okEnd := strings.Cut(rest, end)
	if !ok || !okEnd {
		return "", fmt.Errorf("%s: %w: a line %s and after it a line %s", p.Page, ErrNoMarkers, strings.TrimSpace(begin), end)
	}
	return before + begin + p.Make(all) + end + after, nil
}

// Publish stores the figures of a new run in docs/figures.csv of the repository at root and regenerates all
// tables. If the run lacks a claim, it changes nothing.
func Publish(root string, fresh []Figure) error {
	if err := complete(fresh); err != nil {
		return err
	}
	file := root + "/docs/figures.csv"
	kept, err := Read(file)
	if err != nil {
		return err
	}
	kept = Replace(kept, fresh)
	if err := Save(file, kept); err != nil {
		return err
	}
	if kept, err = Read(file); err != nil { // rounded like stored figures
		return err
	}
	for _, p := range Places {
		name := root + "/" + p.Page
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		changed, err := p.Insert(string(text), kept)
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(changed), 0o644); err != nil {
			return err
		}
	}
	return nil
}
