package matrix

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ErrNoCpp tells that the C++ half can't be built here.
var ErrNoCpp = errors.New("the C++ half is not measured")

// CppTools says what is missing for the C++ half, nil if nothing is.
func CppTools(dir string) error {
	for _, tool := range []string{"cmake", "c++"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%w: there is no %s here", ErrNoCpp, tool)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "CMakePresets.json")); err != nil {
		return fmt.Errorf("%w: %s is not its folder", ErrNoCpp, dir)
	}
	return nil
}

// RunCpp builds the C++ benchmark in dir, runs it, and keeps its raw rows in
// the folder as they are. What it prints meanwhile goes to w. An error that is
// ErrNoCpp says what is missing.
func (f *Folder) RunCpp(ctx context.Context, dir string, w io.Writer) error {
	if err := CppTools(dir); err != nil {
		return err
	}
	var log bytes.Buffer
	for _, args := range [][]string{
		{"--preset", "release"},
		{"--build", "--preset", "release", "--target", "bench"},
	} {
		cmd := exec.CommandContext(ctx, "cmake", args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &log, &log
		if err := cmd.Run(); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("%w: cmake %s in %s failed: %s", ErrNoCpp, strings.Join(args, " "), dir, complaint(log.String()))
		}
	}
	// A run that is cut off leaves no half of a file.
	part, err := filepath.Abs(filepath.Join(f.Dir, CppFile+".part"))
	if err != nil {
		return err
	}
	defer os.Remove(part)
	effort := "--quick"
	if f.Environment.Settings.Full {
		effort = "--full"
	}
	bench := exec.CommandContext(ctx, "./build/release/bench", effort, "--csv", part)
	bench.Dir, bench.Stdout, bench.Stderr = dir, io.Discard, w
	if err := bench.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%w: the C++ benchmark failed: %w", ErrNoCpp, err)
	}
	if _, err := readCppFile(part); err != nil {
		return err
	}
	return os.Rename(part, filepath.Join(f.Dir, CppFile))
}

// complaint is the first line that tells of an error, else the last line.
func complaint(text string) string {
	last := ""
	for line := range strings.Lines(text) {
		last = strings.TrimSpace(line)
		if strings.Contains(last, "error:") || strings.Contains(last, "CMake Error") {
			break
		}
	}
	return firstLine(last)
}

// CppRow is one run of one C++ subject.
type CppRow struct {
	Workload, Touched string
	Size, Count       int // bytes of an object; capacity of the pool
	Subject           string
	Round             int
	NsPerCall         float64
}

var cppHead = []string{"workload", "touched", "size", "count", "subject", "round", "ns_per_call"}

// Cpp reads the folder's C++ rows; none if there is no such file.
func (f *Folder) Cpp() ([]CppRow, error) {
	rows, err := readCppFile(filepath.Join(f.Dir, CppFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return rows, err
}

func readCppFile(name string) ([]CppRow, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, err := ReadCpp(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rows, nil
}

// ReadCpp reads what the C++ benchmark writes with --csv.
func ReadCpp(r io.Reader) ([]CppRow, error) {
	records, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) == 0 || !slices.Equal(records[0], cppHead) {
		return nil, fmt.Errorf("the first line must be %q", strings.Join(cppHead, ","))
	}
	var rows []CppRow
	for i, rec := range records[1:] {
		row := CppRow{Workload: rec[0], Touched: rec[1], Subject: rec[4]}
		var errs [4]error
		row.Size, errs[0] = strconv.Atoi(rec[2])
		row.Count, errs[1] = strconv.Atoi(rec[3])
		row.Round, errs[2] = strconv.Atoi(rec[5])
		row.NsPerCall, errs[3] = strconv.ParseFloat(rec[6], 64)
		if err := errors.Join(errs[:]...); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}
