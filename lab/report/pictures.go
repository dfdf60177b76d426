// Package report draws docs/figures.csv: the pictures of the README, of docs/numbers.md and of the C++ pages,
// and a page with all pictures and tables.
package report

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/ebbpool/arena/lab/figures"
)

// Picture is a drawing of one table.
type Picture struct {
	Name  string // of its file, without .svg
	Title string
	About string
	table string
	draw  func(p *plot.Plot, all []figures.Figure) error
	rows  int // height in centimeters, if more than 12
}

// Pictures lists all pictures.
var Pictures = []Picture{
	{Name: "latency", Title: "A request handler under load: latency by percentile", table: "load latency",
		About: "A net/http server at half of what plain Go can serve: requests arrive at random, at the same rate for each handler. Lower is better.",
		draw:  percentiles},
	{Name: "load", Title: "99th percentile of latency by load, with 5,000,000 live objects", table: "load p99",
		About: "A net/http server; the load is a part of what the ordinary handler can serve. Lower is better.", draw: byLoad},
	{Name: "work", Title: "Times as fast as the Go heap, by kind of work", table: "work", rows: 30,
		About: "The fastest of ours; the line from the least round to the greatest.", draw: bars},
	{Name: "cpp-latency", Title: "C++: nanoseconds of a call, by percentile", table: "cpp latency",
		About: "Random victims of 65,536 objects of 256 bytes, in batches of 32 calls. Lower is better.", draw: percentiles},
	{Name: "cpp-speedup", Title: "C++: times as fast as glibc's malloc, by capacity", table: "cpp speedup",
		About: "The geometric mean over all patterns and sizes. Higher is better.", draw: lines},
	{Name: "cpp-heatmap", Title: "C++: ebb trap, times as fast as glibc's malloc, by pattern and size", table: "cpp heatmap",
		About: "Blue is faster, red slower.", draw: heatmap},
}

// SVG returns the picture as an SVG file, or nil if there are no figures.
func (p Picture) SVG(all []figures.Figure) ([]byte, error) {
	rows := figures.Newest(figures.Only(all, p.table))
	if len(rows) == 0 {
		return nil, nil
	}
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	drawing := plot.New()
	drawing.Title.Text, drawing.Title.Padding = p.Title+"; "+rows[0].Run+", "+rows[0].Date, vg.Points(8)
	drawing.Legend.Top, drawing.Legend.Left = true, true
	if err := p.draw(drawing, rows); err != nil {
		return nil, fmt.Errorf("picture %s: %w", p.Name, err)
	}
	height := vg.Length(max(12, p.rows)) * vg.Centimeter
	canvas := vgsvg.New(24*vg.Centimeter, height)
	drawing.Draw(draw.New(canvas))
	var b bytes.Buffer
	_, err := canvas.WriteTo(&b)
	return b.Bytes(), err
}

// by returns the points of each work, and the names of the measures by x.
func by(all []figures.Figure, x func(i int, measure string) float64) (works, measures []string, points map[string]plotter.XYs) {
	points = map[string]plotter.XYs{}
	for _, g := range all {
		if !slices.Contains(works, g.Work) {
			works = append(works, g.Work)
		}
		if !slices.Contains(measures, g.Measure) {
			measures = append(measures, g.Measure)
		}
		at := x(slices.Index(measures, g.Measure), g.Measure)
		points[g.Work] = append(points[g.Work], plotter.XY{X: at, Y: g.Median})
	}
	return works, measures, points
}

// curves adds a line for each work; ours is thicker.
func curves(p *plot.Plot, works []string, points map[string]plotter.XYs) error {
	p.Add(plotter.NewGrid())
	for i, w := range works {
		l, s, err := plotter.NewLinePoints(points[w])
		if err != nil {
			return err
		}
		l.Color, s.Color = plotutil.Color(i), plotutil.Color(i)
		l.Dashes, s.Shape, s.Radius = plotutil.Dashes(i/7), plotutil.Shape(i), vg.Points(3)
		if l.Width = vg.Points(1); w == "arena" || w == "Ebbpool" || w == "ebb-trap" {
			l.Width = vg.Points(3)
		}
		p.Add(l, s)
		p.Legend.Add(w, l, s)
	}
	return nil
}

// percentiles draws latencies. The x coordinate of percentile q is log10(1/(1-q)).
func percentiles(p *plot.Plot, all []figures.Figure) error {
	// Handlers are columns of their table, but rows here. Pools are rows.
	if _, err := strconv.ParseFloat(all[0].Work, 64); err == nil {
		all = slices.Clone(all)
		for i := range all {
			all[i].Work, all[i].Measure = all[i].Measure, all[i].Work
			all[i].Median /= 1000
		}
	}
	works, measures, points := by(all, func(_ int, m string) float64 {
		q, _ := strconv.ParseFloat(m, 64)
		return -math.Log10(1 - q/100)
	})
	var ticks plot.ConstantTicks
	for _, m := range measures {
		q, _ := strconv.ParseFloat(m, 64)
		ticks = append(ticks, plot.Tick{Value: -math.Log10(1 - q/100), Label: m + " %"})
	}
	p.X.Tick.Marker = ticks
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Y.Label.Text = "ms"
	if slices.Contains(works, "ebb-trap") {
		p.Y.Label.Text = "ns"
	}
	return curves(p, works, points)
}

// byLoad draws a latency in ms by the load in percent.
func byLoad(p *plot.Plot, all []figures.Figure) error {
	var ticks plot.ConstantTicks
	works, _, points := by(all, func(_ int, m string) float64 {
		load, _ := strconv.ParseFloat(strings.TrimSuffix(m, " %"), 64)
		ticks = append(ticks, plot.Tick{Value: load, Label: m})
		return load
	})
	p.X.Tick.Marker, p.X.Label.Text = ticks, "load, of what the ordinary handler can serve"
	p.Y.Scale, p.Y.Tick.Marker, p.Y.Label.Text = plot.LogScale{}, plot.LogTicks{Prec: -1}, "p99, ms"
	err := curves(p, works, points)
	p.X.Min, p.X.Max = 0, 100
	return err
}

// lines draws a line for each work over the measures, which are equally spaced.
func lines(p *plot.Plot, all []figures.Figure) error {
	works, measures, points := by(all, func(i int, _ string) float64 { return float64(i) })
	p.NominalX(measures...)
	p.Y.Scale = plot.LogScale{}
	var ticks plot.ConstantTicks
	for y := 1.0 / 64; y <= 64; y *= 2 {
		ticks = append(ticks, plot.Tick{Value: y, Label: strconv.FormatFloat(y, 'g', 3, 64)})
	}
	p.Y.Tick.Marker = ticks
	err := curves(p, works, points)
	p.X.Min = -0.8 // room for the legend
	return err
}

// spans are the ends of the bars: minimum and maximum.
type spans struct {
	plotter.XYs
	low, high []float64
}

func (s spans) XError(i int) (low, high float64) {
	return s.XYs[i].X - s.low[i], s.high[i] - s.XYs[i].X
}

// bars draws the speed of each workload relative to the heap.
func bars(p *plot.Plot, all []figures.Figure) error {
	var names []string
	s := spans{}
	for _, g := range slices.Backward(all) {
		const prefix = "times as fast"
		if len(g.Measure) < len(prefix) || g.Measure[:len(prefix)] != prefix {
			continue
		}
		s.XYs = append(s.XYs, plotter.XY{X: g.Median, Y: float64(len(names))})
		s.low, s.high = append(s.low, g.Low), append(s.high, g.High)
		names = append(names, g.Work)
	}
	points, err := plotter.NewScatter(s)
	if err != nil {
		return err
	}
	points.Shape, points.Radius, points.Color = draw.CircleGlyph{}, vg.Points(4), color.NRGBA{0, 0x72, 0xb2, 0xff}
	ends, err := plotter.NewXErrorBars(s)
	if err != nil {
		return err
	}
	equal, err := plotter.NewLine(plotter.XYs{{X: 1, Y: -0.5}, {X: 1, Y: float64(len(names)) - 0.5}})
	if err != nil {
		return err
	}
	p.Add(plotter.NewGrid(), equal, ends, points)
	p.NominalY(names...)
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	return nil
}

// field is a table of numbers. The first row is at the top.
type field struct {
	rows, columns []string
	value         [][]float64
}

func (f field) Dims() (c, r int)   { return len(f.columns), len(f.rows) }
func (f field) X(c int) float64    { return float64(c) }
func (f field) Y(r int) float64    { return float64(r) }
func (f field) Z(c, r int) float64 { return math.Log2(f.value[len(f.rows)-1-r][c]) }

func heatmap(p *plot.Plot, all []figures.Figure) error {
	works, measures, points := by(all, func(i int, _ string) float64 { return float64(i) })
	f := field{rows: works, columns: measures}
	labels := plotter.XYLabels{}
	for r, w := range works {
		f.value = append(f.value, make([]float64, len(measures)))
		for _, at := range points[w] {
			f.value[r][int(at.X)] = at.Y
			labels.XYs = append(labels.XYs, plotter.XY{X: at.X, Y: float64(len(works) - 1 - r)})
			labels.Labels = append(labels.Labels, strconv.FormatFloat(at.Y, 'g', 3, 64))
		}
	}
	scale := moreland.SmoothBlueRed()
	scale.SetMin(-1)
	scale.SetMax(1)
	h := plotter.NewHeatMap(f, palette.Reverse(scale).Palette(15))
	// Symmetric about 1, so that pale means equal.
	reach := max(math.Abs(h.Min), math.Abs(h.Max), 1)
	h.Min, h.Max = -reach, reach
	text, err := plotter.NewLabels(labels)
	if err != nil {
		return err
	}
	for i := range text.TextStyle {
		text.TextStyle[i].XAlign, text.TextStyle[i].YAlign = draw.XCenter, draw.YCenter
	}
	p.Add(h, text)
	p.NominalX(measures...)
	slices.Reverse(works)
	p.NominalY(works...)
	return nil
}
