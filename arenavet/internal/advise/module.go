package advise

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/profile"
)

// Package is one of the packages that the patterns name.
type Package struct {
	ImportPath, Dir, Name string
	Module                *struct{ Path, GoVersion string }
}

// Own is the set of packages that the patterns name.
type Own struct {
	Dir      string // in which the patterns are resolved
	packages map[string]Package
	mains    []Package
}

// goCommand runs the go command in a folder.
func goCommand(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(errs.Bytes()))
	}
	return out, err
}

// LoadOwn finds the packages of the patterns.
func LoadOwn(dir string, patterns []string) (*Own, error) {
	out, err := goCommand(dir, append([]string{"list", "-e", "-json=ImportPath,Dir,Name,Module"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	o := &Own{Dir: dir, packages: map[string]Package{}}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p Package
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if p.Name == "" {
			continue // no such package
		}
		o.packages[p.ImportPath] = p
		if p.Name == "main" {
			o.mains = append(o.mains, p)
		}
	}
	if len(o.packages) == 0 {
		return nil, fmt.Errorf("%s: no packages", strings.Join(patterns, " "))
	}
	return o, nil
}

// Of returns the package of a frame, if it is one of the set.
func (o *Own) Of(f profile.Frame) (Package, bool) {
	path := profile.PackageOf(f.Function)
	if path != "main" {
		p, ok := o.packages[strings.TrimSuffix(path, "_test")]
		// An inlined function literal of a library has the caller's package.
		return p, ok && inFolder(p, f.File)
	}
	for _, p := range o.mains {
		if dir := filepath.Dir(f.File); dir == p.Dir || dir == p.ImportPath {
			return p, true
		}
	}
	return Package{}, false
}

// inFolder reports whether a file may belong to a package. A program built on another machine or with
// -trimpath has other folders. A grammar, and the parser that goyacc makes of it, have none.
func inFolder(p Package, file string) bool {
	if filepath.Base(file) == file {
		return true
	}
	folder, _, _ := strings.Cut(filepath.Base(filepath.Dir(file)), "@")
	return folder == filepath.Base(p.Dir) || folder == filepath.Base(p.ImportPath)
}

// first returns the index of the first frame of the set from the leaf, or -1.
func (o *Own) first(frames []profile.Frame) int {
	for i, f := range frames {
		if _, ok := o.Of(f); ok {
			return i
		}
	}
	return -1
}

// pathOf returns the file of a frame on this machine.
func pathOf(p Package, f profile.Frame) string { return filepath.Join(p.Dir, filepath.Base(f.File)) }
