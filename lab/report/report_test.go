package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebbpool/arena/lab/figures"
)

// The page contains every picture and every stored figure and is well-formed XML.
func TestPage(t *testing.T) {
	all, err := figures.Read("../../docs/figures.csv")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := Write(dir, all); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	if got := bytes.Count(page, []byte("<svg")); got != len(Pictures) {
		t.Errorf("%d pictures of %d", got, len(Pictures))
	}
	if got := bytes.Count(page, []byte("<tr><td>")); got != len(all) {
		t.Errorf("%d rows of %d figures", got, len(all))
	}
	for _, p := range Pictures {
		svg, err := os.ReadFile(filepath.Join(dir, p.Name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		d := xml.NewDecoder(bytes.NewReader(svg))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			if c, ok := token.(xml.CharData); ok {
				texts = append(texts, string(c))
			}
		}
		if text := strings.Join(texts, " "); !strings.Contains(text, p.Title) || strings.Contains(text, "NaN") {
			t.Errorf("%s lacks its title, or has no numbers", p.Name)
		}
	}
}

// The pictures of the pages match docs/figures.csv.
func TestPicturesAreFresh(t *testing.T) {
	all, err := figures.Read("../../docs/figures.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Pictures {
		kept, err := os.ReadFile("../../docs/pictures/" + p.Name + ".svg")
		if errors.Is(err, os.ErrNotExist) {
			continue // drawn on the page itself
		}
		svg, errSVG := p.SVG(all)
		if err := errors.Join(err, errSVG); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(kept, svg) {
			t.Errorf("docs/pictures/%s.svg is stale: run 'make report'", p.Name)
		}
	}
}

func TestNothingMeasured(t *testing.T) {
	for _, p := range Pictures {
		if svg, err := p.SVG(nil); svg != nil || err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}
