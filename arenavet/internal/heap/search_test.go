package heap

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	driver "golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"

	"github.com/ebbpool/arena/arenavet/internal/flow"
)

// searched searches from every node of a package's functions, with or without an arena in scope.
func searched(pass *analysis.Pass, each func(*ast.FuncDecl, *advisor)) {
	c := flow.Build(pass)
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			h := newAdvisor(c, fn.Type, fn.Body, pass.TypesInfo.Defs[fn.Name].Type(), nil)
			for n := range h.parents {
				h.of(n)
			}
			each(fn, h)
		}
	}
}

// stepsOf searches through the packages of a folder.
func stepsOf(t *testing.T, dir string, each func(*ast.FuncDecl, *advisor), patterns ...string) {
	t.Helper()
	list, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: dir}, patterns...)
	if err != nil || packages.PrintErrors(list) > 0 {
		t.Fatalf("packages.Load: %v", err)
	}
	a := &analysis.Analyzer{Name: "steps", Doc: "counts", Requires: []*analysis.Analyzer{ctrlflow.Analyzer}, ResultType: reflect.TypeFor[int](),
		Run: func(pass *analysis.Pass) (any, error) {
			searched(pass, each)
			return 0, nil
		}}
	graph, err := driver.Analyze([]*analysis.Analyzer{a}, list, &driver.Options{Sequential: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range graph.Roots {
		if root.Err != nil {
			t.Fatal(root.Err)
		}
	}
}

// linear reports functions whose search took more than 6 steps for each node: one for the node and others for the places
// that it flows to.
func linear(t *testing.T) (each func(*ast.FuncDecl, *advisor), nodes *int) {
	nodes = new(int)
	return func(fn *ast.FuncDecl, h *advisor) {
		*nodes += h.nodes
		if h.steps > 6*h.nodes || h.steps < h.nodes-1 {
			t.Errorf("%s: %d steps for %d nodes", fn.Name.Name, h.steps, h.nodes)
		}
	}, nodes
}

// TestSearchIsLinear checks that the steps of a search grow with the nodes of a function, and not with its paths.
func TestSearchIsLinear(t *testing.T) {
	each, nodes := linear(t)
	for _, n := range []int{8, 9, 10, 100, 1000} {
		var b strings.Builder
		b.WriteString("package p\n\nfunc f(a ...*int) *int {\n")
		for i := range n {
			fmt.Fprintf(&b, "\tvar x%d *int\n", i)
		}
		b.WriteString("\tfor range a {\n")
		for i := range n {
			for _, k := range []int{1, 2, 7} {
				fmt.Fprintf(&b, "\t\tx%d = x%d\n", (i+k)%n, i)
			}
		}
		b.WriteString("\t}\n\treturn x0\n}\n")
		searched(passOf(t, b.String()), func(fn *ast.FuncDecl, h *advisor) {
			each(fn, h)
			if h.worstOf(h.named("x5")) != goesOut {
				t.Errorf("%d variables: x5 does not leave", n)
			}
		})
	}
	if testing.Short() {
		return
	}
	*nodes = 0
	stepsOf(t, filepath.Join(runtime.GOROOT(), "src"), each, "go/parser", "cmd/compile/internal/syntax", "cmd/compile/internal/ssa", "net/http")
	if t.Logf("%d nodes of the standard library", *nodes); *nodes < 500_000 {
		t.Errorf("only %d nodes", *nodes)
	}
}

// named returns the function's variable with a name.
func (h *advisor) named(name string) types.Object {
	for obj := range h.uses {
		if obj.Name() == name {
			return obj
		}
	}
	return nil
}

// passOf type-checks a file that imports nothing.
func passOf(t *testing.T, text string) *analysis.Pass {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{}, Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}}
	pkg, err := new(types.Config).Check("example.com/p", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	pass := &analysis.Pass{Fset: fset, Files: []*ast.File{file}, Pkg: pkg, TypesInfo: info, TypesSizes: types.SizesFor("gc", "amd64"),
		Report: func(analysis.Diagnostic) {}, ImportObjectFact: func(types.Object, analysis.Fact) bool { return false }}
	flow, err := ctrlflow.Analyzer.Run(&analysis.Pass{Analyzer: ctrlflow.Analyzer, Fset: fset, Files: pass.Files, Pkg: pkg, TypesInfo: info, ResultOf: inspected(pass.Files),
		ImportObjectFact: func(types.Object, analysis.Fact) bool { return false }, ExportObjectFact: func(types.Object, analysis.Fact) {}})
	if err != nil {
		t.Fatal(err)
	}
	pass.ResultOf = map[*analysis.Analyzer]any{ctrlflow.Analyzer: flow}
	return pass
}

// TestSearchAgainstModel compares the search with a slow one, which visits all places until nothing changes.
func TestSearchAgainstModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	outcomes := map[escape]int{}
	for range 300 {
		text := randomFunction(r)
		searched(passOf(t, text), func(_ *ast.FuncDecl, h *advisor) {
			worst := map[place]escape{}
			for changed := true; changed; {
				changed = false
				for p := range h.vertices {
					f, next := h.next(p)
					for _, q := range next {
						f = max(f, worst[q])
					}
					if f != worst[p] {
						worst[p], changed = f, true
					}
				}
			}
			for p, f := range h.vertices {
				outcomes[f.worst]++
				if !f.closed || f.worst != worst[p] {
					t.Fatalf("%v is %d, and the model says %d:\n%s", p, f.worst, worst[p], text)
				}
			}
		})
	}
	if len(outcomes) != 3 {
		t.Errorf("only these outcomes: %v", outcomes)
	}
}

// randomFunction returns a function that moves values between a few variables, and out of the function.
func randomFunction(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("package p\n\ntype T struct{ n *T; s []*T }\n\nvar global *T\n\nfunc id(t *T) *T { return t }\n\nfunc f(p *T, c chan *T) *T {\n\tvar v [8]*T\n\t_ = v\n")
	n := 2 + r.IntN(7)
	name := func() string { return fmt.Sprintf("x%d", r.IntN(n)) }
	for i := range n {
		fmt.Fprintf(&b, "\tx%d := &T{}\n\t_ = x%d\n", i, i)
	}
	for range 1 + r.IntN(14) {
		switch k := r.IntN(40); {
		case k < 20:
			fmt.Fprintf(&b, "\t%s = %s\n", name(), name())
		case k < 24:
			fmt.Fprintf(&b, "\t%s.n = %s\n", name(), name())
		case k < 27:
			fmt.Fprintf(&b, "\t%s.s = append(%s.s, id(%s))\n", name(), name(), name())
		case k < 29:
			fmt.Fprintf(&b, "\t%s, %s = %s, %s\n", "x0", "x1", name(), name())
		case k < 31:
			fmt.Fprintf(&b, "\tfor _, t := range %s.s { %s = t }\n", name(), name())
		case k < 33:
			fmt.Fprintf(&b, "\tp.n = %s\n", name())
		case k < 34:
			fmt.Fprintf(&b, "\tglobal = %s\n", name())
		case k < 35:
			fmt.Fprintf(&b, "\tc <- %s\n", name())
		case k < 36:
			fmt.Fprintf(&b, "\tgo id(%s)\n", name())
		}
	}
	if r.IntN(2) == 0 {
		fmt.Fprintf(&b, "\treturn %s\n}\n", name())
	} else {
		b.WriteString("\treturn nil\n}\n")
	}
	return b.String()
}

// inspected returns the result of analyzer inspect for analyzer ctrlflow.
func inspected(files []*ast.File) map[*analysis.Analyzer]any {
	return map[*analysis.Analyzer]any{inspect.Analyzer: inspector.New(files)}
}
