package jsonbench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ebbpool/arena/lab/ratios"
)

// titles are what the tables are called.
var titles = []struct{ op, title string }{
	{Decode, "decode"}, {DecodeAny, "decode into `any`"}, {DecodeHeap, "decode, with a nil arena"},
	{DecodeAfter, "decode, after all other documents"}, {Encode, "encode"},
}

// Markdown is the table of what was measured: for each operation and document how
// fast ours is, and how many times its time the others take; those that another Go
// built, the time of ours that it built, too.
func Markdown(rows []ratios.Row) string {
	t := read(rows)
	var b strings.Builder
	for _, o := range titles {
		op := o.op
		var cells []cellKey
		for _, k := range t.cells {
			if k.op == op {
				cells = append(cells, k)
			}
		}
		if len(cells) == 0 {
			continue
		}
		var others []string
		ours := false
		for _, codec := range t.codecs {
			if codec == Ours {
				ours = ours || t.has(op, codec)
			} else if !strings.HasPrefix(codec, Ours+ofGo) && t.has(op, codec) {
				others = append(others, codec)
			}
		}
		if !ours {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "| %s | %s, MB/s | allocations | %s |\n", o.title, Ours, strings.Join(others, " | "))
		b.WriteString("| --- | ---: | ---: |" + strings.Repeat(" ---: |", len(others)) + "\n")
		for _, k := range cells {
			mine := t.values[k][Ours]
			if len(mine.time) == 0 {
				continue
			}
			what := k.corpus
			if k.live != "0" {
				what += ", " + k.live + " objects live"
			}
			size := t.sizes[cellKey{op, k.corpus, "0"}]
			fmt.Fprintf(&b, "| %s | %.0f | %s |", what, size/median(mine.all())*1e3, count(median(mine.allocs)))
			for _, codec := range others {
				fmt.Fprintf(&b, " %s |", t.ratio(k, codec))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

type cellKey struct{ op, corpus, live string }

type values struct {
	time   map[int]float64 // by round
	allocs []float64
}

func (v values) all() (all []float64) {
	for _, t := range v.time {
		all = append(all, t)
	}
	return
}

type table struct {
	cells  []cellKey // in the order of the rows
	codecs []string
	values map[cellKey]map[string]values
	sizes  map[cellKey]float64
}

func read(rows []ratios.Row) *table {
	t := &table{values: map[cellKey]map[string]values{}, sizes: map[cellKey]float64{}}
	for _, r := range rows {
		op, rest, _ := strings.Cut(r.Name, "/corpus=")
		corpus, rest, _ := strings.Cut(rest, "/live=")
		live, codec, _ := strings.Cut(rest, "/codec=")
		k := cellKey{op, corpus, live}
		if r.Unit == Size {
			t.sizes[k] = r.Value
			continue
		}
		if t.values[k] == nil {
			t.values[k] = map[string]values{}
			t.cells = append(t.cells, k)
		}
		if !slices.Contains(t.codecs, codec) {
			t.codecs = append(t.codecs, codec)
		}
		v := t.values[k][codec]
		if v.time == nil {
			v.time = map[int]float64{}
		}
		if r.Unit == Time {
			v.time[r.Round] = r.Value
		} else {
			v.allocs = append(v.allocs, r.Value)
		}
		t.values[k][codec] = v
	}
	return t
}

func (t *table) has(op, codec string) bool {
	for k, v := range t.values {
		if _, ok := v[codec]; ok && k.op == op {
			return true
		}
	}
	return false
}

// ratio is the median of the ratios of each round, and the least and greatest one.
func (t *table) ratio(k cellKey, codec string) string {
	var all []float64
	ours := Ours
	if _, other, ok := strings.Cut(codec, ofGo); ok {
		ours += ofGo + other
	}
	for round, time := range t.values[k][codec].time {
		if mine := t.values[k][ours].time[round]; mine > 0 {
			all = append(all, time/mine)
		}
	}
	if len(all) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f (%.1f–%.1f)", median(all), slices.Min(all), slices.Max(all))
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}

// count is a number of allocations: what one collection in thousands of calls makes
// is none.
func count(v float64) string {
	if v < 0.5 {
		return "0"
	}
	return fmt.Sprintf("%.0f", v)
}
