package report

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/results"
)

// StressLine is the median of the stress test's runs of one subject over one
// number of live objects.
type StressLine struct {
	Live          int
	Mode, Subject string
	Rate          float64 // requests per second
	P50, P99      float64 // microseconds
	P999          float64 // microseconds
	Max           float64 // microseconds; the median of the rounds' worst
	PeakMB        float64
	Collections   float64 // in a run
	Rounds        int
}

// loadStress reads stress-<live objects>.csv of a folder: tables of runs, as
// the stress test writes them. Medians are made here, of the runs.
func loadStress(dir string) ([]StressLine, error) {
	names, err := filepath.Glob(filepath.Join(dir, matrix.StressPrefix+"*.csv"))
	if err != nil {
		return nil, err
	}
	var all []StressLine
	for _, name := range names {
		live, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), matrix.StressPrefix), ".csv"))
		if err != nil {
			return nil, fmt.Errorf("%s: the name must end in the number of live objects", name)
		}
		part, err := stressFile(name, live)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, part...)
	}
	slices.SortStableFunc(all, func(a, b StressLine) int { return a.Live - b.Live })
	return all, nil
}

func stressFile(name string, live int) ([]StressLine, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := results.ReadCSV(f)
	if err != nil {
		return nil, err
	}
	columns := []string{"req/s", "p50 us", "p99 us", "p99.9 us", "max us", "peak MB", "GCs"}
	at := make([]int, len(columns))
	for i, c := range columns {
		if at[i] = slices.Index(t.Head, c); at[i] < 0 || len(t.Head) < 3 || t.Head[0] != "mode" {
			return nil, fmt.Errorf("no table of the stress test: column %q is missing", c)
		}
	}
	type id struct{ mode, subject string }
	var order []id
	values := map[id][][]float64{}
	for i, row := range t.Rows {
		if row[2] == "median" {
			continue
		}
		k := id{row[0], row[1]}
		if values[k] == nil {
			order = append(order, k)
			values[k] = make([][]float64, len(columns))
		}
		for c := range columns {
			v, err := strconv.ParseFloat(row[at[c]], 64)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+2, err)
			}
			values[k][c] = append(values[k][c], v)
		}
	}
	var all []StressLine
	for _, k := range order {
		v := values[k]
		all = append(all, StressLine{live, k.mode, k.subject, median(v[0]), median(v[1]), median(v[2]), median(v[3]), median(v[4]), median(v[5]), median(v[6]), len(v[0])})
	}
	return all, nil
}

func stressTable(all []StressLine) results.Table {
	t := results.Table{Head: []string{"live objects", "mode", "subject", "requests/s", "p50", "p99", "p99.9", "worst", "peak memory", "collections", "rounds"}}
	for _, l := range all {
		t.Rows = append(t.Rows, []string{thousands(l.Live), l.Mode, l.Subject, digits(l.Rate), duration(l.P50 * 1000),
			duration(l.P99 * 1000), duration(l.P999 * 1000), duration(l.Max * 1000), bytesOf(l.PeakMB * 1e6), count(l.Collections), strconv.Itoa(l.Rounds)})
	}
	return t
}

// tail draws p99.9 against the live heap.
func tail(all []StressLine) *picture {
	return stressPicture(all, "Under load: p99.9 against live objects",
		"The stress test's handler: latency at p99.9, in microseconds on a logarithmic scale, against millions of live objects in the background. Lower is better. The larger the live heap, the longer and the rarer the collections: the table says how many a run had.",
		"millions of live objects", "p99.9, µs",
		func(l StressLine) plotter.XY { return plotter.XY{X: float64(l.Live) / 1e6, Y: l.P999} })
}

// frontier draws p99.9 against memory: what is paid for what.
func frontier(all []StressLine) *picture {
	return stressPicture(all, "Under load: p99.9 against memory",
		"The same runs: latency at p99.9 against the process's peak of resident memory. Down and to the left is better; points of a subject are joined in the order of live objects.",
		"peak memory, MB", "p99.9, µs",
		func(l StressLine) plotter.XY { return plotter.XY{X: l.PeakMB, Y: l.P999} })
}

// percentiles draws the latencies of one live heap, the largest, from the
// median request to the worst. Each step to the right is ten times as rare.
func percentiles(all []StressLine) *picture {
	if len(all) == 0 {
		return nil
	}
	live := all[len(all)-1].Live
	var names []string
	bySubject := map[string]plotter.XYs{}
	for _, l := range all {
		if l.Live != live || l.Mode != stressMode || l.P50 <= 0 {
			continue
		}
		names = append(names, l.Subject)
		// A percentile q stands at log10(1/(1-q)); the worst has none, and is
		// put one step behind the last.
		bySubject[l.Subject] = plotter.XYs{{X: math.Log10(2), Y: l.P50}, {X: 2, Y: l.P99}, {X: 3, Y: l.P999}, {X: 4, Y: l.Max}}
	}
	title := "Under load: latency by percentile, " + thousands(live) + " live objects"
	return &picture{title: title, width: 24 * vg.Centimeter, height: 12 * vg.Centimeter,
		about: "The stress test's handler over the largest live heap: the latency, in microseconds on a logarithmic scale, that so many of the requests did not exceed. Medians of the rounds. Lower is better.",
		draw: func(t theme, c draw.Canvas) error {
			p := t.figure(title, "percentile", "latency, µs")
			p.X.Tick.Marker = plot.ConstantTicks{{Value: math.Log10(2), Label: "p50"}, {Value: 2, Label: "p99"}, {Value: 3, Label: "p99.9"}, {Value: 4, Label: "worst"}}
			return t.curves(p, c, names, bySubject)
		}}
}

// stressMode is the mode that is drawn: with a network, clients wait for each
// other most of the time.
const stressMode = "handler"

// curves adds a line for each subject, on a logarithmic scale, and draws.
func (t theme) curves(p *plot.Plot, c draw.Canvas, names []string, bySubject map[string]plotter.XYs) error {
	t.grid(p)
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	for _, name := range names {
		line, dots, err := plotter.NewLinePoints(bySubject[name])
		if err != nil {
			return err
		}
		line.Color, line.Width = colour(name), vg.Points(2)
		dots.GlyphStyle = draw.GlyphStyle{Color: colour(name), Radius: vg.Points(4), Shape: shape(name)}
		p.Add(line, dots)
		p.Legend.Add(name, line, dots)
	}
	p.Legend.Top = true
	p.X.Max += 0.2 * (p.X.Max - p.X.Min) // room for the legend
	p.Draw(c)
	return nil
}

func stressPicture(all []StressLine, title, about, x, y string, at func(StressLine) plotter.XY) *picture {
	bySubject := map[string]plotter.XYs{}
	var names []string
	lives := map[int]bool{}
	for _, l := range all {
		if l.Mode != stressMode || l.P999 <= 0 {
			continue
		}
		if bySubject[l.Subject] == nil {
			names = append(names, l.Subject)
		}
		lives[l.Live] = true
		bySubject[l.Subject] = append(bySubject[l.Subject], at(l))
	}
	if len(lives) < 2 {
		return nil // one point is no curve
	}
	return &picture{title: title, about: about, width: 24 * vg.Centimeter, height: 12 * vg.Centimeter,
		draw: func(t theme, c draw.Canvas) error {
			p := t.figure(title, x, y)
			return t.curves(p, c, names, bySubject)
		}}
}
