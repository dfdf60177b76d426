package report

import (
	"bytes"
	"fmt"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// picture is a drawing that can be made in any theme, as SVG and as PNG.
type picture struct {
	file          string // without theme and ending
	title, about  string
	width, height vg.Length
	draw          func(t theme, c draw.Canvas) error
}

// pngDPI makes a picture of 24 cm about 900 pixels wide, the width of a README.
const pngDPI = 96

func (p *picture) svg(t theme) ([]byte, error) {
	c := vgsvg.New(p.width, p.height)
	text, err := p.onto(t, draw.New(c), c.WriteTo)
	// Where the font that the drawing was measured with is missing, one like it
	// is better than the browser's first choice, which has serifs.
	family := []byte("font-family:Liberation Sans")
	return bytes.ReplaceAll(text, family, append(family, ",Arial,Helvetica,sans-serif"...)), err
}

func (p *picture) png(t theme) ([]byte, error) {
	c := vgimg.NewWith(vgimg.UseWH(p.width, p.height), vgimg.UseDPI(pngDPI), vgimg.UseBackgroundColor(t.ground))
	return p.onto(t, draw.New(c), vgimg.PngCanvas{Canvas: c}.WriteTo)
}

func (p *picture) onto(t theme, c draw.Canvas, write func(io.Writer) (int64, error)) ([]byte, error) {
	c.SetColor(t.ground)
	c.Fill(c.Rectangle.Path())
	const margin = 8
	if err := p.draw(t, draw.Crop(c, margin, -margin, margin, -margin)); err != nil {
		return nil, fmt.Errorf("%s: %w", p.title, err)
	}
	var b bytes.Buffer
	_, err := write(&b)
	return b.Bytes(), err
}
