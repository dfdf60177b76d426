package report

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// picture is a drawing, made as SVG whose inks follow the page around it.
type picture struct {
	file          string // without its ending
	title, about  string
	width, height vg.Length
	draw          func(t theme, c draw.Canvas) error
}

// fonts are those of all pictures. Where the one that the drawing was measured with is
// missing, one of the same widths is better than the browser's first choice.
const fonts = "Liberation Sans,Arial,Helvetica,sans-serif"

// inks have the page's colours, light and dark: of paper, of text, of lines.
const inks = `--ground:#fff;--ink:#1b1f24;--dim:#d9dee4`
const darkInks = `--ground:#14181d;--ink:#e6eaef;--dim:#333b45`

// fontStyle is what each text says of its font, besides the size.
var fontStyle = regexp.MustCompile(`font-family:[^"]*?font-style:normal;`)

// thin are the outlines of marks, in a colour: the library draws them as thin as axes.
var thin = regexp.MustCompile(`(stroke:#[0-9A-F]{6});stroke-width:0\.5"`)

// body is what stands in the picture, without the element around it.
func (p *picture) body() (string, error) {
	c := vgsvg.New(p.width, p.height)
	const margin = 8
	if err := p.draw(adaptive, draw.Crop(draw.New(c), margin, -margin, margin, -margin)); err != nil {
		return "", fmt.Errorf("%s: %w", p.title, err)
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", err
	}
	_, text, _ := strings.Cut(b.String(), "<svg")
	_, text, _ = strings.Cut(text, ">\n")
	text = fontStyle.ReplaceAllString(strings.TrimSuffix(strings.TrimSpace(text), "</svg>"), "")
	for _, v := range [][2]string{{adaptive.inkHex(), "var(--ink)"}, {adaptive.dimHex(), "var(--dim)"}, {" />", "/>"}, {"\n\tstyle", " style"}} {
		text = strings.ReplaceAll(text, v[0], v[1])
	}
	return thin.ReplaceAllString(text, `$1;stroke-width:1.2"`), nil
}

// head opens the element, with attributes of its own.
func (p *picture) head(attributes string) string {
	return fmt.Sprintf(`<svg %sviewBox="0 0 %.5g %.5g" role="img" aria-label="%s">`,
		attributes, p.width.Points(), p.height.Points(), html.EscapeString(p.title))
}

// inline is the picture as a part of the page.
func (p *picture) inline() (string, error) {
	body, err := p.body()
	return p.head(fmt.Sprintf(`style="max-width:%.0fpx" `, 4.0/3*p.width.Points())) + body + "</svg>", err
}

// alone is the picture as a file of its own, light or dark as its reader wishes.
func (p *picture) alone() (string, error) {
	body, err := p.body()
	size := fmt.Sprintf(`xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" `, 4.0/3*p.width.Points(), 4.0/3*p.height.Points())
	return p.head(size) + "<style>svg{" + inks + "}@media(prefers-color-scheme:dark){svg{" + darkInks + "}}text{font-family:" + fonts +
		`}</style><rect width="100%" height="100%" style="fill:var(--ground)"/>` + body + "</svg>\n", err
}
