package report

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/ebbpool/arena/lab/matrix"
)

// LatencyLine is what all rounds say of the latencies of one C++ subject at one
// kind of work, built by one compiler.
type LatencyLine struct {
	CppKey
	Compiler, Subject string
	Rounds            int
	Ns                map[float64]float64 // of one call, by percentile; medians of the rounds
}

// latencyLines gathers the rows: by work, then by subject, then by compiler, so
// that what is compared stands together.
func latencyLines(rows []matrix.LatencyRow) []LatencyLine {
	var order []matrix.CppCell
	byCell := map[matrix.CppCell]map[float64][]float64{}
	var works []CppKey
	var subjects []string
	for _, r := range rows {
		if byCell[r.CppCell] == nil {
			byCell[r.CppCell] = map[float64][]float64{}
			order = append(order, r.CppCell)
		}
		if !slices.Contains(works, keyOf(r.CppCell)) {
			works = append(works, keyOf(r.CppCell))
		}
		if !slices.Contains(subjects, r.Subject) {
			subjects = append(subjects, r.Subject)
		}
		byCell[r.CppCell][r.Percentile] = append(byCell[r.CppCell][r.Percentile], r.NsPerCall)
	}
	slices.SortStableFunc(order, func(a, b matrix.CppCell) int {
		if byWork := slices.Index(works, keyOf(a)) - slices.Index(works, keyOf(b)); byWork != 0 {
			return byWork
		}
		return slices.Index(subjects, a.Subject) - slices.Index(subjects, b.Subject)
	})
	var all []LatencyLine
	for _, c := range order {
		l := LatencyLine{CppKey: keyOf(c), Compiler: c.Compiler, Subject: c.Subject, Ns: map[float64]float64{}}
		for p, values := range byCell[c] {
			l.Ns[p] = median(values)
			l.Rounds = max(l.Rounds, len(values))
		}
		all = append(all, l)
	}
	return all
}

// batchesAbout says what one must know of the percentiles, in the page's words.
const batchesAbout = "Batches of 32 steps (an allocation, a free, or with a full pool a free and an allocation) are timed with the processor's cycle counter, and divided by their calls: a single slow call shows as a part of its batch, so what is seen is how even the calls are. Medians of the rounds."

// cppPercentiles draws the latencies by percentile, a panel for each kind of
// work that is measured with a full pool, of one compiler's build.
func cppPercentiles(all []LatencyLine) *picture {
	var list []CppKey
	compiler := ""
	var drawn []LatencyLine
	for _, l := range all {
		if compiler == "" {
			compiler = l.Compiler
		}
		if l.Compiler != compiler || l.Touched != "write" || !slices.Contains([]string{"rolling", "random victims"}, l.Workload) ||
			!slices.Contains(latencyCapacities, l.Count) {
			continue
		}
		if !slices.Contains(list, l.CppKey) {
			list = append(list, l.CppKey)
		}
		drawn = append(drawn, l)
	}
	if len(list) == 0 {
		return nil
	}
	title := "C++: time of a call by percentile, " + compiler
	var names []string
	for _, l := range drawn {
		if !slices.Contains(names, l.Subject) {
			names = append(names, l.Subject)
		}
	}
	about := title + ": in nanoseconds on a logarithmic scale, what so many of the batches did not exceed. " + batchesAbout + " Lower is better."
	return sideBySide(title, about, names, len(list), func(t theme, i int) (*plot.Plot, error) {
		return percentilePlot(t, drawn, list[i])
	})
}

// latencyCapacities are those that are drawn, which a quick run has too.
var latencyCapacities = []int{8 << 10, 64 << 10}

func percentilePlot(t theme, all []LatencyLine, one CppKey) (*plot.Plot, error) {
	p := t.figure(fmt.Sprintf("%s, %d B, capacity %s", one.Workload, one.Size, thousands(one.Count)), "percentile", "ns per call")
	t.grid(p)
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	var ticks plot.ConstantTicks
	for _, l := range all {
		if l.CppKey != one {
			continue
		}
		var points plotter.XYs
		for _, q := range slices.Sorted(maps.Keys(l.Ns)) {
			ns := l.Ns[q]
			if q >= 100 || ns <= 0 {
				continue
			}
			// A percentile q stands at log10(1/(1-q)): each step to the right
			// is ten times as rare.
			x := -math.Log10(1 - q/100)
			points = append(points, plotter.XY{X: x, Y: ns})
			if !slices.ContainsFunc(ticks, func(k plot.Tick) bool { return k.Value == x }) {
				ticks = append(ticks, plot.Tick{Value: x, Label: percentileName(q)})
			}
		}
		if err := subjectLine(p, l.Subject, points, false); err != nil {
			return nil, err
		}
	}
	p.X.Tick.Marker = ticks
	p.X.Padding, p.Y.Padding = vg.Points(4), vg.Points(4)
	return p, nil
}
