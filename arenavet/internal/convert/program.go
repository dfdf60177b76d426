package convert

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/ebbpool/arena/arenavet/internal/advise"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/convert/life"
)

// program is the module's packages, as they are.
type program struct {
	dir       string
	patterns  []string
	pkgs      []*packages.Package
	fset      *token.FileSet
	functions []*ssa.Function
	graph     *callgraph.Graph
	life      *life.Program
	borders   map[token.Pos]border
	stores    map[token.Pos][]border // where a copy can be stored
	whole     bool                   // a main is among them
	escaping  map[advise.LineKey][]string
	staying   map[advise.Place]bool // what the compiler leaves on the stack
	decls     map[*ssa.Function]*declared
	ssaOf     map[*types.Func]*ssa.Function
	generated map[*ast.File]bool
	grammars  map[*ast.File]*grammar     // of parsers that goyacc has made
	stale     map[*ast.File]error        // why a parser's grammar can't be changed
	names     map[string]map[string]int  // by package: how often a name is written in files of its folder that were not loaded
	others    map[string]map[string]bool // by package: what those of other builds declare
	cgo       map[string]bool            // files that it has made
}

// declared is where a function stands.
type declared struct {
	pkg  *packages.Package
	file *ast.File
	decl *ast.FuncDecl
}

// load reads the packages, and finds out what is made in them.
func load(dir string, patterns []string, generated bool) (*program, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if _, err := goCommand(dir, "list", "-f", "{{.Dir}}", catalog.ArenaPath); err != nil {
		return nil, fmt.Errorf("convert: the module does not require %s: go get %s first: %w", catalog.ArenaPath, catalog.ArenaPath, err)
	}
	p := &program{dir: dir, patterns: patterns, fset: token.NewFileSet(), decls: map[*ssa.Function]*declared{}, ssaOf: map[*types.Func]*ssa.Function{}, generated: map[*ast.File]bool{}, grammars: map[*ast.File]*grammar{}, stale: map[*ast.File]error{}, names: map[string]map[string]int{}, others: map[string]map[string]bool{}, cgo: map[string]bool{}}
	var analyzed []string
	if p.patterns, analyzed, err = ownPackages(dir, patterns); err != nil {
		return nil, err
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: dir, Fset: p.fset}, slices.Concat(p.patterns, analyzed)...)
	if err != nil {
		return nil, err
	}
	if err := firstError(loaded); err != nil {
		return nil, err
	}
	prog, built := ssautil.Packages(loaded, ssa.InstantiateGenerics)
	prog.Build()
	own, whole := map[*ssa.Package]bool{}, false
	for i, b := range built {
		if b == nil {
			return nil, fmt.Errorf("convert: %s: no SSA form", loaded[i].PkgPath)
		}
		if !slices.Contains(analyzed, loaded[i].PkgPath) {
			p.pkgs = append(p.pkgs, loaded[i])
			own[b] = true
			whole = whole || b.Pkg.Name() == "main"
		}
	}
	p.findDecls(prog, generated)
	all := allFunctions(prog, own, whole, maps.Keys(p.decls))
	p.functions = slices.Collect(maps.Keys(all))
	slices.SortFunc(p.functions, func(a, b *ssa.Function) int {
		return cmp.Or(p.compare(a.Pos(), b.Pos()), strings.Compare(a.String(), b.String()))
	})
	p.graph = vta.CallGraph(all, nil)
	for _, n := range p.graph.Nodes { // in the same order in each run, as the reasons that it leads to
		slices.SortFunc(n.In, p.compareEdges)
		slices.SortFunc(n.Out, p.compareEdges)
	}
	p.whole = whole
	var paths []string
	for _, pkg := range p.pkgs {
		paths = append(paths, pkg.PkgPath)
		p.readNames(pkg)
	}
	p.escaping, p.staying, err = advise.Escapes(dir, paths)
	return p, err
}

func (p *program) compareEdges(a, b *callgraph.Edge) int {
	return cmp.Or(p.compare(a.Pos(), b.Pos()), strings.Compare(a.Caller.Func.String(), b.Caller.Func.String()), strings.Compare(a.Callee.Func.String(), b.Callee.Func.String()))
}

// ownPackages are those of the patterns, with what they need of their module; and the packages of others
// that are analyzed with them.
func ownPackages(dir string, patterns []string) (paths, analyzed []string, err error) {
	out, err := goCommand(dir, append([]string{"list", "-deps", "-f", "{{if .Module}}{{if .Module.Main}}{{.ImportPath}} {{join .Imports \" \"}}{{end}}{{end}}"}, patterns...)...)
	if err != nil {
		return nil, nil, fmt.Errorf("convert: %w", err)
	}
	for line := range strings.Lines(out) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		paths = append(paths, words[0])
		for _, w := range words[1:] {
			if life.Analyzed[w] && !slices.Contains(analyzed, w) {
				analyzed = append(analyzed, w)
			}
		}
	}
	if len(paths) == 0 {
		return nil, nil, fmt.Errorf("convert: %s: no packages of the module in %s", strings.Join(patterns, " "), dir)
	}
	return paths, analyzed, nil
}

// lives finds what outlives a root, some of whose parameters have nothing in them.
func (p *program) lives(root *ssa.Function, empty map[int]bool) {
	world := life.World{Whole: p.whole, Empty: empty, Borders: map[token.Pos]bool{}, Escapes: map[token.Pos]bool{}}
	for pos := range p.stores {
		world.Escapes[pos] = true
	}
	for pos := range p.borders {
		world.Borders[pos] = true
	}
	p.life = life.Analyze(root, p.graph, p.functions, world)
}

func firstError(pkgs []*packages.Package) error {
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			return fmt.Errorf("%s: %w", p.PkgPath, p.Errors[0])
		}
	}
	return nil
}

func (p *program) findDecls(prog *ssa.Program, generated bool) {
	for _, pkg := range p.pkgs {
		for _, file := range pkg.Syntax {
			p.generated[file] = (ast.IsGenerated(file) || grammarOf(file) != "") && !generated || ofCgo(file) // whose text is another file's
			p.cgo[p.fset.File(file.Pos()).Name()] = ofCgo(file)
			if p.generated[file] && grammarOf(file) != "" {
				if g, err := readGrammar(file, p.fset.File(file.Pos()).Name()); err != nil {
					p.stale[file] = err
				} else {
					p.grammars[file] = g
				}
			}
			for _, d := range file.Decls {
				d, ok := d.(*ast.FuncDecl)
				if !ok || d.Body == nil {
					continue
				}
				if obj, ok := pkg.TypesInfo.Defs[d.Name].(*types.Func); ok {
					if fn := prog.FuncValue(obj); fn != nil {
						p.decls[fn], p.ssaOf[obj] = &declared{pkg, file, d}, fn
					}
				}
			}
		}
	}
}

// readNames counts the names in the files of a package's folder that were not loaded: its tests,
// and those of other systems.
func (p *program) readNames(pkg *packages.Package) {
	count := map[string]int{}
	p.names[pkg.PkgPath] = count
	if len(pkg.GoFiles) == 0 {
		return
	}
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(pkg.GoFiles[0]), "*.go"))
	for _, name := range files {
		if slices.Contains(pkg.CompiledGoFiles, name) {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if !strings.HasSuffix(name, "_test.go") {
			p.readOther(pkg, name, text)
		}
		for word := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			count[word]++
		}
	}
}

// readOther notes what a file declares that other builds have, for other systems or with other tags, in place of
// what this one has.
func (p *program) readOther(pkg *packages.Package, name string, text []byte) {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil || file.Name.Name != pkg.Name || slices.Contains(pkg.GoFiles, name) { // cgo has another text of those
		return
	}
	if p.others[pkg.PkgPath] == nil {
		p.others[pkg.PkgPath] = map[string]bool{}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			p.others[pkg.PkgPath][d.Name.Name] = true
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok {
					p.others[pkg.PkgPath][s.Name.Name] = true
				}
			}
		}
	}
}

// elsewhere reports whether another build may have its own text of something that is declared, or of a method of
// that name.
func (p *program) elsewhere(obj types.Object) bool {
	return obj.Pkg() != nil && p.others[obj.Pkg().Path()][obj.Name()]
}

// ofCgo reports whether cgo has made a file of one that imports C.
func ofCgo(file *ast.File) bool {
	return len(file.Comments) > 0 && strings.HasPrefix(file.Comments[0].List[0].Text, "// Code generated by cmd/cgo")
}

// root finds the function that is called pkg.Func, pkg.Type.Method or pkg.(*Type).Method, where
// pkg is a package's path, the end of one, or its name; or the literal in it that profiles call
// pkg.Func.func1.
func (p *program) root(name string) (*ssa.Function, error) {
	plain := strings.NewReplacer("(", "", ")", "", "*", "").Replace(name)
	literal := ""
	if at := literalName.FindStringIndex(plain); at != nil {
		plain, literal = plain[:at[0]], plain[at[0]:]
	}
	var found []*ssa.Function
	for fn, d := range p.decls {
		own := strings.TrimPrefix(catalog.FunctionName(fn.Object().(*types.Func)), d.pkg.PkgPath+".")
		full := d.pkg.PkgPath + "." + own
		if full == plain || strings.HasSuffix(full, "/"+plain) || d.pkg.Name+"."+own == plain {
			found = append(found, fn)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("convert: -root %s: no function of that name in %s", name, strings.Join(p.patterns, " "))
	case 1:
		return p.literal(name, found[0], literal)
	}
	return nil, fmt.Errorf("convert: -root %s: %s and %s have that name: write the package's path", name, found[0], found[1])
}

// literalName is how the name of a function literal ends: the n-th of a function, and in that.
var literalName = regexp.MustCompile(`\.func\d+(\.\d+)*$`)

// literal is the one of a function's that has such an end of a name; with none it is the function itself. Its
// arena can only come from a parameter, since its signature is what others call.
func (p *program) literal(name string, fn *ssa.Function, end string) (*ssa.Function, error) {
	if end == "" {
		return fn, nil
	}
	d := p.decls[fn]
	for word := range strings.SplitSeq(strings.TrimPrefix(end, ".func"), ".") {
		n, _ := strconv.Atoi(word)
		if n < 1 || n > len(fn.AnonFuncs) {
			return nil, fmt.Errorf("convert: -root %s: %s has %d function literals", name, fn, len(fn.AnonFuncs))
		}
		fn = fn.AnonFuncs[n-1]
	}
	text, ok := fn.Syntax().(*ast.FuncLit)
	if !ok || fromContext(fn) == "" {
		return nil, fmt.Errorf("convert: -root %s: a function literal needs a parameter with a name that is a *http.Request or a context.Context, to have the arena from", name)
	}
	p.decls[fn] = &declared{d.pkg, d.file, &ast.FuncDecl{Name: ast.NewIdent(fn.Name()), Type: text.Type, Body: text.Body}}
	return fn, nil
}

// fromContext is the parameter of a root whose context has the arena.
func fromContext(fn *ssa.Function) string {
	for _, v := range fn.Params {
		switch catalog.TypeName(v.Type()) {
		case "*net/http.Request", "context.Context":
			if v.Name() != "_" && v.Name() != "" {
				return v.Name()
			}
		}
	}
	return ""
}

// cone are the functions that a root may call, with itself.
func (p *program) cone(root *ssa.Function) map[*ssa.Function]bool {
	own, cone := map[*ssa.Function]bool{}, map[*ssa.Function]bool{}
	for _, fn := range p.functions {
		own[fn] = true
	}
	var visit func(fn *ssa.Function)
	visit = func(fn *ssa.Function) {
		if cone[fn] || !own[fn] {
			return
		}
		cone[fn] = true
		if n := p.graph.Nodes[fn]; n != nil {
			for _, e := range n.Out {
				visit(e.Callee.Func)
			}
		}
		for _, g := range fn.AnonFuncs {
			visit(g)
		}
	}
	visit(root)
	return cone
}

// compare orders positions by their file and then by their offset. (Positions themselves are
// given to files in the order in which they happen to be parsed.)
func (p *program) compare(a, b token.Pos) int {
	x, y := p.fset.PositionFor(a, false), p.fset.PositionFor(b, false)
	return cmp.Or(strings.Compare(x.Filename, y.Filename), x.Offset-y.Offset)
}

// position is a place as it is printed: the file's name and the line.
func (p *program) position(pos token.Pos) string {
	at := p.fset.PositionFor(pos, false)
	name, err := filepath.Rel(p.dir, at.Filename)
	if p.cgo[at.Filename] {
		at = p.fset.Position(pos)
		name, err = filepath.Rel(p.dir, at.Filename)
	}
	if err != nil {
		name = at.Filename
	}
	return fmt.Sprintf("%s:%d", filepath.ToSlash(name), at.Line)
}

// goCommand runs the go command in a folder.
func goCommand(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("go %s: %w\n%s%s", args[0], err, bytes.TrimSpace(out), bytes.TrimSpace(errs.Bytes()))
	}
	return string(out), err
}

// border is a string's text, where an error or a panic gets the string: what is logged and kept for
// long. It is copied there, so that it may lie in the arena everywhere else.
type border struct {
	d    *declared
	text ast.Expr
}
