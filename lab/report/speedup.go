package report

import (
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/subjects"
)

// speedup draws how many times as fast as the heap each subject is, one row
// for each kind of work, with the confidence interval as a bar.
func speedup(all []Line, workloads []string, title string) *picture {
	var rows []matrix.Cell // without a subject
	drawn := []Line{}
	for _, l := range all {
		if !l.Beside || !slices.Contains(workloads, l.Workload) || l.Subject == subjects.Heap {
			continue
		}
		row := matrix.Cell{Workload: l.Workload, N: l.N}
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
		drawn = append(drawn, l)
	}
	if len(drawn) == 0 {
		return nil
	}
	return &picture{
		title: title,
		about: "How many times as fast as the Go heap, on a logarithmic scale; bars are 95 % confidence intervals of the median. To the right of the line a subject is faster than the heap, to the left slower.",
		width: 24 * vg.Centimeter, height: vg.Length(3.5+1.6*float64(len(rows))) * vg.Centimeter,
		draw: func(t theme, c draw.Canvas) error {
			p, err := speedupPlot(t, drawn, rows, title)
			if err != nil {
				return err
			}
			p.Draw(c)
			return nil
		},
	}
}

func speedupPlot(t theme, drawn []Line, rows []matrix.Cell, title string) (*plot.Plot, error) {
	p := t.figure(title, "times as fast as the Go heap", "")
	t.grid(p)
	var ticks []plot.Tick
	for i, row := range rows {
		label := row.Workload + " " + thousands(row.N)
		ticks = append(ticks, plot.Tick{Value: float64(len(rows) - 1 - i), Label: label})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Y.Min, p.Y.Max = -0.6, float64(len(rows))-0.4
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{}
	one, err := t.upright(1, p.Y.Min, p.Y.Max)
	if err != nil {
		return nil, err
	}
	p.Add(one)
	var names []string
	for _, a := range subjects.Allocators() {
		if slices.ContainsFunc(drawn, func(l Line) bool { return l.Subject == a.Name }) {
			names = append(names, a.Name)
		}
	}
	for i, name := range names {
		var points bars
		for _, l := range drawn {
			if l.Subject != name {
				continue
			}
			at := slices.Index(rows, matrix.Cell{Workload: l.Workload, N: l.N})
			offset := 0.38 - 0.76*(float64(i)+0.5)/float64(len(names))
			points = append(points, bar{l.Faster, float64(len(rows)-1-at) + offset})
		}
		if err := points.add(p, draw.GlyphStyle{Color: colour(name), Radius: vg.Points(3), Shape: shape(name)}, name); err != nil {
			return nil, err
		}
	}
	p.Legend.Top = true
	p.Legend.XOffs = vg.Points(-4)
	// Room for the legend, to the right of all points.
	p.X.Max *= 8
	return p, nil
}

// bar is an interval at a height.
type bar struct {
	Interval
	y float64
}

type bars []bar

func (b bars) Len() int                         { return len(b) }
func (b bars) XY(i int) (x, y float64)          { return b[i].Center, b[i].y }
func (b bars) XError(i int) (low, high float64) { return b[i].Center - b[i].Lo, b[i].Hi - b[i].Center }

// add draws the intervals, and names them in the legend if there is a name.
func (b bars) add(p *plot.Plot, g draw.GlyphStyle, name ...string) error {
	errs, err := plotter.NewXErrorBars(b)
	if err != nil {
		return err
	}
	errs.Color, errs.CapWidth = g.Color, vg.Points(4)
	dots, err := plotter.NewScatter(b)
	if err != nil {
		return err
	}
	dots.GlyphStyle = g
	p.Add(errs, dots)
	for _, n := range name {
		p.Legend.Add(n, dots)
	}
	return nil
}

// logTicks labels 1, 2 and 5 of each decade.
type logTicks struct{}

func (logTicks) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for decade := 1e-6; decade < 1e12; decade *= 10 {
		for digit := 1.0; digit < 10; digit++ {
			v := decade * digit
			if v < low || v > high {
				continue
			}
			label := ""
			if digit == 1 || (digit == 2 || digit == 5) && high/low < 1e4 {
				label = strconv.FormatFloat(v, 'g', 3, 64)
				if v >= 1000 && v < 1e9 {
					label = thousands(int(v + 0.5))
				}
			}
			ticks = append(ticks, plot.Tick{Value: v, Label: label})
		}
	}
	return ticks
}
