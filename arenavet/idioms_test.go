package arenavet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// TestIdioms analyzes programs as people write them, and programs with one mistake each. An idiom begins with a comment
// that names it. At most one false report in 40 right idioms is accepted, and no mistake may be missed.
func TestIdioms(t *testing.T) {
	wrong, right := idioms(t, "./idioms/right")
	for name, reports := range wrong {
		t.Logf("false report of %q:\n\t%s", name, strings.Join(reports, "\n\t"))
	}
	if len(right) < 40 || 40*len(wrong) > len(right) {
		t.Errorf("%d of %d right idioms are reported, want at most 1 of 40", len(wrong), len(right))
	}
	found, mistakes := idioms(t, "./idioms/wrong")
	for _, name := range mistakes {
		if found[name] == nil {
			t.Errorf("not reported: %s", name)
		}
	}
	if len(mistakes) < 28 {
		t.Errorf("%d mistakes, want at least 28", len(mistakes))
	}
}

// quiet drops the complaints of analysistest: no comments want these findings.
type quiet struct{}

func (quiet) Errorf(string, ...any) {}

// idioms returns the findings in a package by the idiom that they are in, and the names of its idioms.
func idioms(t *testing.T, pkg string) (reported map[string][]string, names []string) {
	type idiom struct {
		line int
		name string
	}
	all := map[string][]idiom{}
	files, err := filepath.Glob(filepath.Join(analysistest.TestData(), pkg, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if name, ok := strings.CutPrefix(line, "// idiom: "); ok {
				all[filepath.Base(f)] = append(all[filepath.Base(f)], idiom{i + 1, name})
				names = append(names, name)
			}
		}
	}
	reported = map[string][]string{}
	for _, result := range analysistest.Run(quiet{}, analysistest.TestData(), Analyzer, pkg) {
		if result.Err != nil {
			t.Fatal(result.Err)
		}
		for _, d := range result.Diagnostics {
			at := result.Pass.Fset.Position(d.Pos)
			name := at.String()
			for _, i := range all[filepath.Base(at.Filename)] {
				if i.line < at.Line {
					name = i.name
				}
			}
			reported[name] = append(reported[name], at.String()+": "+d.Message)
		}
	}
	return reported, names
}
