package docs

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

const root = "github.com/ebbpool/arena"

// packages maps the package names in blocks to import paths.
var packages = map[string]string{
	"arena": root, "arenahttp": root + "/arenahttp", "arenajson": root + "/arenajson", "arenavar": root + "/arenavar",
	"arenareflect": root + "/arenareflect", "fixedpool": root + "/fixedpool", "done": root + "/docs/converting/done",
	"arenapb": root + "/adapters/protobuf", "arenagrpc": root + "/adapters/grpc", "arenasql": root + "/adapters/sql",
	"arenapgx": root + "/adapters/pgx", "arenafasthttp": root + "/adapters/fasthttp", "arenaarrow": root + "/adapters/arrow",
	"arenaprom": root + "/adapters/prometheus", "arenaotel": root + "/adapters/otel", "orderpb": "reader/orderpb",
	"arenafranz": root + "/adapters/franz", "kgo": "github.com/twmb/franz-go/pkg/kgo",
	"arenaconnect": root + "/adapters/connect", "connect": "connectrpc.com/connect",
	"array": "github.com/apache/arrow-go/v18/arrow/array", "fasthttp": "github.com/valyala/fasthttp",
	"grpc": "google.golang.org/grpc", "pgx": "github.com/jackc/pgx/v5",
	"prometheus": "github.com/prometheus/client_golang/prometheus", "metric": "go.opentelemetry.io/otel/metric", "structpb": "google.golang.org/protobuf/types/known/structpb",
	"chi": "github.com/go-chi/chi/v5", "middleware": "github.com/go-chi/chi/v5/middleware", "gin": "github.com/gin-gonic/gin",
	"echo": "github.com/labstack/echo/v4", "fiber": "github.com/gofiber/fiber/v2",
	"context": "context", "errors": "errors", "fmt": "fmt", "http": "net/http", "io": "io", "json": "encoding/json",
	"os": "os", "runtime": "runtime", "sql": "database/sql", "strings": "strings", "sync": "sync", "time": "time",
	"unique": "unique", "weak": "weak",
}

// newest is the Go version for blocks that begin with "// Go 1.27".
const newest = "go1.27.4"

// Readers paste blocks of Go into their programs. Each block of each page compiles in a module outside of
// this repository, with the requirements of the adapter that it uses. Names that a block uses without
// declaring them, such as an arena a, are in testdata/blocks.
func TestBlocksCompile(t *testing.T) {
	if testing.Short() || check.Race || check.ASan {
		t.Skip("builds programs, which is done once")
	}
	goTool := testkit.GoTool(t)
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]map[string][]byte{} // by adapter, "" for none: files
	seen := 0
	for page, text := range documents(t) {
		if dir := filepath.Dir(page); dir != "." && dir != "docs" && dir != "cpp" {
			continue // these are for users
		}
		if page == "docs/recipes.md" {
			continue // compiled and run in examples/recipes
		}
		for i, section := range strings.Split(text, "\n## ") {
			for j, m := range snippet.FindAllStringSubmatch(section, -1) {
				seen++
				if strings.HasPrefix(m[1], "package main\n") {
					continue // a whole program: TestQuickStart
				}
				at := fmt.Sprintf("%s_%d_%d", strings.NewReplacer("/", "_", ".md", "").Replace(strings.ToLower(page)), i, j)
				files, adapter, err := program(page, strings.SplitN(section, "\n", 2)[0], m[1])
				if err != nil {
					t.Errorf("%s: %v:\n%s", page, err, m[1])
					continue
				}
				if strings.HasPrefix(strings.TrimSpace(m[1]), "// Go 1.27\n") {
					adapter = newest
				}
				if modules[adapter] == nil {
					modules[adapter] = map[string][]byte{}
				}
				for name, text := range files {
					modules[adapter][at+"/"+name] = text
				}
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d blocks of Go were found", seen)
	}
	for adapter, files := range modules {
		dir := t.TempDir()
		module(t, here, adapter, files)
		for name, text := range files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		vet := exec.Command(goTool, "vet", "-unreachable=false", "-unusedresult=false", "./...")
		vet.Dir = dir
		vet.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		switch adapter {
		case "":
			vet.Env = append(vet.Env, "GOPROXY=off")
		case newest:
			vet.Env = append(vet.Env, "GOTOOLCHAIN="+newest)
			version := exec.Command(goTool, "version")
			version.Env = vet.Env
			if version.Run() != nil {
				t.Logf("SKIPPED: %s can't be downloaded", newest)
				continue
			}
		}
		if out, err := vet.CombinedOutput(); err != nil {
			t.Errorf("go vet of the pages' blocks %s: %v\n%s", adapter, err, out)
			for name, text := range files {
				if strings.Contains(string(out), filepath.FromSlash(name)) {
					t.Logf("%s:\n%s", name, text)
				}
			}
		}
	}
}

// arenavet has no advice for the README and the recipes.
func TestPagesFollowAdvice(t *testing.T) {
	if testing.Short() || check.Race || check.ASan {
		t.Skip("builds programs, which is done once")
	}
	goTool, tool := testkit.GoTool(t), filepath.Join(t.TempDir(), "arenavet")
	run := func(dir string, args ...string) {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-tags=nomsgpack")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %s: %v\n%s", dir, strings.Join(args, " "), err, out)
		}
	}
	run("arenavet", goTool, "build", "-o", tool, "./cmd/arenavet")
	run("docs", tool, "-heap", "./quickstart")
	run("examples/recipes", tool, "-heap", "./...")
}

// module adds a go.mod to the files, with an adapter's requirements.
func module(t *testing.T, here, adapter string, files map[string][]byte) {
	t.Helper()
	language := "1.25.0"
	if adapter == newest {
		language, adapter = "1.27.0", ""
	}
	mod := "module reader\n\ngo " + language + "\n\nreplace " + root + " => " + filepath.ToSlash(here) + "\n" +
		"replace " + root + "/docs => " + filepath.ToSlash(filepath.Join(here, "docs")) + "\n\n" +
		"require " + root + " v0.0.0\n"
	if adapter != "" {
		dir := filepath.Join(here, "adapters", adapter)
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		mod = regexp.MustCompile(`(?m)^module .*`).ReplaceAllString(string(text), "module reader")
		mod = regexp.MustCompile(`=> \.\S*`).ReplaceAllStringFunc(mod, func(to string) string {
			return "=> " + filepath.ToSlash(filepath.Join(dir, strings.TrimPrefix(to, "=> ")))
		})
		mod += "\nrequire " + root + "/adapters/" + adapter + " v0.0.0\n\nreplace " + root + "/adapters/" + adapter + " => " + filepath.ToSlash(dir) + "\n"
		if files["go.sum"], err = os.ReadFile(filepath.Join(dir, "go.sum")); err != nil {
			t.Fatal(err)
		}
		if adapter == "grpc" {
			if files["orderpb/orderpb.go"], err = os.ReadFile("docs/testdata/blocks/orderpb.txt"); err != nil {
				t.Fatal(err)
			}
		}
	}
	files["go.mod"] = []byte(mod)
}

// program returns the files of a package with a block, as declarations or in a function, and the names that
// it uses.
func program(page, section, block string) (files map[string][]byte, adapter string, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", "package block\n"+block, parser.ParseComments)
	if err != nil {
		if file, err = parser.ParseFile(fset, "", "package block\nfunc block() {\n"+block+"\n}\n", parser.ParseComments); err != nil {
			return nil, "", err
		}
		finish(file.Decls[0].(*ast.FuncDecl))
	}
	around, err := context(fset, page, section)
	if err != nil {
		return nil, "", err
	}
	prune(around, file)
	files = map[string][]byte{}
	for name, f := range map[string]*ast.File{"block.go": file, "context.go": around} {
		imports := used(f)
		for _, path := range imports {
			if a, ok := strings.CutPrefix(path, root+"/adapters/"); ok && adapter != "grpc" && adapter != "routers" {
				adapter = a
			}
			switch path {
			case packages["chi"], packages["gin"], packages["echo"], packages["fiber"]:
				adapter = "routers"
			}
			if path == packages["orderpb"] || path == packages["arenagrpc"] { // its requirements include protobuf's
				adapter = "grpc"
			}
		}
		var b bytes.Buffer
		if err := format.Node(&b, fset, f); err != nil {
			return nil, "", err
		}
		head := "package block\n"
		for _, path := range imports {
			head += "\nimport " + named(path)
		}
		files[name] = []byte(strings.Replace(b.String(), "package block\n", head+"\n", 1))
	}
	return files, adapter, nil
}

// named returns an import with the name that the blocks use.
func named(path string) string {
	for name, p := range packages {
		if p == path {
			return fmt.Sprintf("%s %q", name, path)
		}
	}
	return fmt.Sprintf("%q", path)
}

// finish makes a function of statements compile: its results, and variables that the block only declares.
func finish(f *ast.FuncDecl) {
	var names []ast.Expr
	for _, s := range f.Body.List {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				names = append(names, s.Lhs...)
			}
		case *ast.DeclStmt:
			for _, spec := range s.Decl.(*ast.GenDecl).Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, n := range v.Names {
						names = append(names, n)
					}
				}
			}
		}
	}
	for _, n := range names {
		if n.(*ast.Ident).Name != "_" {
			f.Body.List = append(f.Body.List, &ast.AssignStmt{Lhs: []ast.Expr{ast.NewIdent("_")}, Tok: token.ASSIGN, Rhs: []ast.Expr{ast.NewIdent(n.(*ast.Ident).Name)}})
		}
	}
	results := false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) > 0 {
			results = true
		}
		_, closure := n.(*ast.FuncLit)
		return !closure
	})
	if results {
		f.Type.Results = &ast.FieldList{List: []*ast.Field{{Type: ast.NewIdent("any")}}}
		f.Body.List = append(f.Body.List, &ast.ReturnStmt{Results: []ast.Expr{ast.NewIdent("nil")}})
	}
}

// context returns the declarations for blocks of a page, or of one of its sections.
func context(fset *token.FileSet, page, section string) (*ast.File, error) {
	name := strings.TrimSuffix(filepath.Base(page), ".md")
	for _, name := range []string{name + "." + strings.TrimPrefix(anchors("# " + section)[0], "#"), name} {
		if f, err := parser.ParseFile(fset, "docs/testdata/blocks/"+name+".txt", nil, 0); !os.IsNotExist(err) {
			return f, err
		}
	}
	return parser.ParseFile(fset, "", "package block\n", 0)
}

// declared returns the names that a file declares.
func declared(f *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names[s.Name.Name] = true
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names[n.Name] = true
					}
				}
			}
		}
	}
	return names
}

// prune removes declarations for a page that this block does not use, or declares itself. Methods stay with their
// types.
func prune(around, block *ast.File) {
	needed, own := map[string]bool{}, declared(block)
	note := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if x, ok := n.(*ast.Ident); ok {
				needed[x.Name] = true
			}
			return true
		})
	}
	note(block)
	var kept []ast.Decl
	for more := true; more; {
		more = false
		for _, d := range around.Decls {
			name := ""
			for name = range declared(&ast.File{Decls: []ast.Decl{d}}) { // the block declares one
			}
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				t := f.Recv.List[0].Type
				if p, ok := t.(*ast.StarExpr); ok {
					t = p.X
				}
				name = t.(*ast.Ident).Name
			}
			if needed[name] && !own[name] && !slices.Contains(kept, d) {
				kept, more = append(kept, d), true
				note(d)
			}
		}
	}
	around.Decls = kept
}

// used returns the packages whose names a file uses without declaring them.
func used(f *ast.File) []string {
	paths := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil && packages[x.Name] != "" {
				paths[packages[x.Name]] = true
			}
		}
		return true
	})
	return slices.Sorted(maps.Keys(paths))
}
