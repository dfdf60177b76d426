package docs

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// loaded is a package as go doc shows it, with its examples.
func loaded(t *testing.T, dir string) *doc.Package {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %v, %v", dir, names, err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
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

// What go doc shows first says what the package is for, on a page or two.
func TestPackageCommentsAreShort(t *testing.T) {
	adapters, err := filepath.Glob("adapters/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range append([]string{".", "arenajson", "arenareflect", "arenahttp", "arenapprof", "arenavar"}, adapters...) {
		p := loaded(t, dir)
		if n := strings.Count(p.Doc, "\n"); n < 3 || n >= 60 || !strings.HasPrefix(p.Doc, "Package "+p.Name+" ") {
			t.Errorf("the comment of package %s has %d lines: from 3 to 59 are wanted, which begin with its name", p.Name, n)
		}
	}
}

// Each public name says what it is, and each that is called by itself is called in an
// example that runs. Errors are made by others.
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
		says := func(name, text string) {
			if len(text) < 20 {
				t.Errorf("%s.%s says nothing", p.Name, name)
			}
		}
		shown := func(f *doc.Func) {
			says(f.Name, f.Doc)
			if !regexp.MustCompile(`\b` + p.Name + `\.` + f.Name + `\b`).MatchString(examples.String()) {
				t.Errorf("no example calls %s.%s", p.Name, f.Name)
			}
		}
		for _, f := range p.Funcs {
			shown(f)
			if len(f.Examples) == 0 {
				t.Errorf("go doc shows no example with %s.%s: call one Example%s", p.Name, f.Name, f.Name)
			}
		}
		for _, typ := range p.Types {
			says(typ.Name, typ.Doc)
			for _, f := range typ.Funcs {
				shown(f)
			}
			for _, f := range typ.Methods {
				says(typ.Name+"."+f.Name, f.Doc)
			}
		}
	}
}
