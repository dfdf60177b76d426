package matrix

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ebbpool/arena/lab/results"
)

// Format is the version of what a results folder holds. Folders of another
// version are refused: their columns mean something else.
const Format = 2

// Files of a results folder.
const (
	EnvironmentFile = "environment.json"
	GoFile          = "go.csv"
	// StressPrefix begins the names of the stress test's tables; the number of
	// live objects follows.
	StressPrefix = "stress-"
	// TimelinePrefix begins the names of the courses of those runs.
	TimelinePrefix = "timeline-"
)

// Folder is a results folder: an environment and the raw rows.
type Folder struct {
	Dir         string
	Environment Environment
	Rows        []Row
}

// Create makes a folder that must not exist, or be empty.
func Create(dir string, env Environment) (*Folder, error) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("%s has something in it: choose another folder, or go on with -resume", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	f := &Folder{Dir: dir, Environment: env}
	if err := f.SaveEnvironment(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := WriteRows(&b, nil, true); err != nil {
		return nil, err
	}
	return f, os.WriteFile(filepath.Join(dir, GoFile), b.Bytes(), 0o644)
}

// SaveEnvironment writes the environment anew, all of it or nothing.
func (f *Folder) SaveEnvironment() error {
	f.Environment.Format = Format
	text, err := json.MarshalIndent(f.Environment, "", "  ")
	if err != nil {
		return err
	}
	name := filepath.Join(f.Dir, EnvironmentFile)
	if err := os.WriteFile(name+".new", append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// ReadEnvironment reads what a folder says of its machine and build.
func ReadEnvironment(dir string) (env Environment, err error) {
	name := filepath.Join(dir, EnvironmentFile)
	text, err := os.ReadFile(name)
	if err != nil {
		return env, fmt.Errorf("%s is no results folder: %w", dir, err)
	}
	if err := json.Unmarshal(text, &env); err != nil {
		return env, fmt.Errorf("%s: %w", name, err)
	}
	if env.Format != Format {
		return env, fmt.Errorf("%s is a results folder of version %d; this lab reads version %d", dir, env.Format, Format)
	}
	return env, nil
}

// Open reads a folder. Rows are as they were measured; see Judge.
func Open(dir string) (*Folder, error) {
	env, err := ReadEnvironment(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{Dir: dir, Environment: env}
	name := filepath.Join(dir, GoFile)
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if f.Rows, err = ReadRows(bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// Repair drops a last line that a killed run did not end, and with it the
// measurement before it, which it may belong to. Whole files stay as they are.
func Repair(dir string) error {
	name := filepath.Join(dir, GoFile)
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	end := bytes.LastIndexByte(text, '\n') + 1
	if end == len(text) {
		return nil
	}
	rows, err := ReadRows(bytes.NewReader(text[:end]))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(rows) > 0 {
		last := Step{rows[len(rows)-1].Cell, rows[len(rows)-1].Round}
		rows = slices.DeleteFunc(rows, func(r Row) bool { return Step{r.Cell, r.Round} == last })
	}
	var b bytes.Buffer
	if err := WriteRows(&b, rows, true); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

// add appends a measurement's rows in one write.
func (f *Folder) add(rows []Row) (err error) {
	var b bytes.Buffer
	if err := WriteRows(&b, rows, false); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(f.Dir, GoFile), os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(b.Bytes()); err != nil {
		return err
	}
	f.Rows = append(f.Rows, rows...)
	return nil
}

// Newest returns the results folder in dir that was begun last, of any
// version.
func Newest(dir string) (string, error) {
	all, err := begun(dir)
	if err != nil {
		return "", err
	}
	return all[len(all)-1].dir, nil
}

// NewestOfEach returns, for each maker of processors, the results folder in dir that
// was begun last on one of its processors; ordered by maker.
func NewestOfEach(dir string) ([]string, error) {
	all, err := begun(dir)
	if err != nil {
		return nil, err
	}
	byMaker := map[string]string{}
	for _, f := range all {
		byMaker[results.Maker(f.CPU)] = f.dir
	}
	var dirs []string
	for _, maker := range slices.Sorted(maps.Keys(byMaker)) {
		dirs = append(dirs, byMaker[maker])
	}
	return dirs, nil
}

type begunFolder struct{ dir, Begun, CPU string }

// begun are the results folders in dir, the newest last.
func begun(dir string) ([]begunFolder, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*", EnvironmentFile))
	if err != nil {
		return nil, err
	}
	var all []begunFolder
	for _, name := range names {
		f := begunFolder{dir: filepath.Dir(name)}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &f); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, f)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no results folder: lab run makes one", dir)
	}
	slices.SortStableFunc(all, func(a, b begunFolder) int { return strings.Compare(a.Begun, b.Begun) })
	return all, nil
}
