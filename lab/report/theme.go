package report

import (
	"fmt"
	"hash/fnv"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/ebbpool/arena/lab/handlers"
	"github.com/ebbpool/arena/lab/subjects"
)

// theme is the ink of texts and axes, and that of the lines behind the plot.
type theme struct{ ink, dim uint32 }

// adaptive stands for the inks of the page, which are other ones in the dark: no
// subject has these colours, so that they are found in the drawing.
var adaptive = theme{ink: 0x010203, dim: 0xd0d1d2}

func (t theme) inkHex() string { return fmt.Sprintf("#%06X", t.ink) }
func (t theme) dimHex() string { return fmt.Sprintf("#%06X", t.dim) }

func rgb(hex uint32) color.Color {
	return color.NRGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 0xff}
}

// The colours are those of Okabe and Ito, which people with any kind of colour
// blindness tell apart, and shades between them; each subject also has a shape
// of its own. Ours are the blues and greens, in both languages.
var colours = map[string]uint32{
	subjects.Heap: 0x808890, subjects.SyncPool: 0xe69f00,
	subjects.Region: 0x0072b2, subjects.Slab: 0x56b4e9, subjects.Pool: 0x009e73, subjects.FixedPool: 0x44aa99,
	subjects.ByteBump: 0xd55e00, subjects.StdArena: 0xcc79a7,
	subjects.Ristretto: 0xb8860b, subjects.Modernc: 0x9467bd, subjects.Buffers: 0xa05a2c, subjects.FastJSON: 0xc44e78,

	"ebb": 0x0072b2, "ebb trap": 0x0072b2, "ebb none": 0x56b4e9, "ebb sync": 0x009e73, "ebb report": 0x44aa99,
	cppBase: 0x808890, "floor": 0xd55e00, "checked vectors": 0xcc79a7, "mimalloc": 0xe69f00,
	"jemalloc": 0xb8860b, "tcmalloc": 0x9467bd, "Boost.Pool": 0xa05a2c, "Boost.ObjectPool": 0xe15759, "std::pmr pool": 0x7a8b3c,
	"std::pmr synchronized": 0x7a8b3c, "foonathan memory": 0xc44e78,
}

// cppShapes orders the C++ subjects by their shapes: those of one picture
// differ.
var cppShapes = []string{"floor", "ebb trap", "ebb none", cppBase, "mimalloc", "jemalloc", "checked vectors",
	"std::pmr pool", "Boost.Pool", "foonathan memory", "ebb report", "Boost.ObjectPool"}

// handlersAs says which subject each of the load test's handlers is drawn as.
var handlersAs = map[string]string{
	handlers.Plain: subjects.Heap, handlers.Careful: subjects.SyncPool, handlers.Arena: subjects.Pool,
}

var handlersShapes = map[string]draw.GlyphDrawer{
	handlers.Plain: draw.CircleGlyph{}, handlers.Careful: draw.BoxGlyph{}, handlers.Arena: draw.PyramidGlyph{},
}

// colour is a subject's, the same in every picture.
func colour(subject string) color.Color {
	if as, ok := handlersAs[subject]; ok {
		subject = as
	}
	if hex, ok := colours[subject]; ok {
		return rgb(hex)
	}
	spare := []uint32{0xa05a2c, 0xc44e78, 0x7a8b3c, 0x8c6bb1, 0xb2663a}
	return rgb(spare[hash(subject)%uint32(len(spare))])
}

// shape is a subject's, for those who don't see its colour.
func shape(subject string) draw.GlyphDrawer {
	all := []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{},
		draw.CrossGlyph{}, draw.PlusGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{},
	}
	if g, ok := handlersShapes[subject]; ok {
		return g
	}
	for i, a := range subjects.Allocators() {
		if a.Name == subject {
			return all[i%len(all)]
		}
	}
	if i := slices.Index(cppShapes, subject); i >= 0 {
		return all[i%len(all)]
	}
	return all[hash(subject)%uint32(len(all))]
}

func hash(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s)) // it never fails
	return h.Sum32()
}

// figure is an empty plot in the theme's colours.
func (t theme) figure(title, x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil // the page's
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = vg.Points(6)
	p.Title.TextStyle.Color = rgb(t.ink)
	p.Title.TextStyle.Font = face(13)
	p.Legend.TextStyle.Color = rgb(t.ink)
	p.Legend.TextStyle.Font = face(10)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Color = rgb(t.ink)
		axis.Label.TextStyle.Color = rgb(t.ink)
		axis.Label.TextStyle.Font = face(11)
		axis.Tick.Color = rgb(t.ink)
		axis.Tick.Label.Color = rgb(t.ink)
		axis.Tick.Label.Font = face(10)
	}
	return p
}

// face is the font of all text: one without serifs, which small sizes need.
func face(points float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: font.Length(points)}
}

func (t theme) grid(p *plot.Plot) {
	g := plotter.NewGrid()
	g.Horizontal.Color, g.Vertical.Color = rgb(t.dim), rgb(t.dim)
	p.Add(g)
}

// upright is a line across the plot at x, as a mark that others are read by.
func (t theme) upright(x, from, to float64) (*plotter.Line, error) {
	l, err := plotter.NewLine(plotter.XYs{{X: x, Y: from}, {X: x, Y: to}})
	if err != nil {
		return nil, err
	}
	l.Color, l.Width = rgb(t.ink), vg.Points(1)
	return l, nil
}
