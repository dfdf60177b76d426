package arenavet

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestFilesUseEachOtherOneWay checks that the files of a package do not use each other in a circle, so that they can be
// read one after another.
func TestFilesUseEachOtherOneWay(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, "./...")
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		t.Fatal(err)
	}
	arrows := 0
	for _, p := range pkgs {
		uses := map[string][]string{}
		for _, f := range p.Syntax {
			from := p.Fset.Position(f.Pos()).Filename
			ast.Inspect(f, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				if obj := origin(p.TypesInfo.Uses[id]); obj != nil && obj.Pkg() == p.Types {
					if to := p.Fset.Position(obj.Pos()).Filename; to != from && !slices.Contains(uses[from], to) {
						uses[from] = append(uses[from], to)
					}
				}
				return true
			})
		}
		arrows += len(uses)
		done := map[string]bool{}
		var visit func(file string, on []string)
		visit = func(file string, on []string) {
			if t.Failed() {
				return // many files lead to one circle
			}
			if i := slices.Index(on, file); i >= 0 {
				names := ""
				for _, f := range append(on[i:], file) {
					names += " " + filepath.Base(f)
				}
				t.Errorf("%s: files that use each other in a circle:%s", p.PkgPath, names)
				return
			}
			if !done[file] {
				for _, to := range uses[file] {
					visit(to, append(slices.Clip(on), file))
				}
				done[file] = true
			}
		}
		for file := range uses {
			visit(file, nil)
		}
	}
	if arrows < 50 {
		t.Errorf("only %d files use others", arrows)
	}
}

// origin returns the generic declaration of an instance, or obj.
func origin(obj types.Object) types.Object {
	switch obj := obj.(type) {
	case *types.Func:
		return obj.Origin()
	case *types.Var:
		return obj.Origin()
	}
	return obj
}
