package docs

import (
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The files of the whole repository that import package unsafe, without tests and what
// a generator wrote, and what they need that internal/xunsafe has not.
var importsUnsafe = map[string]string{
	"internal/xunsafe/xunsafe.go": "everything that is done in more than one package",

	// The functions there must stay within what the compiler inlines, which counts a
	// call that it inlines for more than what it comes to.
	"allocator.go": "Allocator.New",
	"arena.go":     "an Offsetof: where the region lies, which machine.RegionOf counts on",
	"slab.go":      "Slab.New",
	"map.go":       "Map.Get",

	"internal/check/unsafe.go":      "redzones and their patterns",
	"internal/escape/unsafe.go":     "words of values, in functions that the race detector leaves alone",
	"internal/machine/clear.go":     "clears without bounds checks",
	"internal/machine/memory.go":    "chunks made, copied and moved",
	"internal/machine/slice.go":     "slices of a type that is known at run time (assumption A6)",
	"internal/machine/typedesc.go":  "type descriptors (assumptions A1, A2, A5 and A7)",
	"internal/machine/typetable.go": "slots without bounds checks",
	"internal/swiss/unsafe.go":      "keys as numbers and bytes, for hashing",

	"arenapprof/labels.go": "the labels of a goroutine, whose type is looked up at run time",

	"arenajson/decode_doc.go":     "a document's bytes: checked builds look whether they are its own",
	"arenajson/encode_put.go":     "text, where there is room for it",
	"adapters/arrow/unsafe.go":    "addresses of buffers, aligned to 64 bytes",
	"adapters/grpc/errors.go":     "a string as bytes",
	"adapters/pgx/unsafe.go":      "cells of rows at their offsets",
	"adapters/protobuf/unsafe.go": "messages' fields at their offsets, and a document's bytes",

	// What is measured beside us, and how it goes wrong.
	"docs/mistakes/arenas.go":      "arenas in a []byte, as others make them",
	"lab/load/handlers/careful.go": "strings that share a buffer, as careful people write them",
	"lab/subjects/buffers.go":      "the same",
	"lab/subjects/bytebump.go":     "the same",
	"lab/subjects/fastjson.go":     "a view of its own text",
	"lab/subjects/modernc.go":      "memory of a C allocator",
	"lab/subjects/ristretto.go":    "memory of a C allocator",
	"lab/subjects/stdarena.go":     "what the experiment in the standard library is made of",
}

// The packages that may call internal/xunsafe: they do so on memory that they have made
// or been given, and say why it has the type that they take it for.
var callsXunsafe = []string{
	".", "arenahttp", "arenajson", "fixedpool", "internal/escape", "internal/guard", "internal/hooks", "internal/machine",
	"internal/smallmap", "adapters/protobuf",
}

// Whoever makes or follows a pointer of package unsafe is found by these two lists:
// a file of another package that imports it, and a conversion to or from such a pointer
// in a file that does not, escape the review that they make possible.
func TestUnsafe(t *testing.T) {
	found := map[string]bool{}
	callers := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); base == "testdata" || base != "." && (base[0] == '.' || base[0] == '_') {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		if ast.IsGenerated(file) {
			return nil
		}
		for _, spec := range file.Imports {
			switch spec.Path.Value {
			case `"unsafe"`:
				found[name] = true
				if importsUnsafe[name] == "" {
					t.Errorf("%s imports unsafe and is not listed: call internal/xunsafe, or list the file with what it needs that is not there", name)
				}
			case `"github.com/ebbpool/arena/internal/xunsafe"`:
				callers[filepath.Dir(name)] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range importsUnsafe {
		if !found[name] {
			t.Errorf("%s is listed and does not import unsafe", name)
		}
	}
	listed := map[string]bool{}
	for _, dir := range callsXunsafe {
		if listed[dir] = true; !callers[dir] {
			t.Errorf("%s is listed and does not call internal/xunsafe", dir)
		}
	}
	for dir := range callers {
		if !listed[dir] {
			t.Errorf("%s calls internal/xunsafe and is not listed", dir)
		}
	}
	for name := range importsUnsafe {
		if !strings.HasPrefix(name, "lab/") && !strings.HasPrefix(name, "docs/") && !strings.HasPrefix(name, "internal/xunsafe/") && found[name] {
			checkSafetyComments(t, name) // xunsafe's callers know; its comments say what
		}
	}
	for _, dir := range callsXunsafe {
		checkConversions(t, dir)
	}
}

// checkConversions reports conversions to and from unsafe.Pointer in those of the
// package's files that do not import package unsafe.
func checkConversions(t *testing.T, dir string) {
	t.Helper()
	type listed struct {
		ImportPath, Export, Dir string
		GoFiles                 []string
		DepOnly                 bool
	}
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles,DepOnly", ".")
	list.Dir, list.Stderr = dir, os.Stderr
	list.Env = append(os.Environ(), "GOWORK=off")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	exports := map[string]string{}
	var p listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var x listed
		if err := dec.Decode(&x); err != nil {
			t.Fatal(err)
		}
		if exports[x.ImportPath] = x.Export; !x.DepOnly {
			p = x
		}
	}
	fset := token.NewFileSet()
	var files []*ast.File
	imports := map[*ast.File]bool{}
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		for _, spec := range f.Imports {
			imports[f] = imports[f] || spec.Path.Value == `"unsafe"`
		}
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	if _, err := conf.Check(p.ImportPath, fset, files, info); err != nil {
		t.Fatal(err)
	}
	isPointer := func(e ast.Expr) bool {
		b, ok := info.Types[e].Type.Underlying().(*types.Basic)
		return ok && b.Kind() == types.UnsafePointer
	}
	for _, f := range files {
		if imports[f] {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && info.Types[call.Fun].IsType() && len(call.Args) == 1 && isPointer(call) != isPointer(call.Args[0]) &&
				!info.Types[call.Args[0]].IsNil() {
				t.Errorf("%s: a conversion to or from an unsafe.Pointer: internal/xunsafe has PointerTo, Cast and Number", fset.Position(call.Pos()))
			}
			return true
		})
	}
}

// checkSafetyComments wants the reason of every function that makes or follows an
// unsafe pointer.
func checkSafetyComments(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		risky := false
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				x, _ := n.X.(*ast.Ident)
				risky = risky || x != nil && x.Name == "unsafe" && regexp.MustCompile(`^(Add|String|Slice)$`).MatchString(n.Sel.Name)
			case *ast.CallExpr:
				if p, ok := n.Fun.(*ast.ParenExpr); ok && len(n.Args) == 1 { // (*T)(p)
					_, star := p.X.(*ast.StarExpr)
					arg, _ := n.Args[0].(*ast.Ident)
					risky = risky || star && (arg == nil || arg.Name != "nil")
				}
			}
			return true
		})
		if !risky {
			continue
		}
		from := f.Pos()
		if f.Doc != nil {
			from = f.Doc.Pos()
		}
		if why := string(text[fset.Position(from).Offset:fset.Position(f.End()).Offset]); !strings.Contains(why, "SAFETY:") {
			t.Errorf("%s: %s has no SAFETY comment", name, f.Name.Name)
		}
	}
}
