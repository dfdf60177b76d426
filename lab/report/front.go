package report

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/ebbpool/arena/lab/handlers"
	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/subjects"
)

// frontWidth is that of the pictures which the page opens with: their texts can be
// read on a phone, and two of them stand beside each other on a wide screen.
const frontWidth = vg.Length(420)

// Answer is one of the four pictures that the page opens with, and what is to be
// seen in it.
type Answer struct {
	Question, Seen string
	picture        *picture
}

// answers are those that the results suffice for.
func (r *Report) answers() (all []Answer) {
	add := func(file, question, seen string, p *picture) {
		if p != nil {
			p.file = file
			all = append(all, Answer{question, seen, p})
		}
	}
	add("latency", "How long does a request take?", latencySeen(r.Stress), percentiles(r.Stress))
	add("course", "How many requests are served, and when do they wait for the collector?", r.Course.seen(), r.Course.picture())
	kinds := kindsOf(r.Go)
	add("work", "How many times as fast is which kind of work?", kindsSeen(kinds), kindsPicture(kinds))
	add("memory", "How much memory does it take?", memorySeen(r.Stress), memory(r.Stress))
	return all
}

// said is what a sentence calls a subject of the load test.
func said(subject string) string {
	switch subject {
	case handlers.Plain:
		return "in plain Go"
	case handlers.Arena:
		return "in an arena"
	}
	return "with " + strings.ReplaceAll(subject, "+", " and ")
}

// enumerate joins the parts of a sentence.
func enumerate(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// largest are the lines of the largest live heap that pictures show.
func largest(all []StressLine) (lines []StressLine) {
	shown, _ := latencies(all)
	for _, l := range shown {
		if l.Live == shown[len(shown)-1].Live {
			lines = append(lines, l)
		}
	}
	return lines
}

func latencySeen(all []StressLine) string {
	var parts []string
	for _, l := range largest(all) {
		parts = append(parts, duration(l.P999*1000)+" "+said(l.Subject))
	}
	return "One request of 1,000 takes longer than " + enumerate(parts) + "."
}

func (c Course) seen() string {
	var parts []string
	for _, r := range c.Runs {
		one := courseOf(r)
		parts = append(parts, one.String()+" "+said(r.Subject))
	}
	return "The same requests take " + enumerate(parts) + "; each dashed line is the end of a collection."
}

func memorySeen(all []StressLine) string {
	var parts []string
	for _, l := range largest(all) {
		parts = append(parts, bytesOf(l.PeakMB*1e6)+" "+said(l.Subject))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Over " + thousands(largest(all)[0].Live) + " live objects the process takes at most " + enumerate(parts) + "."
}

// memory draws the peaks of memory, a group of bars for each live heap.
func memory(all []StressLine) *picture {
	lines, _ := latencies(all)
	if len(lines) == 0 {
		return nil
	}
	return &picture{title: "Peak memory of the load test", width: frontWidth, height: 270,
		about: "The stress test's handler: the peak of the process's resident memory, of all live heaps, in the loop that the latencies are of. Medians of the rounds.",
		draw: func(t theme, c draw.Canvas) error {
			var keys []key
			for _, name := range names(lines) {
				keys = append(keys, key{name, draw.GlyphStyle{Color: colour(name), Radius: vg.Points(5), Shape: draw.BoxGlyph{}}})
			}
			c = t.keys(c, keys)
			p := t.figure("", "objects that live besides", "")
			t.grid(p)
			var ticks plot.ConstantTicks
			at := map[int]float64{}
			for _, l := range lines {
				if _, ok := at[l.Live]; !ok {
					at[l.Live] = float64(len(at))
					ticks = append(ticks, plot.Tick{Value: at[l.Live], Label: thousands(l.Live)})
				}
			}
			p.X.Tick.Marker = ticks
			p.X.Min, p.X.Max = -0.5, float64(len(at))-0.5
			width := 0.8 * 350 / vg.Length(len(at)*len(keys))
			var labels plotter.XYLabels
			for i, k := range keys {
				values := make(plotter.Values, len(at))
				for _, l := range lines {
					if l.Subject == k.name {
						values[int(at[l.Live])] = l.PeakMB
						middle := at[l.Live] + 0.8*(float64(i)+0.5-float64(len(keys))/2)/float64(len(keys))
						labels.XYs = append(labels.XYs, plotter.XY{X: middle, Y: l.PeakMB})
						labels.Labels = append(labels.Labels, digits(l.PeakMB))
					}
				}
				bars, err := plotter.NewBarChart(values, width)
				if err != nil {
					return err
				}
				bars.Color, bars.LineStyle.Width = k.glyph.Color, 0
				bars.Offset = width * (vg.Length(i) + 0.5 - vg.Length(len(keys))/2)
				p.Add(bars)
			}
			text, err := plotter.NewLabels(labels)
			if err != nil {
				return err
			}
			for i := range text.TextStyle {
				text.TextStyle[i].Color, text.TextStyle[i].Font = rgb(t.ink), face(10)
				text.TextStyle[i].XAlign = draw.XCenter
			}
			text.Offset.Y = vg.Points(2)
			p.Add(text)
			p.Y.Min, p.Y.Max = 0, 1.08*p.Y.Max
			p.Y.Tick.Marker = evenTicks(6, " MB")
			p.Draw(c)
			return nil
		}}
}

// evenTicks are at most so many steps from 0 on, with a unit.
func evenTicks(most float64, unit string) plot.TickerFunc {
	return func(_, high float64) (ticks []plot.Tick) {
		step := math.Pow(10, math.Floor(math.Log10(high/most)))
		for i := 0; high/step > most; i++ {
			step *= []float64{2, 2.5, 2}[i%3]
		}
		for v := 0.0; v <= high; v += step {
			ticks = append(ticks, plot.Tick{Value: v, Label: count(v) + unit})
		}
		ticks[0].Label = "0"
		return ticks
	}
}

// kindNames are the kinds of work that the page opens with, in plain words: the four
// programs, what they are made of, and the lives of new memory, where ours may lose.
// What is left out is in the tables: it differs in one slice's memory alone.
var kindNames = [][2]string{
	{"order", "JSON orders handled"}, {"query", "GraphQL parsed"}, {"markdown", "Markdown to HTML"}, {"metrics", "metrics scraped"},
	{"request", "made-up requests"}, {"pool", "requests on all cores"}, {"trees", "binary trees"},
	{"flat", "structs"}, {"link", "structs with pointers"}, {"text", "strings"},
	{"grow", "a slice that grows"}, {"grow-turns", "four slices that grow"}, {"slice-filled", "one large slice"},
	{"cold-iter", "new arena: 1,000 structs"}, {"cold-request", "new arena: a request"}, {"cold-programs", "new arena: a document"},
}

// kind is a kind of work with the fastest of ours, and the fastest other but the heap.
type kind struct {
	name        string
	ours, other Line
	some        bool // there is another
	unsafe      bool // which loses what only its objects point to
}

// kindsOf finds for each kind of work, of several sizes, the one where ours does worst.
func kindsOf(all []Line) (found []kind) {
	for _, name := range kindNames {
		var worst kind
		for _, l := range all {
			if l.Workload != name[0] || l.Subject != subjects.Heap {
				continue
			}
			ours, ok := fastest(all, matrix.Cell{Workload: l.Workload, N: l.N}, true)
			if !ok || !ours.Beside || worst.name != "" && worst.ours.Faster.Center <= ours.Faster.Center {
				continue
			}
			worst = kind{name: name[1], ours: ours}
			for _, o := range all {
				if o.Workload == l.Workload && o.N == l.N && o.Beside && !Ours(o.Subject) && o.Subject != subjects.Heap &&
					(!worst.some || o.Ns < worst.other.Ns) {
					wrong, _ := corrupted(all, o.Subject)
					worst.other, worst.some, worst.unsafe = o, true, wrong > 0
				}
			}
		}
		if worst.name != "" {
			found = append(found, worst)
		}
	}
	return found
}

func kindsSeen(all []kind) string {
	faster, slower, beaten, others := 0, 0, 0, 0
	for _, k := range all {
		switch {
		case k.ours.Faster.Above(1):
			faster++
		case k.ours.Faster.Below(1):
			slower++
		}
		if k.some {
			others++
			if interval(paired(k.ours.byRound, k.other.byRound)).Above(1) {
				beaten++
			}
		}
	}
	return fmt.Sprintf("To the right of the line is faster than the Go heap: of %d kinds of work ours is so in %d and slower in %d, and of the %d that another arena or pool can do, one of these is faster than ours in %d.",
		len(all), faster, slower, others, beaten)
}

// Marks of the picture of kinds.
var (
	oursGlyph   = draw.GlyphStyle{Color: rgb(colours[subjects.Region]), Radius: vg.Points(4), Shape: draw.CircleGlyph{}}
	otherGlyph  = draw.GlyphStyle{Color: rgb(0xd55e00), Radius: vg.Points(3.5), Shape: draw.BoxGlyph{}}
	unsafeGlyph = draw.GlyphStyle{Color: rgb(0xd55e00), Radius: vg.Points(3.5), Shape: draw.SquareGlyph{}}
)

func kindsPicture(all []kind) *picture {
	if len(all) == 0 {
		return nil
	}
	return &picture{title: "Times as fast as the Go heap, by kind of work", width: frontWidth, height: vg.Length(70 + 19*len(all)),
		about: "For each kind of work the fastest of ours and the fastest of the other arenas and pools, in times as fast as the Go heap, on a logarithmic scale; of several sizes the one where ours does worst. Bars are 95 % confidence intervals of the median. " +
			"One that is unsafe loses what only its objects point to (see Corruption).",
		draw: func(t theme, c draw.Canvas) error {
			c = t.keys(c, []key{{"ours", oursGlyph}, {"the best other", otherGlyph}, {"the best other, unsafe", unsafeGlyph}})
			p := t.figure("", "times as fast as the Go heap", "")
			t.grid(p)
			var ticks plot.ConstantTicks
			var ours, safe, lossy bars
			for i, k := range all {
				y := float64(len(all) - 1 - i)
				ticks = append(ticks, plot.Tick{Value: y, Label: k.name})
				ours = append(ours, bar{k.ours.Faster, y + 0.16})
				switch {
				case k.unsafe:
					lossy = append(lossy, bar{k.other.Faster, y - 0.2})
				case k.some:
					safe = append(safe, bar{k.other.Faster, y - 0.2})
				}
			}
			p.Y.Tick.Marker, p.X.Scale, p.X.Tick.Marker = ticks, plot.LogScale{}, logTicks{}
			p.Y.Min, p.Y.Max = -0.6, float64(len(all))-0.4
			one, err := t.upright(1, p.Y.Min, p.Y.Max)
			if err != nil {
				return err
			}
			p.Add(one)
			for _, s := range []struct {
				bars
				glyph draw.GlyphStyle
			}{{lossy, unsafeGlyph}, {safe, otherGlyph}, {ours, oursGlyph}} {
				if len(s.bars) > 0 {
					if err := s.add(p, s.glyph); err != nil {
						return err
					}
				}
			}
			p.Draw(c)
			return nil
		}}
}

// key is an entry of the row that explains a picture's marks.
type key struct {
	name  string
	glyph draw.GlyphStyle
}

// keys writes the row on top of c, and returns what is left of it.
func (t theme) keys(c draw.Canvas, all []key) draw.Canvas {
	style := t.figure("", "", "").Legend.TextStyle
	style.Font, style.YAlign = face(12), draw.YCenter
	x, y := c.Min.X+vg.Points(6), c.Max.Y-vg.Points(8)
	for _, k := range all {
		c.DrawGlyph(k.glyph, vg.Point{X: x, Y: y})
		c.FillText(style, vg.Point{X: x + vg.Points(9), Y: y}, k.name)
		x += style.Width(k.name) + vg.Points(28)
	}
	return draw.Crop(c, 0, 0, 0, -vg.Points(24))
}
