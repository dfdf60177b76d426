package convert

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/profile"
)

// testBinary is the compiled tests of one package.
type testBinary struct {
	pkg, dir, file string
	failed         []string // tests that fail without the conversion
	broken         bool     // it does not run without the conversion
}

// block is a range of code that tests run.
type block struct{ fromLine, fromCol, toLine, toCol int }

// verifier runs the program's tests, before and after.
type verifier struct {
	p       *program
	tmp     string
	tests   []*testBinary
	covered map[string][]block // that tests run, by file
	made    map[string]float64 // allocations in calls of the root, by "file:line" or "file:line called"
}

func (p *program) newVerifier() (*verifier, error) {
	tmp, err := os.MkdirTemp("", "arena-convert")
	if err != nil {
		return nil, err
	}
	v := &verifier{p: p, tmp: tmp, covered: map[string][]block{}, made: map[string]float64{}}
	return v, v.findTests()
}

func (v *verifier) close() { os.RemoveAll(v.tmp) }

// findTests finds the tests of packages that depend on the root's.
func (v *verifier) findTests() error {
	out, err := v.p.goCommand(slices.Concat([]string{"list", "-e", "-test", "-f", "{{.ImportPath}}\t{{.Dir}}\t{{join .Deps \"\\t\"}}"}, v.p.Patterns)...)
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		list := strings.Split(strings.TrimSpace(line), "\t")
		pkg, isTest := strings.CutSuffix(list[0], ".test")
		if isTest && slices.ContainsFunc(list[2:], func(dep string) bool {
			path, _, _ := strings.Cut(dep, " ") // as "path [of.test]"
			return path == v.p.root.pkg.PkgPath
		}) {
			v.tests = append(v.tests, &testBinary{pkg: pkg, dir: list[1]})
		}
	}
	return nil
}

// build builds all tests.
func (v *verifier) build(name string, flags ...string) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, t := range v.tests {
		group.Go(func() error {
			t.file = filepath.Join(v.tmp, fmt.Sprint(name, i, ".test"))
			_, err := v.p.goCommand(slices.Concat([]string{"test", "-c", "-vet=off", "-o", t.file}, flags, []string{t.pkg})...)
			if _, missing := os.Stat(t.file); err == nil && missing != nil {
				t.broken = true // it has no test files for this build
			}
			return err
		})
	}
	return group.Wait()
}

var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// run runs a test binary without the tests that failed before.
func (v *verifier) run(t *testBinary, env []string, flags ...string) ([]byte, error) {
	args := append([]string{"-test.paniconexit0", "-test.timeout=5m"}, flags...)
	if len(t.failed) > 0 {
		args = append(args, "-test.skip=^("+strings.Join(t.failed, "|")+")$")
	}
	cmd := exec.Command(t.file, args...)
	cmd.Dir, cmd.Env = t.dir, append(os.Environ(), append(env, "PWD="+t.dir)...)
	return cmd.CombinedOutput()
}

// before runs the tests of the original program. It records their failures, coverage and allocations.
func (v *verifier) before() error {
	if err := v.build("before", "-cover", "-coverpkg="+strings.Join(v.p.paths, ",")); err != nil {
		return fmt.Errorf("convert: the tests do not build as the program is: %w", err)
	}
	for i, t := range v.tests {
		if t.broken {
			continue
		}
		cover := filepath.Join(v.tmp, fmt.Sprint("cover", i))
		flags := []string{"-test.v", "-test.coverprofile=" + cover, "-test.memprofile=" + cover + ".mem", "-test.memprofilerate=1"}
		out, err := v.run(t, nil, flags...)
		if err != nil {
			for _, m := range failedTest.FindAllSubmatch(out, -1) {
				if !slices.Contains(t.failed, string(m[1])) {
					t.failed = append(t.failed, string(m[1]))
				}
			}
			if _, err := v.run(t, nil, flags...); err != nil {
				t.broken = true
				continue
			}
		}
		if err := errors.Join(v.readCoverage(cover), v.readAllocs(cover+".mem")); err != nil {
			return err
		}
	}
	return nil
}

// dirs returns the folders of the packages.
func (v *verifier) dirs() map[string]string {
	all := map[string]string{}
	for _, pkg := range v.p.pkgs {
		if len(pkg.GoFiles) > 0 {
			all[pkg.PkgPath] = filepath.Dir(pkg.GoFiles[0])
		}
	}
	return all
}

// readCoverage adds the code that tests run. Package cover of x/tools refuses profiles of files with line directives,
// because blocks of different sizes may have one position there.
func (v *verifier) readCoverage(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	dirs := v.dirs()
	for line := range strings.Lines(string(text)) {
		colon := max(strings.LastIndexByte(line, ':'), 0)
		var b block
		var statements, count int
		if n, _ := fmt.Sscanf(line[colon:], ":%d.%d,%d.%d %d %d", &b.fromLine, &b.fromCol, &b.toLine, &b.toCol, &statements, &count); n == 6 && count > 0 {
			name := line[:colon]
			name = filepath.Join(dirs[path.Dir(name)], path.Base(name))
			v.covered[name] = append(v.covered[name], b)
		}
	}
	return nil
}

// readAllocs adds the allocations in calls of the root, by the innermost line of the module.
func (v *verifier) readAllocs(file string) error {
	a, err := profile.ReadAllocs(file)
	if err != nil {
		return nil // no test allocates
	}
	dirs := v.dirs()
	plain := strings.NewReplacer("(*", "", ")", "")
	root := v.p.root.pkg.PkgPath + "." + name(v.p.root.obj)
	for _, x := range a.Stacks {
		at := slices.IndexFunc(x.Frames, func(f profile.Frame) bool {
			return v.p.src[f.File] != nil || slices.Contains(v.p.paths, catalog.PackageOf(f.Function)) // a line directive names another file
		})
		if at < 0 || !slices.ContainsFunc(x.Frames[at:], func(f profile.Frame) bool { return plain.Replace(f.Function) == root }) {
			continue
		}
		inner := x.Frames[at].File
		if !filepath.IsAbs(inner) { // of a line directive
			inner = filepath.Join(dirs[catalog.PackageOf(x.Frames[at].Function)], inner)
		}
		key := fmt.Sprintf("%s:%d", inner, x.Frames[at].Line)
		if at > 0 {
			key += " " + plain.Replace(x.Frames[at-1].Function)
		}
		v.made[key] += x.Objects
	}
	return nil
}

// leftover lists the allocations of a call of the root that stay, by reason. The profiler does not count most values of
// less than 16 bytes without pointers.
func (v *verifier) leftover(calls int) []Leftover {
	all := map[string]*Leftover{}
	group := func(why string) *Leftover {
		if all[why] == nil {
			all[why] = &Leftover{Why: why}
		}
		return all[why]
	}
	for why, places := range v.p.left {
		l := group(why)
		for _, at := range places {
			q := v.p.fset.Position(at)
			key := fmt.Sprintf("%s:%d", q.Filename, q.Line)
			l.Places++
			l.Allocs += v.made[key]
			delete(v.made, key)
		}
	}
	for _, f := range v.p.order {
		for _, s := range f.sites {
			if q := v.p.fset.Position(s.node.Pos()); f.threaded && v.p.dropped[s.node.Pos()] == "" {
				delete(v.made, fmt.Sprintf("%s:%d", q.Filename, q.Line))
			}
		}
	}
	for key, n := range v.made {
		at, called, _ := strings.Cut(key, " ")
		if arenaCalls[called] != "" || helpers[called].name != "" || n < float64(calls)/20 {
			continue
		}
		why := "the code at " + v.p.relative(at)
		if called != "" {
			why = "in " + called
		}
		l := group(why)
		l.Places++
		l.Allocs += n
	}
	var sorted []Leftover
	for _, l := range all {
		l.Allocs /= float64(max(calls, 1))
		sorted = append(sorted, *l)
	}
	slices.SortFunc(sorted, func(a, b Leftover) int {
		return cmp.Or(cmp.Compare(b.Allocs, a.Allocs), cmp.Compare(b.Places, a.Places), strings.Compare(a.Why, b.Why))
	})
	return sorted
}

// runs reports whether a test runs the code at a position.
func (v *verifier) runs(at token.Pos) bool {
	q := v.p.fset.Position(at) // profiles obey line directives, and know no columns then
	return slices.ContainsFunc(v.covered[q.Filename], func(b block) bool {
		return (b.fromLine < q.Line || b.fromLine == q.Line && b.fromCol <= q.Column) && (q.Line < b.toLine || q.Line == b.toLine && (q.Column <= b.toCol || b.toCol == 0))
	})
}

// dropUntested leaves the sites that no test runs, and reports how many.
func (v *verifier) dropUntested() (n int, err error) {
	first := v.p.root.decl.Body
	at := first.Lbrace + 1
	if len(first.List) > 0 {
		at = first.List[0].Pos()
	}
	if !v.runs(at) {
		return 0, fmt.Errorf("convert: nothing written: no test runs %s (-untested)", v.p.Root)
	}
	for _, f := range v.p.order {
		for _, s := range f.sites {
			if f.threaded && !v.runs(s.node.Pos()) {
				v.p.dropped[s.node.Pos()] = "no test runs it (-untested)"
				n++
			}
		}
	}
	return n, nil
}

// gateVariable selects what the root's wrapper does in the tests.
const gateVariable = "EBBPOOL_CONVERT_GATE"

// after runs the tests of the result: with a nil arena, and with an arena that ends with each call of the
// root.
func (v *verifier) after(files map[string][]byte) (r Verified, err error) {
	overlay, err := v.overlay(files)
	if err != nil {
		return r, err
	}
	if err := v.build("checked", "-tags=arenacheck", "-overlay="+overlay); err != nil {
		return r, fmt.Errorf("convert: nothing written: the tests do not build: %w", err)
	}
	for _, t := range v.tests {
		for _, name := range t.failed {
			r.FailedBefore = append(r.FailedBefore, t.pkg+"."+name)
		}
		if t.broken {
			r.FailedBefore = append(r.FailedBefore, t.pkg)
		}
	}
	for _, mode := range []string{"nil", "ended"} {
		if err := v.runAll(mode, nil); err != nil {
			return r, fmt.Errorf("convert: nothing written: the tests fail with %s: %w", modeText[mode], err)
		}
		r.Modes = append(r.Modes, modeText[mode])
	}
	return r, v.count(&r, overlay)
}

var modeText = map[string]string{"nil": "a nil arena", "ended": "an arena that ends with each call"}

func (v *verifier) runAll(mode string, env []string) error {
	for _, t := range v.tests {
		if t.broken {
			continue
		}
		if out, err := v.run(t, append([]string{gateVariable + "=" + mode}, env...)); err != nil {
			return fmt.Errorf("%s: %w\n%s", t.pkg, err, brieflyOf(out))
		}
	}
	return nil
}

// brieflyOf returns the beginning of a test's output.
func brieflyOf(out []byte) []byte {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(lines) > 40 {
		lines = append(lines[:40:40], []byte("..."))
	}
	return bytes.Join(lines, []byte("\n"))
}

// count counts the allocations of the root's calls in the tests, with a nil arena and with a warm one.
func (v *verifier) count(r *Verified, overlay string) error {
	if err := v.build("count", "-overlay="+overlay); err != nil {
		return err
	}
	for i, mode := range []string{"count-nil", "count"} {
		calls, allocs := 0, 0
		for k, t := range v.tests {
			if t.broken {
				continue
			}
			file := filepath.Join(v.tmp, fmt.Sprint(mode, k))
			if _, err := v.run(t, []string{gateVariable + "=" + mode, gateVariable + "_FILE=" + file}); err != nil {
				continue // it passed in a checked build; that it counts itself is no fault
			}
			text, err := os.ReadFile(file)
			if err != nil {
				continue
			}
			n, m := 0, 0
			fmt.Sscan(string(text), &n, &m)
			calls, allocs = calls+n, allocs+m
		}
		if i == 0 {
			r.Calls, r.Before = calls, allocs
		} else if calls == r.Calls {
			r.After = allocs
		} else {
			r.Calls = 0
		}
	}
	return nil
}

// overlay writes the changed files, in which the root's wrapper takes an arena, and returns the go command's file.
func (v *verifier) overlay(files map[string][]byte) (string, error) {
	root := v.p.position(v.p.root.decl.Pos()).Filename
	all := maps.Clone(files)
	gated, err := v.gate(files[root])
	if err != nil {
		return "", err
	}
	all[root] = gated
	helper := strings.NewReplacer("PACKAGE", v.p.root.pkg.Name, "VARIABLE", gateVariable, "MODULE", fmt.Sprintf("%q", v.p.paths)).Replace(gateFile)
	all[filepath.Join(filepath.Dir(root), "arena_convert_gate.go")] = []byte(helper)
	return v.writeOverlay("overlay.json", all)
}

// writeOverlay writes an overlay of the go command's.
func (v *verifier) writeOverlay(name string, files map[string][]byte) (string, error) {
	list := struct{ Replace map[string]string }{map[string]string{}}
	for file, text := range files {
		to := filepath.Join(v.tmp, name+strconv.Itoa(len(list.Replace))+".go")
		list.Replace[file] = to
		if err := os.WriteFile(to, text, 0o600); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return "", err
	}
	file := filepath.Join(v.tmp, name)
	return file, os.WriteFile(file, text, 0o600)
}

//go:embed gate.go.txt
var gateFile string

// gate rewrites the root's wrapper so that it calls the twin with the arena of the gate's mode. Results, and
// objects behind pointers to owned types, are copied out of the arena.
func (v *verifier) gate(text []byte) ([]byte, error) {
	root := v.p.root
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	source := func(from, to token.Pos) string { return string(text[from-file.FileStart : to-file.FileStart]) }
	for _, d := range file.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || d.Name.Name != root.obj.Name() || (d.Recv == nil) != (root.decl.Recv == nil) {
			continue
		}
		if d.Recv != nil && !strings.Contains(source(d.Recv.Pos(), d.Recv.End()), typeName(root.obj.Signature().Recv().Type())) {
			continue
		}
		from, to := d.Body.Lbrace+1, d.Body.Rbrace
		call := strings.TrimPrefix(strings.TrimSpace(source(from, to)), "return ")
		body := v.gateBody(d, strings.Replace(call, "(nil", "(gateA", 1))
		return slices.Concat(text[:from-file.FileStart], []byte(body), text[to-file.FileStart:]), nil
	}
	return nil, fmt.Errorf("convert: no wrapper of %s", root.obj.Name())
}

// gateBody returns the body of the root's wrapper in the tests, from a call of the twin with gateA.
func (v *verifier) gateBody(wrapper *ast.FuncDecl, call string) string {
	var results, copied, pointers []string
	for i := range v.p.root.obj.Signature().Results().Len() {
		results = append(results, fmt.Sprint("gate", i))
		copied = append(copied, fmt.Sprint("gateCopy", i)) // not the results: they would go to the heap
		pointers = append(pointers, fmt.Sprint("&gateCopy", i))
	}
	var params []*ast.Ident // with the receiver, as in the SSA form
	if wrapper.Recv != nil {
		params = append(params, wrapper.Recv.List[0].Names...)
	}
	for _, field := range wrapper.Type.Params.List {
		params = append(params, field.Names...)
	}
	for i, x := range v.p.root.ssa.Params {
		if q, ok := types.Unalias(x.Type()).(*types.Pointer); ok && v.p.isOwned(q.Elem()) {
			pointers = append(pointers, params[i].Name)
		}
	}
	list, copies := strings.Join(results, ", "), ""
	if list != "" {
		call = list + " := " + call
		copies = strings.Join(copied, ", ") + " := " + list
	}
	return strings.Join([]string{"", "gateA, gateEnd := gateGet()", "defer gateEnd()", "gateDone := gateCount()", call, "gateDone()",
		"if gateA == nil {", "return " + list, "}",
		copies, "gateCopy(" + strings.Join(pointers, ", ") + ")", "return " + strings.Join(copied, ", "), ""}, "\n")
}
