package report

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"slices"
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

// shown is a picture as it stands in the page: in itself.
type shown struct {
	Question, Title, About string
	SVG                    template.HTML
}

type shownSection struct {
	Section
	Pictures []shown
}

// files are those that pictures outside the page are: for the README, and for
// docs/numbers.md.
var files = []string{"latency", "work"}

// Write makes the page, and a few of its pictures as files, in dir. It makes all of it
// before it writes the first, so that an error leaves dir as it was.
func (r *Report) Write(dir string, progress func(done, total int, what string)) error {
	made := map[string][]byte{}
	var page struct {
		Inks, DarkInks, Fonts template.CSS
		Machine               results.Table
		Answers, Drawn        []shown
		Losses, Sections      []shownSection
	}
	page.Inks, page.DarkInks, page.Fonts, page.Machine = inks, darkInks, fonts, r.environmentTable()
	answers, sections := r.answers(), r.sections()
	total := len(answers) + len(sections)
	for i, a := range answers {
		progress(i, total, a.picture.title)
		svg, err := a.picture.inline()
		if err != nil {
			return err
		}
		page.Answers = append(page.Answers, shown{a.Question, a.picture.title, a.Seen, template.HTML(svg)})
		page.Drawn = append(page.Drawn, shown{Title: a.picture.title, About: a.picture.about})
		if slices.Contains(files, a.picture.file) {
			alone, err := a.picture.alone()
			if err != nil {
				return err
			}
			made[a.picture.file+".svg"] = []byte(alone)
		}
	}
	for _, s := range r.losses() {
		page.Losses = append(page.Losses, shownSection{Section: s})
	}
	for i, s := range sections {
		progress(len(answers)+i, total, s.Heading)
		one := shownSection{Section: s}
		for _, p := range s.pictures {
			svg, err := p.inline()
			if err != nil {
				return err
			}
			one.Pictures = append(one.Pictures, shown{"", p.title, p.about, template.HTML(svg)})
		}
		page.Sections = append(page.Sections, one)
	}
	progress(total, total, "page")
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, page); err != nil {
		return err
	}
	made["index.html"] = b.Bytes()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var errs []error
	for name, text := range made {
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	return errors.Join(append(errs, removeStale(dir, made))...)
}

// removeStale deletes pictures of an earlier report that this one has not.
func removeStale(dir string, made map[string][]byte) error {
	var errs []error
	for _, ending := range []string{".svg", ".png"} {
		names, err := filepath.Glob(filepath.Join(dir, "*"+ending))
		errs = append(errs, err)
		for _, name := range names {
			if _, ok := made[filepath.Base(name)]; !ok {
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
