package advise

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
)

//go:embed advice.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"percent": func(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) },
	"short":   short,
	"of":      func(v *Advice, nanos float64) float64 { return nanos / v.total },
	"top":     func(depth int) int { return depth * 18 },
}).Parse(pageText))

// HTML writes the answer as a page with a flame graph. It needs nothing else.
func (v *Advice) HTML(w io.Writer) error {
	boxes := v.flames.boxes()
	depth := 0
	for _, b := range boxes {
		depth = max(depth, b.Depth)
	}
	return pageTemplate.Execute(w, struct {
		*Advice
		Boxes  []Box
		Height int
	}{v, boxes, (depth + 1) * 18})
}
