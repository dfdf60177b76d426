package arenavet_test

import (
	"go/ast"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	driver "golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/ebbpool/arena/arenavet"
	"github.com/ebbpool/arena/arenavet/internal/convert"
)

var typeName = regexp.MustCompile(`\bT\b`)

// TestPlantedByGenerator generates mistakes in programs that use arenas: by kind, by the depth of the allocation, and by
// the object that holds it. At least 95 % must be found, and their correct twins must not be reported. EBBPOOL_PLANTED=all
// generates all 26,000, also in converted public modules. Otherwise it is a random sample.
func TestPlantedByGenerator(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the go command")
	}
	t.Setenv("GOWORK", "off")
	all := carriers(t)
	n := 500/len(all) + 1
	if os.Getenv("EBBPOOL_PLANTED") == "all" {
		n = 0
	}
	if n == 0 {
		all = append(all, byHand(t)...)
	}
	random := rand.New(rand.NewPCG(1, 500))
	mistakes, found := 0, 0
	for _, c := range all {
		m, f := c.check(t, c.plant(n, random))
		t.Logf("%s: %d of %d", c.name, f, m)
		mistakes, found = mistakes+m, found+f
	}
	// Fields deep in a tree of goyacc's parser are not known, which is a third of the mistakes in sql.
	if mistakes < 500 || found*100 < 95*mistakes {
		t.Errorf("%d of %d mistakes are found, want 500 or more, and 95 %%", found, mistakes)
	}
}

// carriers returns programs written by hand, and programs that arena convert has converted.
func carriers(t *testing.T) []carrier {
	options, small := filepath.Join("testdata", "options"), filepath.Join("..", "examples", "small")
	return []carrier{
		{name: "lib", module: options, folder: "plant", pkg: "plant", lib: []string{"example.com/options/lib"}, makes: "d, _ := lib.ParseIn(a, in)",
			values: [][2]string{{"*lib.Node", "d"}, {"*lib.Node", "d.Next"}, {"string", "d.Next.Text"}}},
		{name: "generated", module: options, folder: "plant", pkg: "plant", lib: []string{"example.com/options/generated"}, makes: "d, _ := generated.ParseIn(a, in)",
			values: [][2]string{{"*generated.Node", "d"}, {"*generated.Node", "d.Next"}, {"string", "d.Next.Text"}}},
		{name: "graphql", module: small, folder: "graphql", pkg: "main", makes: "d, _ := parse(a, in)", values: [][2]string{{"[]*field", "d"}, {"*field", "d[0]"}}},
		{name: "logreport", module: small, folder: "logreport", pkg: "main", makes: "d, _ := parse(a, []byte(in))", values: [][2]string{{"*line", "d"}, {"string", "d.path"}}},
		converted(t, "tree.Parse", []string{"Node", "parser"}, "d := ParseIn(a, in)", [][2]string{{"*Node", "d"}, {"[]*Node", "d.Kids"}, {"string", "d.Kids[0].Text"}}),
		converted(t, "context.Load", []string{"User"}, "d := LoadIn(a, nil, in)", [][2]string{{"*User", "d"}, {"[]string", "d.Roles"}, {"string", "d.Name"}}),
	}
}

// byHand returns public modules that package others of the lab has converted. Modules without values get no mistakes and
// must have no findings.
func byHand(t *testing.T) []carrier {
	dir := t.TempDir()
	cmd := exec.Command("go", "run", "./cmd/advice", "-into", dir)
	cmd.Dir = filepath.Join("..", "lab")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("GOFLAGS", "-mod=mod")
	all := []carrier{
		{name: "html", lib: []string{"golang.org/x/net/html", "strings"}, makes: "d, _ := html.ParseIn(a, strings.NewReader(in))",
			values: [][2]string{{"*html.Node", "d"}, {"*html.Node", "d.FirstChild"}, {"string", "d.FirstChild.Data"}}},
		{name: "sql", lib: []string{"github.com/xwb1989/sqlparser"}, makes: "d, _ := sqlparser.ParseIn(a, in)",
			values: [][2]string{{"sqlparser.Statement", "d"}, {"*sqlparser.Select", "d.(*sqlparser.Select)"}, {"*sqlparser.Limit", "d.(*sqlparser.Select).Limit"}}},
		{name: "graphql", lib: []string{"github.com/vektah/gqlparser/v2/parser", "github.com/vektah/gqlparser/v2/ast"}, makes: "d, _ := parser.ParseQueryIn(a, &ast.Source{Input: in})",
			values: [][2]string{{"*ast.QueryDocument", "d"}, {"*ast.OperationDefinition", "d.Operations[0]"}}},
		{name: "dns", lib: []string{"github.com/miekg/dns"}, makes: "d := arena.New[dns.Msg](a); d.UnpackIn(a, []byte(in))",
			values: [][2]string{{"*dns.Msg", "d"}, {"dns.RR", "d.Answer[0]"}, {"string", "d.Question[0].Name"}}},
		{name: "markdown", lib: []string{"github.com/russross/blackfriday/v2"}, makes: "d := blackfriday.RunIn(a, []byte(in))", values: [][2]string{{"[]byte", "d"}}},
		{name: "ber", lib: []string{"github.com/go-asn1-ber/asn1-ber"}},
		{name: "expression", lib: []string{"github.com/expr-lang/expr", "github.com/expr-lang/expr/vm"}},
		{name: "handlebars", lib: []string{"github.com/aymerick/raymond/ast", "github.com/aymerick/raymond/lexer", "github.com/aymerick/raymond/parser"}},
		{name: "yaml", lib: []string{"github.com/goccy/go-yaml", "github.com/goccy/go-yaml/ast", "github.com/goccy/go-yaml/lexer", "github.com/goccy/go-yaml/parser", "github.com/goccy/go-yaml/scanner", "github.com/goccy/go-yaml/token"}},
	}
	for i := range all {
		all[i].module, all[i].folder, all[i].pkg = filepath.Join(dir, all[i].name, "module"), "plant", "plant"
	}
	return all
}

// converted returns a program of convert's tests after its conversion.
func converted(t *testing.T, root string, own []string, makes string, values [][2]string) carrier {
	name, _, _ := strings.Cut(root, ".")
	archive, err := txtar.ParseFile(filepath.Join("internal", "convert", "testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	module, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir, pkg := t.TempDir(), ""
	files := map[string]string{"go.mod": "module example.com/" + name + "\n\ngo 1.25.0\n\nrequire github.com/ebbpool/arena v0.0.0\n\nreplace github.com/ebbpool/arena => " + filepath.ToSlash(module) + "\n"}
	for _, f := range archive.Files {
		if f.Name == "lib.go" {
			files[f.Name] = string(f.Data)
			_, rest, _ := strings.Cut(string(f.Data), "\npackage ")
			pkg, _, _ = strings.Cut(rest, "\n")
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, function, _ := strings.Cut(root, ".")
	r, err := convert.Convert(convert.Config{Dir: dir, Patterns: []string{"."}, Root: function, Own: own, Strings: true, NoTests: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	return carrier{name: name, module: dir, folder: ".", pkg: pkg, makes: makes, values: values}
}

// own returns the converted packages, in which nothing may be reported.
func (c carrier) own() []string {
	return slices.DeleteFunc(slices.Clone(c.lib), func(path string) bool { return !strings.Contains(path, ".") })
}

// check counts the mistakes in a text and the reported ones. It fails if correct code is reported.
func (c carrier) check(t *testing.T, text string) (mistakes, found int) {
	module, err := filepath.Abs(c.module)
	if err != nil {
		t.Fatal(err)
	}
	overlay, patterns := map[string][]byte{}, c.own()
	if len(c.values) > 0 {
		overlay[filepath.Join(module, c.folder, "planted_mistakes.go")] = []byte(text)
		patterns = append(patterns, "./"+c.folder)
	}
	for file, text := range c.files {
		overlay[file] = text
	}
	bad := func(function string) bool { return strings.HasPrefix(function, "bad_") }
	return count(t, c.name, module, overlay, patterns, bad)
}

// count loads packages, and counts the functions that bad selects and the functions of these with a report.
// It fails if there is a report elsewhere.
func count(t *testing.T, name, dir string, overlay map[string][]byte, patterns []string, bad func(function string) bool) (mistakes, found int) {
	t.Helper()
	list, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: dir, Overlay: overlay}, patterns...)
	if err != nil || packages.PrintErrors(list) > 0 {
		t.Fatalf("%s: packages.Load: %v", name, err)
	}
	graph, err := driver.Analyze([]*analysis.Analyzer{arenavet.Analyzer}, list, nil)
	if err != nil {
		t.Fatal(err)
	}
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
				said := ""
				for _, x := range root.Diagnostics {
					if x.Category != "heap" && fn.Pos() <= x.Pos && x.Pos < fn.End() { // convert turns advice on
						said += x.Message + "\n"
					}
				}
				switch bad := bad(fn.Name.Name); {
				case bad && said == "":
					t.Logf("%s: not found: %s", name, fn.Name.Name)
					mistakes++
				case bad:
					mistakes++
					found++
				case said != "":
					t.Errorf("%s: %s is right, and reported: %s", name, fn.Name.Name, said)
				}
			}
		}
	}
	return mistakes, found
}
