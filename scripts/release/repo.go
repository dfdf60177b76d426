package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

const rootPath = "github.com/ebbpool/arena"

// repo is a checkout.
type repo struct {
	root    string
	version string // with its v
	modules []*module
}

// module is one go.mod of it.
type module struct {
	dir  string // from the root, with slashes
	file *modfile.File
	// commands says that go install can be asked for one of its packages.
	commands bool
}

func (m *module) path() string { return m.file.Module.Mod.Path }

func (m *module) tag(version string) string {
	if m.dir == "." {
		return version
	}
	return m.dir + "/" + version
}

// ours are the folders whose modules nobody requires: they measure, show and test.
var ours = regexp.MustCompile(`^(cpp|docs|lab(/.*)?|release|scripts|traces|examples/.*|adapters/routers|adapters/protobuf/(bench|others)|(.*/)?(internal|testdata)(/.*)?)$`)

func (r *repo) published() (list []*module) {
	for _, m := range r.modules {
		if !ours.MatchString(m.dir) {
			list = append(list, m)
		}
	}
	return list
}

var newest = regexp.MustCompile(`(?m)^## (\S+)`)

func read(root string) (*repo, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	r := &repo{root: root}
	changes, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return nil, err
	}
	found := newest.FindSubmatch(changes)
	if found == nil || !semver.IsValid("v"+string(found[1])) {
		return nil, fmt.Errorf("%s/CHANGELOG.md: its first section is not a version, as in \"## 1.2.3\": name the one that is to be released", root)
	}
	r.version = "v" + string(found[1])
	list, err := output(root, "git", "ls-files", "go.mod", "*/go.mod")
	if err != nil {
		return nil, err
	}
	for _, file := range strings.Fields(list) {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return nil, err
		}
		parsed, err := modfile.Parse(file, text, nil)
		if err != nil {
			return nil, err
		}
		m := &module{dir: filepath.ToSlash(filepath.Dir(file)), file: parsed}
		commands, err := output(root, "git", "ls-files", filepath.Join(m.dir, "cmd"))
		if err != nil {
			return nil, err
		}
		m.commands = commands != ""
		r.modules = append(r.modules, m)
	}
	return r, nil
}

// versions are the places that say the version, beside CHANGELOG.md.
var versions = map[string]*regexp.Regexp{
	"cpp/CMakeLists.txt":                     regexp.MustCompile(`project\(ebbpool VERSION (\S+)`),
	"cpp/packaging/vcpkg/ebbpool/vcpkg.json": regexp.MustCompile(`"version": "([^"]*)"`),
	"cpp/README.md":                          regexp.MustCompile("`ebbpool/([0-9.]+)`"),
}

// problems finds those that can be seen without running anything.
func (r *repo) problems() (list []error) {
	add := func(format string, args ...any) { list = append(list, fmt.Errorf("  "+format, args...)) }
	for file, at := range versions {
		text, err := os.ReadFile(filepath.Join(r.root, file))
		if err != nil {
			add("%w", err)
		} else if found := at.FindSubmatch(text); found == nil || "v"+string(found[1]) != r.version {
			add("%s says %q, CHANGELOG.md %s", file, found, r.version)
		}
	}
	for _, m := range r.modules {
		if m.dir == "." && len(m.file.Require) != 0 {
			add("go.mod requires %s: the root requires nothing", m.file.Require[0].Mod.Path)
		}
		if strings.Contains(m.dir, "testdata") {
			continue
		}
		for _, q := range m.file.Require {
			if q.Mod.Path == rootPath || strings.HasPrefix(q.Mod.Path, rootPath+"/") {
				if q.Mod.Version != r.version {
					add("%s/go.mod requires %s: want %s, what is released with it", m.dir, q.Mod, r.version)
				}
			}
		}
		for _, p := range m.file.Replace {
			// One that leads to its neighbour in the repository is for who works there;
			// who requires the module does not see it. With others he would build
			// something else than we do.
			want, err := filepath.Rel(filepath.Join(r.root, m.dir), filepath.Join(r.root, strings.TrimPrefix(strings.TrimPrefix(p.Old.Path, rootPath), "/")))
			if err != nil || !strings.HasPrefix(p.Old.Path, rootPath) || p.New.Version != "" || filepath.Clean(p.New.Path) != want {
				add("%s/go.mod replaces %s by %s: only modules of this repository may be replaced, by their folder", m.dir, p.Old.Path, p.New.Path)
			}
			if m.commands && !ours.MatchString(m.dir) {
				add("%s/go.mod replaces %s: go install refuses the commands of such a module", m.dir, p.Old.Path)
			}
		}
	}
	for file, says := range map[string]string{"LICENSE": "MIT License", "cpp/single/ebbpool.hpp": "MIT License"} {
		text, err := os.ReadFile(filepath.Join(r.root, file))
		if err != nil || !strings.Contains(string(text), says) {
			add("%s does not have the %s", file, says)
		}
	}
	return list
}

// tidy has the go command look for requirements that are missing or needless.
func (r *repo) tidy() error {
	var problems []error
	for _, m := range r.published() {
		if _, err := output(filepath.Join(r.root, m.dir), "go", "mod", "tidy", "-diff"); err != nil {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}
