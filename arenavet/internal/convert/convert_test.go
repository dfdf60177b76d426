package convert

import (
	"cmp"
	"flag"
	"fmt"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ebbpool/arena/arenavet/internal/convert/life"
)

var update = flag.Bool("update", false, "write the golden files")

// What becomes of each program in testdata stands in a file beside it: the diff, and the table
// of what was changed and left. Its first lines say what would break if it became different.
func TestConvert(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	for _, c := range []Config{
		{Root: "handler.Handle"}, {Root: "parser.Parse"}, {Root: "server.Server.Serve"}, {Root: "into.Fill", Into: []string{"to"}}, {Root: "request.Serve"}, {Root: "callback.Parse"}, {Root: "table.Read"}, {Root: "codec.Serve"}, {Root: "reader.Read"}, {Root: "grammar.Parse"}, {Root: "calc.Parse"}, {Root: "copies.Keep", Escape: true}, {Root: "copier.Parse"}, {Root: "apart.Parse"}, {Root: "sealed.Parse"},
		{Root: "variants.Parse"}, {Root: "tuples.Parse"}, {Root: "buffers.Parse"}, {Root: "keepers.Parse"}, {Root: "loaded.Parse"}, {Root: "pooled.Parse"}, {Root: "ways.Parse"}, {Root: "served.Server.Get"}, {Root: "literal.Handlers.func2.1"}, {Root: "locals.Parse"}, {Root: "located.Parse"}, {Root: "quoted.Parse"}, {Root: "builds.Parse"}, {Root: "steps.Parser.Parse", Into: []string{"p"}},
		{Root: "aliased.Read"}, {Root: "asked.Parse"}, {Root: "options.Parse"}, {Root: "instances.Parse"}, {Root: "offered.Parse"}, {Root: "leaks.Root"}, {Root: "taken.Parse"}, {Root: "hooks.Parser.Parse"}, {Root: "nested.Parse"}, {Root: "foreign.Parse"}, {Root: "generic.Parse"}, {Root: "boxed.Parse"}, {Root: "kept.Keep"}, // nothing may move
	} {
		name, _, _ := strings.Cut(c.Root, ".")
		t.Run(name, func(t *testing.T) {
			c.Dir, c.Patterns, c.NoTests = "testdata", []string{"./" + name + "/..."}, name != "copies" && name != "copier" && name != "sealed" && name != "options" && name != "variants" && name != "tuples" && name != "locals" && name != "buffers" && name != "steps" // others for TestGate
			t.Setenv("GOWORK", "off")
			r, err := Convert(c)
			if err != nil {
				t.Fatal(err)
			}
			if !c.NoTests && len(r.Tests) != 3-len(c.Into) { // the last mode would end what -into names
				t.Errorf("tests: %q", r.Tests)
			}
			r.Tests = nil // the files have none
			var out strings.Builder
			if err := r.Diff(&out); err != nil {
				t.Fatal(err)
			}
			if err := r.Print(&out); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || string(want) != out.String() {
				t.Errorf("%v: %s is stale: go test ./internal/convert -update\n%s", err, file, out.String())
			}
		})
	}
}

// Nothing is written where the program's own tests fail with a real arena, though they pass with
// a nil one: here they rely on how append grows.
func TestGate(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	t.Setenv("GOWORK", "off")
	for root, want := range map[string]string{
		"capacity.Grow":          "the tests do not pass with an arena:",
		"handler.none":           "no function of that name",
		"literal.Handlers.func2": "a function literal needs a parameter",
		"literal.Handlers.func7": "has 2 function literals",
	} {
		name, _, _ := strings.Cut(root, ".")
		_, err := Convert(Config{Dir: "testdata", Patterns: []string{"./" + name}, Root: root})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", root, err, want)
		}
	}
	for _, root := range []string{"handler.Handle", "codec.Serve"} {
		name, _, _ := strings.Cut(root, ".")
		r, err := Convert(Config{Dir: "testdata", Patterns: []string{"./" + name}, Root: root, Escape: true})
		if err != nil || len(r.Tests) != 3 {
			t.Errorf("%s: %v", root, err)
		}
	}
	// A list of package strings leads into the arena: that is said, with the way there.
	r, err := Convert(Config{Dir: "testdata", Patterns: []string{"./copies"}, Root: "copies.divide"})
	if err != nil || len(r.Tests) != 3 || !strings.Contains(r.Tests[2], "leads into the arena: Escape[") || !strings.Contains(r.Tests[2], "v.parts[0]") {
		t.Errorf("%v, %q", err, r.Tests)
	}
}

// Positions have the order of their files' names, and of their places there: not that in which files
// were read, and not that which directives say.
func TestOrder(t *testing.T) {
	p := program{fset: token.NewFileSet()}
	later, earlier := p.fset.AddFile("b.go", -1, 100), p.fset.AddFile("a.go", -1, 100)
	later.AddLineColumnInfo(10, "0.y", 1, 1)
	later.SetLines([]int{0, 10, 50})
	order := []token.Pos{earlier.Pos(0), earlier.Pos(90), later.Pos(5), later.Pos(20), later.Pos(60)}
	for i, a := range order {
		for j, b := range order {
			if got := p.compare(a, b); cmp.Compare(got, 0) != cmp.Compare(i, j) {
				t.Errorf("%d beside %d: %d", i, j, got)
			}
		}
	}
}

// Each run tells the same reasons, though there are several for most of what stays here.
func TestReasons(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	t.Setenv("GOWORK", "off")
	first := ""
	for range 3 {
		p, err := load("testdata", []string{"./reasons"}, false)
		if err != nil {
			t.Fatal(err)
		}
		root, err := p.root("reasons.Parse")
		if err != nil {
			t.Fatal(err)
		}
		within := p.cone(root)
		p.findBorders(within)
		for range 10 {
			pl, err := p.plan(Config{}, root, within)
			if err != nil {
				t.Fatal(err)
			}
			all := ""
			for _, f := range pl.order {
				for _, s := range f.sites {
					all += p.position(s.Pos) + " " + s.What + ": " + s.Reason + "\n"
				}
				for _, call := range pl.ordered(f) {
					all += p.position(call.Pos()) + " gets none: " + f.left[call] + "\n"
				}
			}
			if first == "" {
				first = all
			}
			if all != first {
				t.Fatalf("one run tells\n%s, and another\n%s", first, all)
			}
		}
	}
}

// A file's imports may stand in one line, or each alone.
func TestImports(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	t.Setenv("GOWORK", "off")
	dir, files := t.TempDir(), map[string]string{"go.mod": testModule(t, "oneline")}
	calls := ""
	for i, imports := range []string{
		`import ("fmt"; "strings")`, `import ("strings"; "fmt")`, `import ("fmt" ; "strings" /* of words */)`, "import (); import (\"fmt\"; \"strings\" // of words\n)",
		`import "fmt"; import "strings"`, `import "strings"; import "fmt"`, "import \"fmt\"\nimport \"strings\"", "import \"strings\"\nimport (\"fmt\")",
	} {
		name := fmt.Sprint("words", i)
		files[name+".go"] = "package oneline\n\n" + imports + "\n\nfunc " + name + "(text string) string { return fmt.Sprint(strings.Fields(text)) }\n"
		calls += "\t" + name + "(text)\n"
	}
	files["parse.go"] = "package oneline\n\nfunc Parse(text string) {\n" + calls + "}\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Convert(Config{Dir: dir, Patterns: []string{"."}, Root: "oneline.Parse", NoTests: true})
	if err != nil || len(r.Files) != len(files)-1 {
		t.Fatal(err)
	}
	for name, text := range r.Files {
		if strings.Contains(string(text), `"fmt"`) || strings.Count(string(text), "ebbpool/arena\"") != 1 {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// A file that imports C is another's, which cgo makes in the cache: nothing is written there, and places in it are
// those that the program's text has.
func TestCgo(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("CGO_ENABLED", "1")
	dir, files := t.TempDir(), map[string]string{
		"go.mod":   testModule(t, "withc"),
		"parse.go": "package withc\n\ntype Node struct{ Next *Node }\n\nfunc Parse() *Node { return &Node{other()} }\n",
		"c.go":     "package withc\n\n// static int one(void) { return 1; }\nimport \"C\"\n\nfunc other() *Node {\n\tif C.one() == 0 {\n\t\treturn nil\n\t}\n\treturn &Node{}\n}\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := goCommand(dir, "build", "."); err != nil {
		t.Skipf("SKIPPED: no cgo: %v %s", err, out)
	}
	r, err := Convert(Config{Dir: dir, Patterns: []string{"."}, Root: "withc.Parse", NoTests: true, Generated: true})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := r.Print(&out); err != nil || len(r.Files) != 1 || r.Files[filepath.Join(dir, "parse.go")] == nil || !strings.Contains(out.String(), "c.go:10  &Node{}") || !strings.Contains(out.String(), "its file imports C") {
		t.Errorf("%v: %d files\n%s", err, len(r.Files), out.String())
	}
}

// testModule is a go.mod of a module that has package arena from here.
func testModule(t *testing.T, name string) string {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	return "module example.com/" + name + "\n\ngo 1.25.0\n\nrequire github.com/ebbpool/arena v0.0.0\n\nreplace github.com/ebbpool/arena => " + root + "\n"
}

// What is made for an error, as the comment at the end of its line says, is counted apart.
func TestErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	t.Setenv("GOWORK", "off")
	r, err := Convert(Config{Dir: "testdata", Patterns: []string{"./failing"}, Root: "failing.Each", NoTests: true})
	if err != nil {
		t.Fatal(err)
	}
	p := r.plan
	want, got, n := map[int][]string{}, map[int][]string{}, 0
	for _, c := range p.pkgs[0].Syntax[0].Comments {
		if text := c.Text(); text != "" && !strings.Contains(text, "is called") {
			want[p.fset.Position(c.Pos()).Line] = strings.Split(strings.TrimSpace(text), "; ")
		}
	}
	sites := p.outside()
	for _, f := range p.order {
		sites = append(sites, f.sites...)
	}
	for _, s := range sites {
		if s.Reason != "" && p.forError(s.fn, s) {
			line := p.fset.Position(s.Pos).Line
			got[line], n = append(got[line], s.What), n+1
		}
	}
	for _, list := range got {
		slices.Sort(list)
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
	var out strings.Builder
	if err := r.Print(&out); err != nil || !strings.Contains(out.String(), fmt.Sprintf("of %d sites move", len(sites)-n)) || !strings.Contains(out.String(), fmt.Sprintf("\n%d others are of errors", n)) {
		t.Errorf("%v: %d of %d are of errors\n%s", err, n, len(sites), out.String())
	}
}

// Options that end with the arena need no guard, and as much moves.
func TestIntoOptions(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	t.Setenv("GOWORK", "off")
	r, err := Convert(Config{Dir: "testdata", Patterns: []string{"./options"}, Root: "options.Parse", Into: []string{"options"}, NoTests: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range r.Files {
		if r.plan.moving() != 8 || strings.Contains(string(text), "a = nil") {
			t.Errorf("%s: %d sites move\n%s", name, r.plan.moving(), text)
		}
	}
	if len(r.Files) != 1 {
		t.Errorf("%d files", len(r.Files))
	}
}

// Before the tests are built, what several of them need is, and nothing else: a large package would be
// compiled in a form that no test has.
func TestShared(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	t.Setenv("GOWORK", "off")
	for patterns, want := range map[string]string{"./handler": "1 []", "./copier ./copier/tests": "2 []", "./copier/...": "3 [example.com/convert/copier]"} {
		p, err := load("testdata", strings.Fields(patterns), false)
		if err != nil {
			t.Fatal(err)
		}
		tests, shared, err := p.testsOf(t.TempDir(), p.pkgs[0].CompiledGoFiles, nil)
		if got := fmt.Sprint(len(tests), " ", shared); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", patterns, got, err, want)
		}
	}
}

// A grammar's actions are changed as those of the parser are: goyacc makes of the one what is
// written of the other. Where the parser is not of the grammar as it is, its actions are left alone.
func TestGrammar(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "calc"), os.DirFS(filepath.Join("testdata", "calc"))); err != nil {
		t.Fatal(err)
	}
	mod := "module example.com/convert\n\ngo 1.25.0\n\nrequire github.com/ebbpool/arena v0.0.0\n\nreplace github.com/ebbpool/arena => " + root + "\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644); err != nil {
		t.Fatal(err)
	}
	tool := filepath.Join(dir, "goyacc.exe")
	if _, err := goCommand(".", "build", "-o", tool, "golang.org/x/tools/cmd/goyacc"); err != nil {
		t.Fatal(err)
	}
	config := Config{Dir: dir, Patterns: []string{"./calc"}, Root: "calc.Parse"}
	// The arena is that of one lexer, and the function that finds it has a name of its own.
	other := filepath.Join(dir, "calc", "other.go")
	for _, text := range []string{"var yyArena int", "type words struct{}\n\nfunc (*words) Lex(*yySymType) int { return 0 }\n\nfunc (*words) Error(string) {}\n\nfunc none() int { return yyParse(&words{}) }"} {
		if err := os.WriteFile(other, []byte("package calc\n\n"+text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		config.NoTests = true
		if r, err := Convert(config); err != nil || r.Files[filepath.Join(dir, "calc", "calc.y")] != nil {
			t.Errorf("%v: with %s actions are changed", err, text)
		}
	}
	config.NoTests = false
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	r, err := Convert(config)
	if err != nil || len(r.Tests) != 3 || !strings.HasSuffix(r.Tests[2], ended.name) {
		t.Fatal(err, r)
	}
	grammar, parser := filepath.Join(dir, "calc", "calc.y"), filepath.Join(dir, "calc", "calc.go")
	stale := []byte(strings.Replace(string(r.Files[grammar]), `"+"`, `"-"`, 1))
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	make := exec.Command(tool, "-o", "calc.go", "calc.y")
	make.Dir = filepath.Dir(parser)
	if out, err := make.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if made, err := os.ReadFile(parser); err != nil || string(made) != string(r.Files[parser]) {
		t.Errorf("%v: goyacc makes another parser of the grammar:\n%s", err, made)
	}
	p, err := load(dir, config.Patterns, false)
	if err != nil || len(p.grammars) != 1 || len(p.stale) != 0 {
		t.Fatal(err, "after the conversion the grammar is not that of the parser")
	}
	if err := os.WriteFile(grammar, stale, 0o644); err != nil {
		t.Fatal(err)
	}
	p, err = load(dir, config.Patterns, false)
	if err != nil || len(p.grammars) != 0 || len(p.stale) != 1 {
		t.Error(err, "an action was changed, and its parser was not made anew")
	}
}

// Where a function's objects of a type count as one, all nodes of a parser stay on the heap, since one
// is kept; and what moves moves without that, too.
func TestCoarse(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	t.Setenv("GOWORK", "off")
	defer func(steps int) { life.FineSteps = steps }(life.FineSteps)
	life.FineSteps = 0
	r, err := Convert(Config{Dir: "testdata", Patterns: []string{"./calc"}, Root: "calc.Parse"})
	if err != nil || len(r.Tests) != 3 {
		t.Fatal(err)
	}
	nodes := 0
	for _, f := range r.plan.order {
		for _, s := range f.sites {
			if s.What == "&Node{…}" && f.fn.Name() == "Parse" {
				nodes++
				if s.Reason == "" {
					t.Errorf("%s: %s moves, and another of its type is kept", r.plan.position(s.Pos), s.What)
				}
			}
		}
	}
	if nodes != 4 || len(r.Files) == 0 {
		t.Errorf("%d nodes, %d files", nodes, len(r.Files))
	}
	// A lexer that seems to lie in a list with what is returned is not taken for part of that, since no
	// type leads there: it still carries the arena.
	r, err = Convert(Config{Dir: "testdata", Patterns: []string{"./coarse"}, Root: "coarse.Parse", NoTests: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.plan.order {
		for _, s := range f.sites {
			if s.What == "&Leaf{…}" && s.Reason == "" {
				return
			}
		}
	}
	t.Error("the leaf stays on the heap")
}

// What an interface holds that others may implement is known only where nothing of others gets there.
func TestOpen(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	t.Setenv("GOWORK", "off")
	for root, want := range map[string]string{
		"ParseKept": "is wrapped by fmt.Errorf", "ParseFor": "is given to a function that is not known",
		"ParseBy": "in the arena", "ParseWith": "is given to a function that is not known", "ParseAt": "is given to a function that is not known",
		"ParseScanned": "is given to a function that is not known", "ParseRead": "is given to a function that is not known",
		"ParseAll": "is given to a function that is not known", "ParseElsewhere": "is given to a function that is not known",
	} {
		t.Run(root, func(t *testing.T) {
			r, err := Convert(Config{Dir: "testdata", Patterns: []string{"./sealed"}, Root: "sealed." + root, NoTests: true})
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if err := r.Print(&out); err != nil {
				t.Fatal(err)
			}
			words := 0
			for line := range strings.Lines(out.String()) {
				if strings.Contains(line, "&Word{…}") {
					words++
					if !strings.Contains(line, want) {
						t.Errorf("%s, want %s", line, want)
					}
				}
			}
			if words != 1 {
				t.Errorf("%d words in\n%s", words, out.String())
			}
		})
	}
}

// A module that the program does not own is converted in a copy, and go.mod stays as it is.
func TestDependency(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("GOPROXY", "off")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "dep"))); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	app := filepath.Join(dir, "app")
	if _, err := goCommand(app, "mod", "edit", "-replace=github.com/ebbpool/arena="+root); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(app, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := CopyOf(app, "example.com/lib")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Convert(Config{Dir: d.Copy, Patterns: []string{"."}, Root: "lib.Words"})
	if err != nil || len(r.Tests) != 3 {
		t.Fatal(err)
	}
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	if err := d.Use(); err != nil {
		t.Fatal(err)
	}
	main := filepath.Join(app, "main.go")
	text, err := os.ReadFile(main)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(main, []byte(strings.Replace(string(text), "Words(", "WordsIn(a, ", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := goCommand(app, "run", "-modfile="+modfile, ".")
	if err != nil || !strings.HasPrefix(out, "[TWO WORDS] ") || strings.HasSuffix(out, " 0\n") {
		t.Errorf("%q, %v", out, err)
	}
	if after, err := os.ReadFile(filepath.Join(app, "go.mod")); err != nil || string(after) != string(before) {
		t.Errorf("%v: go.mod is now\n%s", err, after)
	}
	for path, want := range map[string]string{"example.com/lib": "is there already", "example.com/none": "example.com/none"} {
		if _, err := CopyOf(app, path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
