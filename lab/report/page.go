package report

import (
	_ "embed"
	"html/template"
	"os"
	"path/filepath"
	"slices"

	"github.com/ebbpool/arena/lab/figures"
)

//go:embed page.html
var text string

var page = template.Must(template.New("page").Parse(text))

type shown struct {
	Picture
	SVG template.HTML
}

type table struct {
	Name string
	Rows []figures.Figure
}

// Write writes the page and the pictures to dir.
func Write(dir string, all []figures.Figure) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var data struct {
		Pictures []shown
		Tables   []table
	}
	for _, p := range Pictures {
		svg, err := p.SVG(all)
		if err != nil {
			return err
		}
		if svg == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, p.Name+".svg"), svg, 0o644); err != nil {
			return err
		}
		data.Pictures = append(data.Pictures, shown{p, template.HTML(svg[max(0, slices.Index(svg, '\n')):])})
	}
	for _, g := range all {
		i := slices.IndexFunc(data.Tables, func(t table) bool { return t.Name == g.Table })
		if i < 0 {
			i = len(data.Tables)
			data.Tables = append(data.Tables, table{Name: g.Table})
		}
		data.Tables[i].Rows = append(data.Tables[i].Rows, g)
	}
	f, err := os.Create(filepath.Join(dir, "index.html"))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := page.Execute(f, data); err != nil {
		return err
	}
	return f.Close()
}
