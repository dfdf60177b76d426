package ssaform

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// TestGroups checks that callees come first, and that only mutually recursive functions are in one group.
func TestGroups(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", `package p
func top() { even(3); leaf() }
func even(n int) bool { leaf(); return n == 0 || odd(n-1) }
func odd(n int) bool { return n != 0 && even(below(n)) }
func below(n int) int { return n - 1 }
func leaf() {}
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	built, _, err := ssautil.BuildPackage(&types.Config{}, fset, types.NewPackage("p", ""), []*ast.File{file}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var functions []*ssa.Function
	for _, name := range []string{"top", "even", "odd", "below", "leaf"} {
		functions = append(functions, built.Func(name))
	}
	var got []string
	for _, group := range Groups(functions, map[*ssa.Function][]*ssa.Function{}) {
		var names []string
		for _, fn := range group {
			names = append(names, fn.Name())
		}
		got = append(got, strings.Join(names, " "))
	}
	if want := []string{"leaf", "below", "odd even", "top"}; !slices.Equal(got, want) {
		t.Errorf("the groups are %q, want %q", got, want)
	}
}
