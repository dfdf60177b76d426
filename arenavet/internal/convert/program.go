package convert

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

func load(c Config) (*program, error) {
	p := &program{Config: c, fset: token.NewFileSet(), modules: map[*types.Package]bool{}, funcs: map[*types.Func]*function{}, bySSA: map[*ssa.Function]*function{},
		src: map[string][]byte{}, heap: map[string]bool{}, trusted: map[string]bool{}, dropped: map[token.Pos]string{}, unused: map[string]bool{}, left: map[string][]token.Pos{}}
	for _, t := range c.Trust {
		p.trusted[t] = true
	}
	list, err := p.goCommand("list", "-e", "-f", "{{if .Error}}{{.Error}}{{end}}", catalog.ArenaPath)
	if err != nil && !c.suggest {
		return nil, fmt.Errorf("convert: %w", err)
	}
	if missing := strings.Fields(list); len(missing) > 0 && !c.suggest {
		return nil, fmt.Errorf("convert: %s", strings.Join(missing, " "))
	}
	list, err = p.goCommand(slices.Concat([]string{"list", "-deps", "-f", "{{with .Module}}{{if .Main}}{{$.ImportPath}}{{end}}{{end}}"}, c.Patterns)...)
	if err != nil {
		return nil, fmt.Errorf("convert: %w", err)
	}
	p.paths = slices.DeleteFunc(strings.Fields(list), func(path string) bool {
		return path == catalog.ArenaPath || strings.HasPrefix(path, catalog.ArenaPath+"/internal/")
	})
	if len(p.paths) == 0 {
		return nil, fmt.Errorf("convert: no packages of the main module match %s", strings.Join(c.Patterns, " "))
	}
	// A newer Go may write export data in a form that golang.org/x/tools cannot read yet: then read the source.
	for _, p.mode = range []packages.LoadMode{packages.LoadSyntax, packages.LoadAllSyntax} {
		p.fset = token.NewFileSet()
		if p.pkgs, err = packages.Load(p.loader(nil), p.paths...); err != nil {
			return nil, fmt.Errorf("convert: %w", err)
		}
		if !slices.ContainsFunc(p.pkgs, func(pkg *packages.Package) bool { return pkg.IllTyped }) {
			break
		}
	}
	for _, pkg := range p.pkgs {
		for _, e := range pkg.Errors {
			return nil, fmt.Errorf("convert: %w", e)
		}
		p.modules[pkg.Types] = true
	}
	p.prog, _ = ssautil.Packages(p.pkgs, ssa.InstantiateGenerics)
	p.prog.Build()
	for _, pkg := range p.pkgs {
		for _, f := range pkg.Syntax {
			if err := p.index(pkg, f); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(p.order, func(a, b *function) int { return p.compare(a.decl.Pos(), b.decl.Pos()) })
	return p, nil
}

func (p *program) loader(overlay map[string][]byte) *packages.Config {
	return &packages.Config{Mode: p.mode | packages.NeedModule, Dir: p.Dir, Fset: p.fset, Overlay: overlay}
}

// index adds the functions of a file.
func (p *program) index(pkg *packages.Package, f *ast.File) (err error) {
	file := p.position(f.FileStart).Filename
	fixed := ""
	switch {
	case !slices.Contains(pkg.GoFiles, file):
		fixed = "its file imports C"
	case ast.IsGenerated(f) && !p.Generated:
		fixed = "its file is generated (-generated)"
	case constrained(f) || constrainedName(file):
		fixed = "its file is not part of every build"
	}
	if p.src[file], err = os.ReadFile(file); err != nil {
		return err
	}
	for _, d := range f.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || d.Body == nil {
			continue
		}
		obj, ok := pkg.TypesInfo.Defs[d.Name].(*types.Func)
		if !ok {
			continue
		}
		fn := &function{obj: obj, decl: d, pkg: pkg, file: f, ssa: p.prog.FuncValue(obj), fixed: fixed}
		if s := obj.Signature(); s.TypeParams() != nil || s.RecvTypeParams() != nil {
			fn.fixed = cmp.Or(fixed, "it is generic")
		}
		if d.Name.Name == "init" || d.Name.Name == "main" && pkg.Name == "main" || d.Name.Name == "_" {
			fn.fixed = cmp.Or(fixed, "it is called by the runtime")
		}
		if slices.Contains(p.Heap, name(obj)) {
			fn.fixed = "-heap names it"
		}
		p.funcs[obj] = fn
		p.order = append(p.order, fn)
		if fn.ssa != nil {
			p.bySSA[fn.ssa] = fn
		}
	}
	return nil
}

// constrained reports whether a file has a build constraint.
func constrained(f *ast.File) bool {
	for _, g := range f.Comments {
		for _, c := range g.List {
			if c.Pos() < f.Package && (constraint.IsGoBuild(c.Text) || constraint.IsPlusBuild(c.Text)) {
				return true
			}
		}
	}
	return false
}

var systems = regexp.MustCompile(`_(aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris|wasip1|windows|386|amd64|arm|arm64|loong64|mips\w*|ppc64|ppc64le|riscv64|s390x|wasm)\.go$`)

func constrainedName(name string) bool { return systems.MatchString(filepath.Base(name)) }

// compare orders positions by file name and place.
func (p *program) compare(a, b token.Pos) int {
	x, y := p.position(a), p.position(b)
	return cmp.Or(cmp.Compare(x.Filename, y.Filename), cmp.Compare(x.Offset, y.Offset))
}

func (p *program) position(at token.Pos) token.Position { return p.fset.PositionFor(at, false) }

// at returns a position for messages.
func (p *program) at(pos token.Pos) string {
	q := p.position(pos)
	return fmt.Sprintf("%s:%d", p.relative(q.Filename), q.Line)
}

func (p *program) relative(name string) string {
	dir, err := filepath.Abs(p.Dir)
	if err != nil {
		return name
	}
	if rel, err := filepath.Rel(dir, name); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return name
}

func (p *program) text(n ast.Node) string {
	from, to := p.position(n.Pos()), p.position(n.End())
	return string(p.src[from.Filename][from.Offset:to.Offset])
}

func (p *program) goCommand(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = p.Dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(errs.Bytes()))
	}
	return string(out), nil
}

// name returns a function's name within its package: F or T.M.
func name(obj *types.Func) string {
	if r := obj.Signature().Recv(); r != nil {
		if n := typeName(r.Type()); n != "" {
			return n + "." + obj.Name()
		}
	}
	return obj.Name()
}

// typeName returns the name of a named type, or of a pointer's element type, or "".
func typeName(t types.Type) string {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// typeText returns a type for messages.
func typeText(t types.Type) string {
	return types.TypeString(t, func(*types.Package) string { return "" })
}

// findRoot sets the root. It accepts F, pkg.F, pkg.T.M, pkg.(*T).M, and packages with their path.
func (p *program) findRoot() error {
	want := strings.NewReplacer("(*", "", "(", "", ")", "").Replace(p.Root)
	var found []*function
	var names []string
	for _, f := range p.order {
		short := name(f.obj)
		names = append(names, f.pkg.Name+"."+short)
		if want == short || want == f.pkg.Name+"."+short || want == f.pkg.PkgPath+"."+short || strings.HasSuffix(f.pkg.PkgPath+"."+short, "/"+want) {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 0:
		return fmt.Errorf("convert: no function %s%s", p.Root, meant(want, names))
	case 1:
	default:
		return fmt.Errorf("convert: %s is ambiguous: %s.%s, %s.%s", p.Root, found[0].pkg.PkgPath, name(found[0].obj), found[1].pkg.PkgPath, name(found[1].obj))
	}
	p.root = found[0]
	if p.root.fixed != "" {
		return fmt.Errorf("convert: %s cannot be converted: %s", p.Root, p.root.fixed)
	}
	return nil
}

// meant returns the names that are most similar to one that does not exist, as a hint. Only their last elements count.
func meant(want string, names []string) string {
	last := func(s string) string { return strings.ToLower(s[strings.LastIndexByte(s, '.')+1:]) }
	near, best := []string(nil), len(last(want))/3+1
	for _, n := range names {
		d := distance(last(want), last(n))
		if d < best {
			near, best = nil, d
		}
		if d == best {
			near = append(near, n)
		}
	}
	if len(near) == 0 || len(near) > 6 {
		return ""
	}
	return "; did you mean " + strings.Join(near, " or ") + "?"
}

// distance returns the number of edits between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal, row[j+1] = row[j+1], min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

var diagnostic = regexp.MustCompile(`^([^: ]+):(\d+)(?::\d+)?: (?:(moved to heap: \w+)|(.*) escapes to heap)`)

// askCompiler records the allocations that the compiler's escape analysis reports.
func (p *program) askCompiler() error {
	cmd := exec.Command("go", slices.Concat([]string{"build", "-gcflags=-m"}, p.paths)...)
	cmd.Dir = p.Dir
	if len(p.pkgs) == 1 { // a command would be written into the folder
		cmd.Args = slices.Insert(cmd.Args, 2, "-o", os.DevNull)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("convert: go build: %w\n%s", err, out)
	}
	dir, err := filepath.Abs(p.Dir)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		m := diagnostic.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		kind := m[3]
		if kind == "" {
			kind = "text"
			for _, prefix := range []string{"&", "new(", "make(", "[]"} {
				if strings.HasPrefix(m[4], prefix) {
					kind = prefix
				}
			}
		}
		file := m[1]
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		p.heap[file+":"+m[2]+":"+kind] = true
	}
	return nil
}

func (p *program) onHeap(at token.Pos, kind string) bool {
	q := p.fset.Position(at) // the compiler obeys line directives
	return p.heap[fmt.Sprintf("%s:%d:%s", q.Filename, q.Line, kind)]
}
