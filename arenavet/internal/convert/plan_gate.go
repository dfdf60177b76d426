package convert

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// gateVariable has the name of a mode of the gate, where the tests run.
const gateVariable = "EBBPOOL_CONVERT_GATE"

// test runs the program's tests on the result: with nil arenas, with an arena for each call of
// the root, and with one that ends with the call, so that what was kept of it is found by a
// checked build. They are built once: linking takes longer than most of them run.
func (p *plan) test(fixes edits) (lines []string, err error) {
	files, err := p.result(fixes, gated)
	if err != nil {
		return nil, err
	}
	d := p.decls[p.root]
	files[filepath.Join(filepath.Dir(p.fset.File(d.file.Pos()).Name()), "arena_gate_of_convert.go")] =
		fmt.Appendf(nil, "package %s\n\nimport \"os\"\n\nvar arenaGate = os.Getenv(%q)\n", d.pkg.Name, gateVariable)
	dir, err := os.MkdirTemp("", "arena-convert")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	tests, err := p.buildTests(dir, files)
	if err == nil && len(tests) == 0 {
		return []string{"no test runs what is changed"}, nil
	}
	modes := []mode{noArena, live}
	if len(p.into) == 0 {
		modes = append(modes, ended)
	}
	for _, m := range modes {
		if err == nil {
			err = runTests(tests, m)
		}
		if err != nil && m == ended {
			if _, where, ok := strings.Cut(err.Error(), "panic: arena: "); ok && strings.HasPrefix(where, "Escape[") {
				// Heap that leads into the arena: no fault, but what is returned can't be copied.
				where, _, _ = strings.Cut(where, "\n")
				return append(lines, "the tests could not be run with "+m.name+": part of what it returns is on the heap, and leads into the arena: "+where), nil
			}
		}
		if err != nil && m == noArena {
			if _, before := goCommand(p.dir, append([]string{"test", "-vet=off", "-count=1"}, p.patterns...)...); before != nil {
				return lines, fmt.Errorf("convert: nothing is written: the tests do not pass as the program is: %w", before)
			}
		}
		if err != nil {
			return lines, fmt.Errorf("convert: nothing is written: the tests do not pass with %s: %w", m.name, err)
		}
		lines = append(lines, "the tests pass with "+m.name)
	}
	return lines, nil
}

// built is a package's tests.
type built struct{ pkg, dir, file string }

// buildTests builds the tests that lead to one of some files, which have other texts, with checks.
func (p *program) buildTests(dir string, files map[string][]byte) ([]built, error) {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range goFiles(files) {
		file := filepath.Join(dir, strconv.Itoa(len(overlay.Replace))+".go")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return nil, err
		}
		overlay.Replace[name] = file
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	flags := []string{"-tags", "arenacheck", "-overlay", file}
	tests, shared, err := p.testsOf(dir, slices.Collect(maps.Keys(files)), flags)
	if err != nil {
		return nil, err
	}
	if len(shared) > 0 {
		if _, err := goCommand(p.dir, slices.Concat([]string{"build"}, flags, shared)...); err != nil {
			return nil, err
		}
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, t := range tests {
		group.Go(func() error {
			_, err := goCommand(p.dir, slices.Concat([]string{"test", "-c", "-vet=off", "-o", t.file}, flags, []string{t.pkg})...)
			return err
		})
	}
	return tests, group.Wait()
}

// testsOf are the tests of packages that have one of the files, or that need such a package; and what
// several of them need, so that it is to be compiled before. A test of a package's own has another form
// of that package, so that one test alone shares nothing.
func (p *program) testsOf(dir string, files, flags []string) (tests []built, shared []string, err error) {
	changed, users := map[string]bool{}, map[string]int{}
	for _, pkg := range p.pkgs {
		changed[pkg.PkgPath] = slices.ContainsFunc(pkg.CompiledGoFiles, func(name string) bool { return slices.Contains(files, name) })
	}
	out, err := goCommand(p.dir, slices.Concat([]string{"list", "-test", "-f", "{{.ImportPath}}\t{{.Dir}}\t{{join .Deps \"\\t\"}}"}, flags, p.patterns)...)
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.Lines(out) {
		list := strings.Split(strings.TrimSpace(line), "\t")
		pkg, isTest := strings.CutSuffix(list[0], ".test")
		if isTest && slices.ContainsFunc(list[2:], func(dep string) bool {
			path, _, _ := strings.Cut(dep, " ") // as "path [of.test]"
			return changed[path]
		}) {
			tests = append(tests, built{pkg, list[1], filepath.Join(dir, strconv.Itoa(len(tests))+".test.exe")})
			for _, dep := range list[2:] {
				if _, own := changed[dep]; own || dep == catalog.ArenaPath {
					if users[dep]++; users[dep] == 2 {
						shared = append(shared, dep)
					}
				}
			}
		}
	}
	return tests, shared, nil
}

// runTests runs tests as the go command does.
func runTests(tests []built, m mode) error {
	errs := make([]error, len(tests))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, t := range tests {
		group.Go(func() error {
			cmd := exec.Command(t.file, "-test.paniconexit0", "-test.timeout=10m")
			cmd.Dir, cmd.Env = t.dir, append(os.Environ(), "PWD="+t.dir, gateVariable+"="+m.value)
			if out, err := cmd.CombinedOutput(); err != nil {
				errs[i] = fmt.Errorf("%s: %w\n%s", t.pkg, err, bytes.TrimSpace(out))
			}
			return nil
		})
	}
	return errors.Join(append(errs, group.Wait())...)
}
