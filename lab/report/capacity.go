package report

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel is one plot of the C++ pictures: a workload with one size of objects.
type panel struct {
	workload, touched string
	size              int
}

func (p panel) title() string {
	text := fmt.Sprintf("%s, %d B", p.workload, p.size)
	if p.touched != "write" && p.touched != "" {
		text += ", " + p.touched
	}
	return text
}

// panels are those of the matrix: work that was done at several capacities.
func panels(all []CppLine) (list []panel) {
	for _, l := range all {
		p := panel{l.Workload, l.Touched, l.Size}
		several := slices.ContainsFunc(all, func(o CppLine) bool {
			return o.Workload == l.Workload && o.Touched == l.Touched && o.Size == l.Size && o.Count != l.Count
		})
		if several && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// against draws a value of each C++ subject against the pool's capacity, a
// panel for each workload and size of objects.
func against(all []CppLine, title, about, axis string, value func(CppLine) (Interval, bool)) *picture {
	list := panels(all)
	if len(list) == 0 {
		return nil
	}
	const columns = 2
	rows := (len(list) + columns - 1) / columns
	return &picture{
		title: title, about: about,
		width: 26 * vg.Centimeter, height: vg.Length(rows) * 8.5 * vg.Centimeter,
		draw: func(t theme, c draw.Canvas) error {
			tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: vg.Points(8), PadY: vg.Points(8), PadTop: vg.Points(4), PadBottom: vg.Points(4), PadLeft: vg.Points(4), PadRight: vg.Points(4)}
			for i, one := range list {
				legend := i%columns == columns-1 || i == len(list)-1
				p, err := panelPlot(t, all, one, axis, legend, value)
				if err != nil {
					return err
				}
				p.Draw(tiles.At(c, i%columns, i/columns))
			}
			return nil
		},
	}
}

func panelPlot(t theme, all []CppLine, one panel, axis string, legend bool, value func(CppLine) (Interval, bool)) (*plot.Plot, error) {
	p := t.figure(one.title(), "capacity of the pool", axis)
	t.grid(p)
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, capacityTicks(all, one)
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	bySubject := map[string]plotter.XYs{}
	var names []string
	for _, l := range all {
		v, ok := value(l)
		if (panel{l.Workload, l.Touched, l.Size}) != one || !ok || v.Center <= 0 || l.Count <= 0 {
			continue
		}
		if bySubject[l.Subject] == nil {
			names = append(names, l.Subject)
		}
		bySubject[l.Subject] = append(bySubject[l.Subject], plotter.XY{X: float64(l.Count), Y: v.Center})
	}
	for _, name := range names {
		line, dots, err := plotter.NewLinePoints(bySubject[name])
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = colour(name), vg.Points(1.5)
		dots.GlyphStyle = draw.GlyphStyle{Color: colour(name), Radius: vg.Points(2.8), Shape: shape(name)}
		p.Add(line, dots)
		if legend { // one for the row
			p.Legend.Add(name, line, dots)
		}
	}
	p.Legend.Top = true
	p.Legend.TextStyle.Font = face(8)
	if legend {
		p.X.Max *= 14 // room for it
	}
	return p, nil
}

func capacityTicks(all []CppLine, one panel) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for _, l := range all {
		if (panel{l.Workload, l.Touched, l.Size}) == one &&
			!slices.ContainsFunc(ticks, func(k plot.Tick) bool { return k.Value == float64(l.Count) }) {
			ticks = append(ticks, plot.Tick{Value: float64(l.Count), Label: thousands(l.Count)})
		}
	}
	return ticks
}

func latency(all []CppLine) *picture {
	return against(all, "C++: time of one call against capacity",
		"Median time of one call (allocate or free), in nanoseconds, against the pool's capacity; both scales are logarithmic. Lower is better.",
		"ns per call", func(l CppLine) (Interval, bool) { return Interval{Center: l.Ns}, true })
}

func cppSpeedup(all []CppLine) *picture {
	return against(all, "C++: times as fast as glibc's malloc, against capacity",
		"How many times as fast as glibc's malloc and free, against the pool's capacity; both scales are logarithmic. Higher is better.",
		"times as fast", func(l CppLine) (Interval, bool) { return l.Faster, l.Beside })
}
