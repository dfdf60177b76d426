package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// field is a table of numbers: rows from above, columns from the left. NaN is
// an empty place.
type field struct {
	rows, columns []string
	value         [][]float64
}

func (f field) Dims() (c, r int)   { return len(f.columns), len(f.rows) }
func (f field) X(c int) float64    { return float64(c) }
func (f field) Y(r int) float64    { return float64(r) }
func (f field) Z(c, r int) float64 { return math.Log2(f.value[len(f.rows)-1-r][c]) }

// heatmap draws how many times as fast as glibc's malloc a C++ subject is, by
// pattern and size, the compilers side by side.
func heatmap(all []CppLine, subject string) *picture {
	f := patternField(all, subject)
	if len(f.rows) == 0 {
		return nil
	}
	title := "C++: " + subject + ", times as fast as glibc's malloc"
	return &picture{
		title: title,
		about: "Rows are patterns and sizes of objects, columns the pool's capacity, for each compiler. Each cell has its number; blue is faster than malloc, orange slower.",
		width: 24 * vg.Centimeter, height: vg.Length(3+0.95*float64(len(f.rows))) * vg.Centimeter,
		draw: func(t theme, c draw.Canvas) error {
			p, err := heatPlot(t, f, title)
			if err != nil {
				return err
			}
			p.Draw(c)
			return nil
		},
	}
}

func patternField(all []CppLine, subject string) (f field) {
	var counts []int
	built := compilers(all)
	for _, one := range panels(all) {
		for _, l := range all {
			if l.panel() == one && !slices.Contains(counts, l.Count) {
				counts = append(counts, l.Count)
			}
		}
	}
	slices.Sort(counts)
	for i, c := range built {
		if i > 0 {
			f.columns = append(f.columns, "") // a gap
		}
		for _, n := range counts {
			f.columns = append(f.columns, thousands(n)+"\n"+c)
		}
	}
	for _, one := range panels(all) {
		row := slices.Repeat([]float64{math.NaN()}, len(f.columns))
		some := false
		for _, l := range all {
			if l.Subject == subject && l.Beside && l.panel() == one {
				at := slices.Index(built, l.Compiler)*(len(counts)+1) + slices.Index(counts, l.Count)
				row[at], some = l.Faster.Center, true
			}
		}
		if some {
			f.rows, f.value = append(f.rows, one.title()), append(f.value, row)
		}
	}
	return f
}

// steps of the scale: orange for slower, blue for faster, pale between them.
type steps []color.Color

func (s steps) Colors() []color.Color { return s }

var diverging palette.Palette = steps{
	rgb(0xb35900), rgb(0xd98032), rgb(0xf0ad70), rgb(0xf5d7b8), rgb(0xeeeeee),
	rgb(0xc6dcee), rgb(0x8dbbdd), rgb(0x4f97c8), rgb(0x0072b2),
}

func heatPlot(t theme, f field, title string) (*plot.Plot, error) {
	p := t.figure(title, "capacity of the pool", "")
	h := plotter.NewHeatMap(f, diverging)
	// The same distance on both sides of 1, so that pale means equal.
	reach := max(math.Abs(h.Min), math.Abs(h.Max), 1)
	h.Min, h.Max = -reach, reach
	p.Add(h)
	var x, y []plot.Tick
	for i, label := range f.columns {
		if label != "" {
			x = append(x, plot.Tick{Value: float64(i), Label: label})
		}
	}
	var at plotter.XYLabels
	var inks []color.Color
	for i, label := range f.rows {
		up := float64(len(f.rows) - 1 - i)
		y = append(y, plot.Tick{Value: up, Label: label})
		for k, v := range f.value[i] {
			if !math.IsNaN(v) {
				at.XYs = append(at.XYs, plotter.XY{X: float64(k), Y: up})
				at.Labels = append(at.Labels, fmt.Sprintf("%.2f", v))
				ink := rgb(0x1b1f24) // on its cell, in any light
				if math.Abs(math.Log2(v)) > 0.6*reach {
					ink = rgb(0xffffff)
				}
				inks = append(inks, ink)
			}
		}
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(x), plot.ConstantTicks(y)
	labels, err := plotter.NewLabels(at)
	if err != nil {
		return nil, err
	}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Font = face(11)
		labels.TextStyle[i].Color = inks[i]
		labels.TextStyle[i].XAlign, labels.TextStyle[i].YAlign = draw.XCenter, draw.YCenter
	}
	p.Add(labels)
	return p, nil
}
