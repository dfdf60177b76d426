// Package others contains conversions by hand of other projects' modules, as descriptions of the changes,
// without their source. Each names a version and a root. Make downloads that version from the module proxy
// and applies the changes to a copy.
package others

import (
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

//go:embed *.txtar main.go.txt
var files embed.FS

// Module is one conversion. Each added function has the name of its original with "In" appended, and an arena
// as first parameter.
type Module struct {
	Name          string // name of its file
	What          string
	Path, Version string
	tests         []string // packages whose tests must pass
	program       string   // calls the root with an arena
	root          string
	convert       []string // flags and packages for "arena convert", without -root and -own
	edits         []edit
}

// Modules returns all modules by name.
func Modules() ([]Module, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var all []Module
	for _, f := range entries {
		name, ok := strings.CutSuffix(f.Name(), ".txtar")
		if !ok {
			continue
		}
		text, err := files.ReadFile(f.Name())
		if err != nil {
			return nil, err
		}
		m := Module{Name: name}
		if err := m.parse(string(text)); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		all = append(all, m)
	}
	return all, nil
}

// Root returns the function at which the conversion starts.
func (m Module) Root() string { return m.root }

// Converts reports whether "arena convert" is measured on the module.
func (m Module) Converts() bool { return len(m.convert) > 0 }

// parse parses a description: "key value" lines, then a section for each file, and the program.
func (m *Module) parse(text string) error {
	section := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if s, ok := strings.CutPrefix(trimmed, "-- "); ok {
			section = strings.TrimSuffix(s, " --")
			continue
		}
		if section == "main.go" {
			m.program += line
			continue
		}
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		if section != "" {
			e, err := parseEdit(section, strings.TrimSuffix(line, "\n"))
			if err != nil {
				return err
			}
			m.edits = append(m.edits, e)
			continue
		}
		key, value, _ := strings.Cut(trimmed, " ")
		switch key {
		case "what":
			m.What = value
		case "module":
			m.Path, m.Version, _ = strings.Cut(value, "@")
		case "test":
			m.tests = strings.Fields(value)
		case "root":
			m.root = value
		case "convert":
			m.convert = strings.Fields(value)
		default:
			return fmt.Errorf("unknown key %q", key)
		}
	}
	if m.What == "" || m.Version == "" || len(m.tests) == 0 || m.root == "" || m.program == "" || len(m.edits) == 0 {
		return fmt.Errorf("missing what, module, test, root, main.go or edits")
	}
	return nil
}

// Made is a conversion in its own directory.
type Made struct {
	Module
	dir, original, arena string // arena is the directory of package arena
}

// Make downloads the module and converts a copy in dir.
func (m Module) Make(dir, arena string) (*Made, error) {
	out, err := run(dir, "go", "mod", "download", "-json", m.Path+"@"+m.Version)
	if err != nil {
		return nil, err
	}
	var from struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &from); err != nil {
		return nil, err
	}
	c := &Made{m, dir, from.Dir, arena}
	if err := c.copy("module"); err != nil {
		return nil, err
	}
	if err := apply(c.folder("module"), m.edits); err != nil {
		return nil, err
	}
	for _, form := range []string{"plain", "arena"} {
		if err := c.build(form, "module"); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// copy copies the original and adds package arena as a requirement.
func (c *Made) copy(name string) error {
	copied := c.folder(name)
	if err := os.CopyFS(copied, os.DirFS(c.original)); err != nil {
		return err
	}
	if _, err := run(c.dir, "chmod", "-R", "u+w", copied); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(copied, "go.mod")); err != nil {
		if err := write(filepath.Join(copied, "go.mod"), "module "+c.Path+"\n\ngo 1.25.0\n"); err != nil {
			return err
		}
	}
	return c.require(copied)
}

var (
	suggested = regexp.MustCompile(`-own '([^']*)'`)
	carriers  = regexp.MustCompile(`-carry '([^']*)'`)
	summary   = regexp.MustCompile(`(?m)^(\d+) of (\d+) allocation sites? moved`)
)

// Convert converts another copy with "arena convert", whose program is tool, for a program of the form
// automatic. -own and -carry are as -suggest prints them. The result has passed the module's tests.
// Convert returns the number of allocation sites moved, the number of all sites, and the duration.
func (c *Made) Convert(tool string) (moved, sites int, took time.Duration, err error) {
	if err := c.copy("automatic"); err != nil {
		return 0, 0, 0, err
	}
	before := time.Now()
	flags := slices.Concat([]string{"-root", c.root}, c.convert)
	out, err := run(c.folder("automatic"), tool, slices.Concat([]string{"convert", "-suggest"}, flags)...)
	if err != nil {
		return 0, 0, 0, err
	}
	own := suggested.FindAllStringSubmatch(out, -1)
	args := []string{"convert", "-own", own[len(own)-1][1]}
	if carry := carriers.FindStringSubmatch(out); carry != nil {
		args = append(args, "-carry", carry[1])
	}
	out, err = run(c.folder("automatic"), tool, slices.Concat(args, flags)...)
	took = time.Since(before)
	if err != nil {
		return 0, 0, 0, err
	}
	if _, err := fmt.Sscan(strings.Join(summary.FindStringSubmatch(out)[1:], " "), &moved, &sites); err != nil {
		return 0, 0, 0, err
	}
	return moved, sites, took, c.build("automatic", "automatic")
}

func (c *Made) folder(name string) string { return filepath.Join(c.dir, name) }

// require adds package arena to a module.
func (c *Made) require(dir string) error {
	_, err := run(dir, "go", "mod", "edit", "-go=1.25.0", "-require=github.com/ebbpool/arena@v0.2.0", "-replace=github.com/ebbpool/arena="+c.arena)
	return err
}

var inArena = regexp.MustCompile(`In\(a(, |\))`)

// build builds the program that measures a form of the module in a directory. plain calls the root unchanged.
func (c *Made) build(form, module string) error {
	dir, program := c.Folder(form), c.program
	if form == "plain" {
		program = inArena.ReplaceAllStringFunc(program, func(s string) string { return "(" + strings.TrimPrefix(s[4:], ", ") })
	}
	common, err := files.ReadFile("main.go.txt")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{"request.go": program, "main.go": string(common), "go.mod": "module example.com/program\n"} {
		if err := write(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	if err := c.require(dir); err != nil {
		return err
	}
	edit := []string{"mod", "edit", "-require=" + c.Path + "@" + c.Version}
	if form != "plain" {
		edit = append(edit, "-replace="+c.Path+"="+c.folder(module))
	}
	if _, err := run(dir, "go", edit...); err != nil {
		return err
	}
	_, err = run(dir, "go", "build", "-o", c.Program(form), ".")
	return err
}

// Folder returns the source directory of a form's program.
func (c *Made) Folder(form string) string { return c.folder("program-" + form) }

// Program returns the path of a form's program.
func (c *Made) Program(form string) string { return c.folder(form + ".exe") }

// withArena matches calls with a nil arena, to pass an arena that is never reset instead.
var withArena = regexp.MustCompile(`In\(nil(, |\))`)

// Test runs the module's own tests with a nil arena and then, in a checked build, with an arena.
func (c *Made) Test() error {
	test := func(flags ...string) error {
		_, err := run(c.folder("module"), "go", append(append([]string{"test", "-count=1", "-vet=off"}, flags...), c.tests...)...)
		return err
	}
	if err := test(); err != nil {
		return fmt.Errorf("with a nil arena: %w", err)
	}
	n := 0
	for _, name := range c.changedFiles() {
		text, err := os.ReadFile(filepath.Join(c.folder("module"), name))
		if err != nil {
			return err
		}
		n += len(withArena.FindAll(text, -1))
		if err := write(filepath.Join(c.folder("module"), name), withArena.ReplaceAllString(string(text), "In(arena.NewArena(4096, 0)$1")); err != nil {
			return err
		}
	}
	if n == 0 {
		return fmt.Errorf("no function of %s passes a nil arena on", c.Path)
	}
	if err := test("-tags=arenacheck"); err != nil {
		return fmt.Errorf("with an arena: %w", err)
	}
	return nil
}

// Lines returns the number of lines of the module that were changed or added.
func (c *Made) Lines(changed func(plain, converted string) (int, error)) (n int, err error) {
	for _, name := range c.changedFiles() {
		k, err := changed(filepath.Join(c.original, name), filepath.Join(c.folder("module"), name))
		if err != nil {
			return 0, err
		}
		n += k
	}
	return n, nil
}

func (c *Made) changedFiles() (names []string) {
	for i, e := range c.edits {
		if i == 0 || e.file != c.edits[i-1].file {
			names = append(names, e.file)
		}
	}
	return names
}

func write(name, text string) error { return os.WriteFile(name, []byte(text), 0o644) }

func run(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out), nil
}
