package convert

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// module is the go command's description of one.
type module struct {
	Path, Version, Dir string
	Replace            *module
}

// modfile is the go.mod that has the copy in the module's place.
const modfile = "arena.mod"

// Dependency is a copy of a module, beside the program that needs it.
type Dependency struct {
	module
	program string
	Copy    string
}

// CopyOf copies a module that the program in a folder needs, to be converted there: the version
// that it builds with. An older copy is not touched.
func CopyOf(dir, path string) (*Dependency, error) {
	d := &Dependency{}
	var err error
	if d.program, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	of, err := moduleOf(d.program, path)
	if err != nil {
		return nil, err
	}
	arena, err := moduleOf(d.program, catalog.ArenaPath)
	if err != nil {
		return nil, err
	}
	d.module, d.Copy = *of, filepath.Join(d.program, "arenadep", filepath.FromSlash(path)+"@"+of.Version)
	if _, err := os.Stat(d.Copy); err == nil {
		return nil, fmt.Errorf("convert: -dep %s: %s is there already: remove it, and %s, to convert again", path, d.Copy, modfile)
	}
	if err := os.CopyFS(d.Copy, os.DirFS(of.Dir)); err != nil {
		return nil, errors.Join(err, d.Remove())
	}
	if err := d.prepare(arena); err != nil {
		return nil, errors.Join(fmt.Errorf("convert: -dep %s: %w", path, err), d.Remove())
	}
	return d, nil
}

// prepare makes the copy's files writable, and lets it require package arena.
func (d *Dependency) prepare(arena *module) error {
	err := filepath.WalkDir(d.Copy, func(name string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if e.IsDir() {
			mode = 0o755
		}
		return os.Chmod(name, mode)
	})
	if err != nil {
		return err
	}
	mod := filepath.Join(d.Copy, "go.mod")
	if _, err := os.Stat(mod); err != nil {
		if err := os.WriteFile(mod, []byte("module "+d.Path+"\n"), 0o644); err != nil {
			return err
		}
	}
	if arena.Replace != nil {
		if _, err := goCommand(d.Copy, "mod", "edit", "-replace="+arena.Path+"="+arena.Dir); err != nil {
			return err
		}
	}
	_, err = goCommand(d.Copy, "get", arena.Path+"@"+arena.Version)
	return err
}

// Remove takes the copy away.
func (d *Dependency) Remove() error {
	err := os.RemoveAll(d.Copy)
	for dir := filepath.Dir(d.Copy); err == nil && dir != d.program; dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil {
			break // another copy lies there
		}
	}
	return err
}

// Use writes the file for -modfile, and builds the program with it.
func (d *Dependency) Use() error {
	for from, to := range map[string]string{"go.mod": modfile, "go.sum": strings.TrimSuffix(modfile, ".mod") + ".sum"} {
		text, err := os.ReadFile(filepath.Join(d.program, from))
		if err != nil && !(from == "go.sum" && errors.Is(err, os.ErrNotExist)) {
			return err
		}
		if err := os.WriteFile(filepath.Join(d.program, to), text, 0o644); err != nil {
			return err
		}
	}
	rel, err := filepath.Rel(d.program, d.Copy)
	if err != nil {
		return err
	}
	if _, err := goCommand(d.program, "mod", "edit", "-replace="+d.Path+"@"+d.Version+"=./"+filepath.ToSlash(rel), "-dropreplace="+d.Path, modfile); err != nil {
		return err
	}
	_, err = goCommand(d.program, "build", "-modfile="+modfile, "./...")
	return err
}

func moduleOf(dir, path string) (*module, error) {
	out, err := goCommand(dir, "list", "-m", "-json", path)
	if err != nil {
		return nil, fmt.Errorf("convert: %s: %w", path, err)
	}
	m := &module{}
	if err := json.Unmarshal([]byte(out), m); err != nil {
		return nil, err
	}
	if m.Dir == "" || m.Version == "" {
		return nil, fmt.Errorf("convert: %s is no module that %s depends on, or is not downloaded: go mod download %s", path, dir, path)
	}
	return m, nil
}
