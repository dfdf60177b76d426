package report

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"strings"

	"github.com/ebbpool/arena/lab/results"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"number": func(cell string) bool {
		return cell == "-" || cell != "" && strings.ContainsRune("0123456789", rune(cell[0]))
	},
	"anchor": func(heading string) string {
		return strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' {
				return r
			}
			return '-'
		}, strings.ToLower(heading))
	},
}).Parse(pageText))

// pagePicture is a picture as it stands in the page: in itself.
type pagePicture struct {
	Title, About string
	Light        template.URL
	Dark         template.Srcset
}

// Write makes the page, and its pictures as files, in dir. It makes all of it
// before it writes the first, so that an error leaves dir as it was.
func (r *Report) Write(dir string, progress func(done, total int, what string)) error {
	files := map[string][]byte{}
	var shown []pagePicture
	all := r.pictures()
	for i, p := range all {
		progress(i, len(all), p.title)
		one := pagePicture{Title: p.title, About: p.about}
		for _, t := range []theme{light, dark} {
			svg, err := p.svg(t)
			if err != nil {
				return err
			}
			png, err := p.png(t)
			if err != nil {
				return err
			}
			files[p.file+"-"+t.name+".svg"], files[p.file+"-"+t.name+".png"] = svg, png
			// The bytes are this program's own, and of a picture.
			url := "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg)
			if t.name == light.name {
				one.Light = template.URL(url)
			} else {
				one.Dark = template.Srcset(url)
			}
		}
		shown = append(shown, one)
	}
	progress(len(all), len(all), "page")
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, struct {
		Environment results.Table
		Pictures    []pagePicture
		Sections    []Section
	}{r.environmentTable(), shown, r.sections()})
	if err != nil {
		return err
	}
	files["index.html"] = b.Bytes()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var errs []error
	for name, text := range files {
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	return errors.Join(append(errs, removeStale(dir, files))...)
}

// removeStale deletes pictures of an earlier report that this one has not.
func removeStale(dir string, files map[string][]byte) error {
	var errs []error
	for _, pattern := range []string{"*-light.*", "*-dark.*"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		errs = append(errs, err)
		for _, name := range names {
			if _, ok := files[filepath.Base(name)]; !ok {
				errs = append(errs, os.Remove(name))
			}
		}
	}
	return errors.Join(errs...)
}

func (r *Report) environmentTable() results.Table {
	e := r.Environment
	t := results.Table{Head: []string{"machine and build", ""}}
	add := func(what, value string) {
		if value != "" {
			t.Rows = append(t.Rows, []string{what, value})
		}
	}
	add("begun", e.Begun)
	add("processor", fmt.Sprintf("%s, %d processors, %s MB of memory", e.CPU, e.Processors, thousands(int(e.MemoryMB))))
	add("system", e.Kernel+", "+e.OS+"/"+e.Arch)
	if e.Load > 0 {
		add("load average at the start", digits(e.Load))
	}
	add("Go", e.Go)
	for _, key := range []string{"GOFLAGS", "GOEXPERIMENT", "GOAMD64", "GOARM64", "CGO_ENABLED"} {
		add(key, e.GoSettings[key])
	}
	add("C++ compiler", e.Cxx)
	if e.Clang != e.Cxx {
		add("C++ compiler, the other", e.Clang)
	}
	add("CMake", e.CMake)
	add("commit", e.Commit)
	add("order", fmt.Sprintf("seed %d, %d rounds, at least %s a measurement", e.Settings.Seed, e.Settings.Rounds, e.Settings.Least))
	return t
}
