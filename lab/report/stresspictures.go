package report

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/ebbpool/arena/lab/results"
)

// stressMode is the mode that is drawn: with a network, clients wait for each
// other most of the time.
const stressMode = "handler"

// latencies are the lines that pictures of latency show: of the open loop, if it
// was measured. The text says what kind of loop they are of.
func latencies(all []StressLine) (lines []StressLine, text string) {
	loop, text := results.Closed, "Closed loop: 100 workers each wait for an answer before they send again, so that what would have come meanwhile is not counted. "
	if slices.ContainsFunc(all, func(l StressLine) bool { return l.Loop == results.Open }) {
		loop, text = results.Open, "Open loop: requests arrive at random, at the same rate for every subject (a part of what the plain handler served in the closed loop), and latency counts from the time at which each was meant to start. "
	}
	for _, l := range all {
		if l.Mode == stressMode && l.Loop == loop && l.P999 > 0 {
			lines = append(lines, l)
		}
	}
	return lines, text
}

// tail draws p99.9 against the live heap.
func tail(all []StressLine) *picture {
	return stressPicture(all, "Under load: p99.9 against live objects",
		"The stress test's handler: latency at p99.9 on a logarithmic scale, against millions of live objects in the background. Lower is better. The larger the live heap, the longer and the rarer the collections: the table says how many a run had. ",
		"millions of live objects", func(l StressLine) float64 { return float64(l.Live) / 1e6 })
}

// frontier draws p99.9 against memory: what is paid for what.
func frontier(all []StressLine) *picture {
	return stressPicture(all, "Under load: p99.9 against memory",
		"The same runs: latency at p99.9 against the process's peak of resident memory. Down and to the left is better; points of a subject are joined in the order of live objects. ",
		"peak memory, MB", func(l StressLine) float64 { return l.PeakMB })
}

func stressPicture(all []StressLine, title, about, x string, at func(StressLine) float64) *picture {
	lines, text := latencies(all)
	bySubject := map[string]plotter.XYs{}
	lives := map[int]bool{}
	for _, l := range lines {
		lives[l.Live] = true
		bySubject[l.Subject] = append(bySubject[l.Subject], plotter.XY{X: at(l), Y: l.P999})
	}
	if len(lives) < 2 {
		return nil // one point is no curve
	}
	return &picture{title: title, about: about + text, width: 24 * vg.Centimeter, height: 12 * vg.Centimeter,
		draw: func(t theme, c draw.Canvas) error {
			return t.curves(t.figure(title, x, "p99.9"), c, names(lines), bySubject, true)
		}}
}

// percentiles draws the latencies of one live heap, the largest. Each step to
// the right is ten times as rare.
func percentiles(all []StressLine) *picture {
	lines, text := latencies(all)
	if len(lines) == 0 {
		return nil
	}
	live := lines[len(lines)-1].Live
	lines = slices.DeleteFunc(lines, func(l StressLine) bool { return l.Live != live })
	bySubject := map[string]plotter.XYs{}
	for _, l := range lines {
		// A percentile q stands at log10(1/(1-q)).
		for _, at := range []plotter.XY{{X: math.Log10(2), Y: l.P50}, {X: 1, Y: l.P90}, {X: 2, Y: l.P99}, {X: 3, Y: l.P999}, {X: 4, Y: l.P9999}} {
			if at.Y > 0 {
				bySubject[l.Subject] = append(bySubject[l.Subject], at)
			}
		}
	}
	title := "Latency by percentile, over " + thousands(live) + " live objects"
	if rate := lines[0].Offered; rate > 0 {
		title += ", " + thousands(int(rate)) + " requests/s"
	}
	return &picture{title: title, width: frontWidth, height: 270,
		about: "The stress test's handler over the largest live heap: the latency, on a logarithmic scale, that so many of the requests did not exceed. Medians of the rounds. Lower is better. " + text,
		draw: func(t theme, c draw.Canvas) error {
			var keys []key
			for _, name := range names(lines) {
				keys = append(keys, key{name, draw.GlyphStyle{Color: colour(name), Radius: vg.Points(4), Shape: shape(name)}})
			}
			c = t.keys(c, keys)
			p := t.figure("", "% of the requests", "took at most")
			p.X.Tick.Marker = plot.ConstantTicks{{Value: math.Log10(2), Label: "50"}, {Value: 1, Label: "90"},
				{Value: 2, Label: "99"}, {Value: 3, Label: "99.9"}, {Value: 4, Label: "99.99"}}
			return t.curves(p, c, names(lines), bySubject, false)
		}}
}

// names are the lines' subjects, each once.
func names(lines []StressLine) (all []string) {
	for _, l := range lines {
		all = results.AppendNew(all, l.Subject)
	}
	return all
}

// curves adds a line for each subject, on a logarithmic scale, and draws.
func (t theme) curves(p *plot.Plot, c draw.Canvas, names []string, bySubject map[string]plotter.XYs, legend bool) error {
	t.grid(p)
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, microTicks{}
	for _, name := range names {
		line, dots, err := plotter.NewLinePoints(bySubject[name])
		if err != nil {
			return err
		}
		line.Color, line.Width = colour(name), vg.Points(2)
		dots.GlyphStyle = draw.GlyphStyle{Color: colour(name), Radius: vg.Points(4), Shape: shape(name)}
		p.Add(line, dots)
		if legend {
			p.Legend.Add(name, line, dots)
		}
	}
	p.Legend.Top, p.Legend.Padding = true, vg.Points(3)
	p.Y.Min, p.Y.Max = p.Y.Min/1.15, p.Y.Max*1.15 // no point lies on an edge
	if legend {
		p.X.Max += 0.2 * (p.X.Max - p.X.Min) // room for it
	}
	p.Draw(c)
	return nil
}

// microTicks are logTicks of microseconds, with their unit.
type microTicks struct{}

func (microTicks) Ticks(low, high float64) []plot.Tick {
	ticks := logTicks{}.Ticks(low, high)
	for i, tick := range ticks {
		switch {
		case tick.Label == "":
		case tick.Value >= 1e6:
			ticks[i].Label = strconv.FormatFloat(tick.Value/1e6, 'g', 3, 64) + " s"
		case tick.Value >= 1000:
			ticks[i].Label = strconv.FormatFloat(tick.Value/1000, 'g', 3, 64) + " ms"
		default:
			ticks[i].Label = strconv.FormatFloat(tick.Value, 'g', 3, 64) + " µs"
		}
	}
	return ticks
}
