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
	"slices"
	"strings"
	"testing"
)

// importsUnsafe lists the packages that import unsafe, with the reason. Tests and generated files are not included.
var importsUnsafe = map[string]string{
	"internal/xunsafe": "the operations that several packages need",

	// The functions of the root must stay within the inliner's budget, which charges an inlined call more than its body.
	".":                "inlined fast paths of New, Allocator.New and Map.Get",
	"internal/check":   "redzones and their patterns",
	"internal/escape":  "words of values, in functions that the race detector skips",
	"internal/machine": "chunks, type descriptors and tables, without bounds checks",
	"internal/swiss":   "keys as numbers and bytes, for hashing",

	"arenajson":         "bytes of documents and text",
	"arenapprof":        "the labels of a goroutine, a type that the runtime does not export",
	"adapters/arrow":    "addresses of buffers, aligned to 64 bytes",
	"adapters/grpc":     "a string as bytes",
	"adapters/pgx":      "cells of rows at their offsets",
	"adapters/protobuf": "fields of messages at their offsets",

	// Programs to compare with, and their faults.
	"docs/mistakes":     "byte arenas, as other packages implement them",
	"lab/load/handlers": "strings that share a buffer",
	"lab/subjects":      "byte arenas and C allocators",
}

// callsXunsafe lists the packages that may call internal/xunsafe.
var callsXunsafe = []string{
	".", "arenahttp", "arenajson", "fixedpool", "internal/escape", "internal/guard", "internal/hooks", "internal/machine",
	"adapters/connect", "adapters/protobuf",
}

// Only the packages of the two lists above make or follow unsafe pointers, so that a review of memory safety knows where
// to look. That includes conversions to and from unsafe.Pointer, which need no import.
func TestUnsafe(t *testing.T) {
	imports, calls := map[string]bool{}, map[string]bool{}
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
		dir := filepath.ToSlash(filepath.Dir(name))
		for _, spec := range file.Imports {
			switch spec.Path.Value {
			case `"unsafe"`:
				imports[dir] = true
			case `"github.com/ebbpool/arena/internal/xunsafe"`:
				calls[dir] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir := range imports {
		if importsUnsafe[dir] == "" {
			t.Errorf("%s imports unsafe and is not in importsUnsafe", dir)
		}
	}
	for dir := range importsUnsafe {
		if !imports[dir] {
			t.Errorf("%s is in importsUnsafe and does not import unsafe", dir)
		}
	}
	for dir := range calls {
		if !slices.Contains(callsXunsafe, dir) {
			t.Errorf("%s calls internal/xunsafe and is not in callsXunsafe", dir)
		}
	}
	for _, dir := range callsXunsafe {
		if !calls[dir] {
			t.Errorf("%s is in callsXunsafe and does not call internal/xunsafe", dir)
			continue
		}
		checkConversions(t, dir)
	}
}

// checkConversions reports conversions to and from unsafe.Pointer in files of the package in dir that do not import
// unsafe.
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
