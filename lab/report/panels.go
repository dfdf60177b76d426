package report

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Columns of a picture of several plots, and of its legend.
const (
	panelColumns  = 2
	legendColumns = 6
)

// sideBySide draws n plots in two columns, under one legend of the subjects
// named.
func sideBySide(title, about string, names []string, n int, plotOf func(t theme, i int) (*plot.Plot, error)) *picture {
	rows := (n + panelColumns - 1) / panelColumns
	legend := vg.Length((len(names)+legendColumns-1)/legendColumns)*vg.Points(16) + vg.Points(34)
	return &picture{
		title: title, about: about,
		width: 26 * vg.Centimeter, height: vg.Length(rows)*8*vg.Centimeter + legend,
		draw: func(t theme, c draw.Canvas) error {
			t.legend(draw.Crop(c, 0, 0, c.Max.Y-c.Min.Y-legend, 0), title, names)
			below := draw.Crop(c, 0, 0, 0, -legend)
			tiles := draw.Tiles{Rows: rows, Cols: panelColumns, PadX: vg.Points(12), PadY: vg.Points(12)}
			for i := range n {
				p, err := plotOf(t, i)
				if err != nil {
					return err
				}
				p.Draw(tiles.At(below, i%panelColumns, i/panelColumns))
			}
			return nil
		},
	}
}

// legend writes a title, and below it the subjects in columns.
func (t theme) legend(c draw.Canvas, title string, names []string) {
	style := t.figure("", "", "").Legend.TextStyle
	head := style
	head.Font = face(14)
	head.XAlign, head.YAlign = draw.XCenter, draw.YTop
	c.FillText(head, vg.Point{X: c.Center().X, Y: c.Max.Y}, title)
	style.Font = face(10)
	style.YAlign = draw.YCenter
	width := (c.Max.X - c.Min.X) / legendColumns
	for i, name := range names {
		x := c.Min.X + vg.Length(i%legendColumns)*width
		y := c.Max.Y - vg.Points(28) - vg.Length(i/legendColumns)*vg.Points(16)
		line := draw.LineStyle{Color: colour(name), Width: vg.Points(1.5)}
		c.StrokeLine2(line, x, y, x+vg.Points(20), y)
		c.DrawGlyph(draw.GlyphStyle{Color: colour(name), Radius: vg.Points(3), Shape: shape(name)}, vg.Point{X: x + vg.Points(10), Y: y})
		c.FillText(style, vg.Point{X: x + vg.Points(24), Y: y}, name)
	}
}

// dashes of a line that has no mark at its points.
var dashes = []vg.Length{vg.Points(5), vg.Points(3)}

// subjectLine adds a subject's curve in its colour, with its marks, or dashed
// without them.
func subjectLine(p *plot.Plot, subject string, points plotter.XYs, dashed bool) error {
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color, line.Width = colour(subject), vg.Points(1.5)
	dots.GlyphStyle = draw.GlyphStyle{Color: colour(subject), Radius: vg.Points(2.8), Shape: shape(subject)}
	p.Add(line)
	if dashed {
		line.Dashes = dashes
		return nil
	}
	p.Add(dots)
	return nil
}
