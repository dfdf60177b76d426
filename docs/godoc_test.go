package docs

import (
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// loaded returns the documentation of the package in dir, with its examples.
func loaded(t *testing.T, dir string) *doc.Package {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %v, %v", dir, names, err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if ok, err := build.Default.MatchFile(dir, filepath.Base(name)); err != nil || !ok {
			continue // such as syntax of a newer Go
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(fset, files, "github.com/ebbpool/arena/"+dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every exported name is documented, and an example that runs calls every exported function.
func TestNamesHaveExamples(t *testing.T) {
	for _, dir := range []string{".", "arenajson", "arenareflect", "arenahttp", "arenapprof", "arenavar"} {
		p := loaded(t, dir)
		names, err := filepath.Glob(filepath.Join(dir, "example*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var examples strings.Builder
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			examples.Write(text)
		}
		documented := func(name, text string) {
			if text == "" {
				t.Errorf("%s.%s has no doc comment", p.Name, name)
			}
		}
		inExample := func(f *doc.Func) {
			documented(f.Name, f.Doc)
			if !regexp.MustCompile(`\b` + p.Name + `\.` + f.Name + `\b`).MatchString(examples.String()) {
				t.Errorf("no example calls %s.%s", p.Name, f.Name)
			}
		}
		for _, f := range p.Funcs {
			inExample(f)
			if len(f.Examples) == 0 {
				t.Errorf("%s.%s has no function Example%s", p.Name, f.Name, f.Name)
			}
		}
		for _, typ := range p.Types {
			documented(typ.Name, typ.Doc)
			for _, f := range typ.Funcs {
				inExample(f)
			}
			for _, f := range typ.Methods {
				documented(typ.Name+"."+f.Name, f.Doc)
			}
		}
	}
}
