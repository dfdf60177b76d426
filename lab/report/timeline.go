package report

import (
	"bytes"
	"cmp"
	"fmt"
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

// Course is how the closed loop's runs over the largest live heap went: of
// each subject the run that was neither the shortest nor the longest.
type Course struct {
	Live int
	Runs []results.Timeline
}

// loadCourse reads every timeline-<live objects>.csv of a folder, and keeps
// that of the most. Folders of before there were timelines have none.
func loadCourse(dir string) (Course, error) {
	files, err := filepath.Glob(filepath.Join(dir, matrix.TimelinePrefix+"*.csv"))
	if err != nil {
		return Course{}, err
	}
	most := Course{Live: -1}
	for _, name := range files {
		live, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), matrix.TimelinePrefix), ".csv"))
		if err != nil {
			return Course{}, fmt.Errorf("%s: the name must end in the number of live objects", name)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return Course{}, err
		}
		all, err := results.ReadTimelines(bytes.NewReader(text))
		if err != nil {
			return Course{}, fmt.Errorf("%s: %w", name, err)
		}
		if live > most.Live {
			most = Course{live, middles(all)}
		}
	}
	return most, nil
}

// middles keeps of each subject's runs the one of middle length.
func middles(all []results.Timeline) []results.Timeline {
	var order []string
	bySubject := map[string][]results.Timeline{}
	for _, t := range all {
		order = results.AppendNew(order, t.Subject)
		bySubject[t.Subject] = append(bySubject[t.Subject], t)
	}
	var kept []results.Timeline
	for _, name := range order {
		runs := bySubject[name]
		slices.SortStableFunc(runs, func(a, b results.Timeline) int { return cmp.Compare(len(a.Slices), len(b.Slices)) })
		kept = append(kept, runs[(len(runs)-1)/2])
	}
	return kept
}

// course is what a panel shows of one run.
type course struct {
	line        plotter.XYs // thousands of requests per second, by seconds
	collections []float64   // seconds
	collected   int         // times; some may end in the same slice
	requests    int
}

// courseOf leaves out the last slice's rate, which is that of a part of it.
func courseOf(t results.Timeline) (c course) {
	for i, s := range t.Slices {
		middle := (float64(i) + 0.5) * results.SliceLength.Seconds()
		if i+1 < len(t.Slices) {
			c.line = append(c.line, plotter.XY{X: middle, Y: float64(s.Requests) / results.SliceLength.Seconds() / 1000})
		}
		if s.Collections > 0 {
			c.collections = append(c.collections, middle)
		}
		c.collected += int(s.Collections)
		c.requests += int(s.Requests)
	}
	return c
}

// picture draws a panel for each subject, all with the same axes.
func (c Course) picture() *picture {
	var all []course
	var names []string
	var length, most float64
	for _, r := range c.Runs {
		one := courseOf(r)
		if len(one.line) == 0 {
			continue // a run of less than a slice has no course
		}
		all, names = append(all, one), append(names, r.Subject)
		length = max(length, one.line[len(one.line)-1].X)
		for _, at := range one.line {
			most = max(most, at.Y)
		}
	}
	if len(all) == 0 {
		return nil
	}
	title := "Throughput over time, over " + thousands(c.Live) + " live objects"
	return &picture{title: title, width: frontWidth, height: vg.Length(len(all))*82 + 24,
		about: "The stress test's handler over the largest live heap, closed loop: how many requests were done in each 10 ms, reckoned for a second. " +
			"Each upright line is the end of a collection; what it cost is before it. All subjects serve the same requests, so that a line that ends earlier was done sooner. Of the rounds the one of middle length.",
		draw: func(t theme, canvas draw.Canvas) error {
			plots := make([][]*plot.Plot, len(all))
			for i := range all {
				p, err := t.panelOf(all[i], names[i], length, most)
				if err != nil {
					return err
				}
				if i+1 == len(all) {
					p.X.Label.Text = "seconds"
				}
				plots[i] = []*plot.Plot{p}
			}
			tiles := draw.Tiles{Rows: len(all), Cols: 1, PadY: vg.Points(6)}
			for i, row := range plot.Align(plots, tiles, canvas) {
				plots[i][0].Draw(row[0])
			}
			return nil
		}}
}

// String says what a course was.
func (c course) String() string {
	collections := fmt.Sprintf("%d collections", c.collected)
	switch c.collected {
	case 0:
		collections = "no collection"
	case 1:
		collections = "1 collection"
	}
	return fmt.Sprintf("%s s and %s", digits(float64(len(c.line))*results.SliceLength.Seconds()), collections)
}

func (t theme) panelOf(c course, name string, length, most float64) (*plot.Plot, error) {
	p := t.figure(name+": "+thousands(c.requests)+" requests, "+c.String(), "", "")
	p.Title.TextStyle.Font, p.Title.Padding = face(11), vg.Points(3)
	t.grid(p)
	line, err := plotter.NewLine(c.line)
	if err != nil {
		return nil, err
	}
	line.Color, line.Width = colour(name), vg.Points(1.5)
	p.X.Min, p.X.Max = 0, length
	p.Y.Min, p.Y.Max = 0, 1.05*most
	p.Y.Tick.Marker = evenTicks(2, ",000/s")
	for _, at := range c.collections {
		mark, err := t.upright(at, 0, most)
		if err != nil {
			return nil, err
		}
		mark.Dashes = []vg.Length{vg.Points(3), vg.Points(2)}
		p.Add(mark)
	}
	p.Add(line)
	return p, nil
}
