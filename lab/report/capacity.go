package report

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
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

func (l CppLine) panel() panel { return panel{l.Workload, l.Touched, l.Size} }

// panels are those of the matrix: work that was done at several capacities.
func panels(all []CppLine) (list []panel) {
	for _, l := range all {
		p := l.panel()
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
// panel for each workload and size of objects: the first compiler's lines, and
// ours of the other one dashed.
func against(all []CppLine, title, about, axis string, value func(CppLine) (Interval, bool)) *picture {
	list := panels(all)
	if len(list) == 0 {
		return nil
	}
	built := compilers(all)
	title += ", " + built[0]
	if len(built) > 1 {
		about += " Dashed: " + dashedSubject + ", built by " + built[1] + "."
	}
	var names []string
	for _, l := range all {
		if _, ok := value(l); ok && slices.Contains(list, l.panel()) && !slices.Contains(names, l.Subject) {
			names = append(names, l.Subject)
		}
	}
	return sideBySide(title, about, names, len(list), func(t theme, i int) (*plot.Plot, error) {
		return panelPlot(t, all, list[i], axis, value)
	})
}

// dashedSubject is the one that is drawn as the other compiler builds it, too.
const dashedSubject = "ebb trap"

func panelPlot(t theme, all []CppLine, one panel, axis string, value func(CppLine) (Interval, bool)) (*plot.Plot, error) {
	p := t.figure(one.title(), "capacity of the pool", axis)
	t.grid(p)
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, capacityTicks(all, one)
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	for i, compiler := range compilers(all) {
		var names []string
		bySubject := map[string]plotter.XYs{}
		for _, l := range builtBy(all, compiler) {
			v, ok := value(l)
			if l.panel() != one || !ok || v.Center <= 0 || l.Count <= 0 || i > 0 && l.Subject != dashedSubject {
				continue
			}
			if bySubject[l.Subject] == nil {
				names = append(names, l.Subject)
			}
			bySubject[l.Subject] = append(bySubject[l.Subject], plotter.XY{X: float64(l.Count), Y: v.Center})
		}
		for _, name := range names {
			if err := subjectLine(p, name, bySubject[name], i > 0); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

func capacityTicks(all []CppLine, one panel) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for _, l := range all {
		if l.panel() == one &&
			!slices.ContainsFunc(ticks, func(k plot.Tick) bool { return k.Value == float64(l.Count) }) {
			ticks = append(ticks, plot.Tick{Value: float64(l.Count), Label: thousands(l.Count)})
		}
	}
	return ticks
}

func cppTime(all []CppLine) *picture {
	return against(all, "C++: time of one call against capacity",
		"Median time of one call (allocate or free), in nanoseconds, against the pool's capacity; both scales are logarithmic. Lower is better.",
		"ns per call", func(l CppLine) (Interval, bool) { return Interval{Center: l.Ns}, true })
}

func cppSpeedup(all []CppLine) *picture {
	return against(all, "C++: times as fast as glibc's malloc, against capacity",
		"How many times as fast as glibc's malloc and free, against the pool's capacity; both scales are logarithmic. Higher is better.",
		"times as fast", func(l CppLine) (Interval, bool) { return l.Faster, l.Beside })
}
