package arenavet

import (
	"bytes"
	"go/ast"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	driver "golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// All of 32 mistakes behind a parser, one a function, are found, and nothing else. Without it an option, which is
// not known, might put the arena back for all that anyone checks, and nothing was known of
// what a generated parser makes, which is called through interfaces, and whose scanner gets
// its arena when it is there: 2 of 32 were found.
func TestPlanted(t *testing.T) {
	for _, library := range []string{"lib", "generated"} {
		t.Run(library, func(t *testing.T) { planted(t, library) })
	}
}

// planted looks for the mistakes of package planted, behind a library in place of lib.
func planted(t *testing.T, library string) {
	dir := filepath.Join(analysistest.TestData(), "options")
	name := filepath.Join(dir, "planted", "planted.go")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	behind := bytes.ReplaceAll(text, []byte(`"example.com/options/lib"`), []byte(`lib "example.com/options/`+library+`"`))
	list, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: dir, Overlay: map[string][]byte{name: behind}}, "./planted")
	if err != nil || packages.PrintErrors(list) > 0 {
		t.Fatalf("packages.Load: %v", err)
	}
	graph, err := driver.Analyze([]*analysis.Analyzer{Analyzer}, list, nil)
	if err != nil {
		t.Fatal(err)
	}
	mistakes, found := 0, 0
	for _, root := range graph.Roots {
		if root.Err != nil {
			t.Fatal(root.Err)
		}
		for _, file := range root.Package.Syntax {
			for _, d := range file.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				wrong, said := len(fn.Name.Name) > 3 && fn.Name.Name[0] == 'm' && fn.Name.Name[1] < '9' && fn.Name.Name[1] >= '0', false
				for _, x := range root.Diagnostics {
					said = said || fn.Pos() <= x.Pos && x.Pos < fn.End()
				}
				switch {
				case wrong && !said:
					t.Logf("not found: %s", fn.Name.Name)
					fallthrough
				case wrong:
					mistakes++
					if said {
						found++
					}
				case said:
					t.Errorf("%s is right, and reported", fn.Name.Name)
				}
			}
		}
	}
	if mistakes != 32 || found != mistakes {
		t.Errorf("%d of %d mistakes are found, want 32 of 32", found, mistakes)
	}
}
