package matrix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ErrNoCpp tells that the C++ half can't be built here.
var ErrNoCpp = errors.New("the C++ half is not measured")

// Compilers that the C++ half is measured with, in the order of the report.
var Compilers = []string{"gcc", "clang"}

// CppFile and LatencyFile are the files of a results folder that have what the
// C++ benchmark of a compiler measured.
func CppFile(compiler string) string { return "cpp-" + compiler + ".csv" }

// LatencyFile has the percentiles.
func LatencyFile(compiler string) string { return "cpp-" + compiler + "-latencies.csv" }

// CppBuild is a way to build the C++ benchmark.
type CppBuild struct {
	Compiler  string // one of Compilers
	Preset    string // of cpp/CMakePresets.json
	Configure []string
}

// CppBuilds are those that this machine has the tools for, and a sentence for
// each compiler that is missing. Without any it is an error that is ErrNoCpp.
func CppBuilds(dir string) (builds []CppBuild, missing []string, err error) {
	if _, err := exec.LookPath("cmake"); err != nil {
		return nil, nil, fmt.Errorf("%w: there is no cmake here", ErrNoCpp)
	}
	if _, err := os.Stat(filepath.Join(dir, "CMakePresets.json")); err != nil {
		return nil, nil, fmt.Errorf("%w: %s is not its folder", ErrNoCpp, dir)
	}
	if _, err := exec.LookPath(cxx()); err != nil {
		missing = append(missing, fmt.Sprintf("%v with gcc: there is no %s here", ErrNoCpp, cxx()))
	} else if strings.Contains(line(cxx(), "--version"), "clang") {
		missing = append(missing, fmt.Sprintf("%v with gcc: %s is clang here", ErrNoCpp, cxx()))
		return []CppBuild{{"clang", "release", nil}}, missing, nil
	} else {
		builds = append(builds, CppBuild{"gcc", "release", nil})
	}
	if clang := newestClang(); clang == "" {
		missing = append(missing, fmt.Sprintf("%v with clang: there is no clang++ 14 or newer here", ErrNoCpp))
	} else {
		builds = append(builds, CppBuild{"clang", "clang", []string{"-DCMAKE_CXX_COMPILER=" + clang}})
	}
	if len(builds) == 0 {
		return nil, nil, fmt.Errorf("%w: there is neither %s nor clang++ 14 or newer here", ErrNoCpp, cxx())
	}
	return builds, missing, nil
}

// cxx is the compiler that CMake takes when it is told of none.
func cxx() string {
	if name := os.Getenv("CXX"); name != "" {
		return name
	}
	return "c++"
}

// leastClang is the oldest that the C++ half is tested with.
const leastClang = 14

var clangVersion = regexp.MustCompile(`version (\d+)`)

// newestClang is the command of a clang that is new enough, "" if there is
// none. Distributions install it with and without the version in the name.
func newestClang() string {
	names := []string{"clang++"}
	for v := 21; v >= leastClang; v-- {
		names = append(names, fmt.Sprintf("clang++-%d", v))
	}
	for _, name := range names {
		if m := clangVersion.FindStringSubmatch(line(name, "--version")); m != nil {
			if v, err := strconv.Atoi(m[1]); err == nil && v >= leastClang {
				return name
			}
		}
	}
	return ""
}

// RunCpp builds the C++ benchmark in dir with each compiler that is here, all
// at once, runs one after the other, and keeps their raw rows in the folder as
// they are. What the folder has already is not made again. Each of the notes
// is a sentence on what was not measured; an error that is ErrNoCpp says why
// nothing was.
func (f *Folder) RunCpp(ctx context.Context, dir string, progress func(done, total int, what string)) (notes []string, err error) {
	builds, notes, err := CppBuilds(dir)
	if err != nil {
		return nil, err
	}
	builds = slices.DeleteFunc(builds, func(b CppBuild) bool {
		_, err := os.Stat(filepath.Join(f.Dir, CppFile(b.Compiler)))
		return err == nil
	})
	for i, err := range buildAll(ctx, dir, builds) {
		if ctx.Err() != nil {
			return notes, ctx.Err()
		}
		if err != nil {
			notes = append(notes, err.Error())
			builds[i].Compiler = ""
		}
	}
	builds = slices.DeleteFunc(builds, func(b CppBuild) bool { return b.Compiler == "" })
	for i, b := range builds {
		said, err := f.runCpp(ctx, dir, b, func(done, total int, what string) {
			progress(i*total+done, len(builds)*total, b.Compiler+": "+what)
		})
		if errors.Is(err, ErrNoCpp) {
			said, err = append(said, err.Error()), nil
		}
		for _, s := range said {
			if !slices.Contains(notes, s) { // the other compiler's run may have said it
				notes = append(notes, s)
			}
		}
		if err != nil {
			return notes, err
		}
	}
	return notes, nil
}

// buildAll builds at the same time, and answers for each.
func buildAll(ctx context.Context, dir string, builds []CppBuild) []error {
	errs := make([]error, len(builds))
	var wait sync.WaitGroup
	for i, b := range builds {
		wait.Go(func() { errs[i] = b.build(ctx, dir, max(1, runtime.NumCPU()/len(builds))) })
	}
	wait.Wait()
	return errs
}

func (b CppBuild) build(ctx context.Context, dir string, jobs int) error {
	for _, args := range [][]string{
		append([]string{"--preset", b.Preset}, b.Configure...),
		{"--build", "--preset", b.Preset, "--target", "bench", "--parallel", strconv.Itoa(jobs)},
	} {
		var log bytes.Buffer
		cmd := exec.CommandContext(ctx, "cmake", args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &log, &log
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%w with %s: cmake %s in %s failed: %s", ErrNoCpp, b.Compiler, strings.Join(args, " "), dir, complaint(log.String()))
		}
	}
	return nil
}

// runCpp runs a benchmark that is built, and returns what it says it left out.
func (f *Folder) runCpp(ctx context.Context, dir string, b CppBuild, progress func(done, total int, what string)) ([]string, error) {
	// A run that is cut off leaves no half of a file.
	rows, err := filepath.Abs(filepath.Join(f.Dir, CppFile(b.Compiler)))
	if err != nil {
		return nil, err
	}
	latencies := filepath.Join(filepath.Dir(rows), LatencyFile(b.Compiler))
	const part = ".part"
	defer os.Remove(rows + part)
	defer os.Remove(latencies + part)
	args := []string{"--quick"}
	if f.Environment.Settings.Full {
		args = []string{"--full", "--read"}
	}
	args = append(args, "--csv", rows+part, "--latencies", latencies+part)
	bench := exec.CommandContext(ctx, "./build/"+b.Preset+"/bench", args...)
	var out bytes.Buffer
	steps := &stepReader{progress: progress}
	bench.Dir, bench.Stdout, bench.Stderr = dir, &out, steps
	if err := bench.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%w with %s: the benchmark failed (%w): %s", ErrNoCpp, b.Compiler, err, steps.last())
	}
	if _, err := readCppFile(rows + part); err != nil {
		return nil, err
	}
	if _, err := readLatencyFile(latencies + part); err != nil {
		return nil, err
	}
	// The rows last: where they are, the run is whole.
	return leftOut(out.String()), errors.Join(os.Rename(latencies+part, latencies), os.Rename(rows+part, rows))
}

// leftOut are the lines in which the benchmark says what it doesn't measure.
func leftOut(text string) (notes []string) {
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if what, ok := strings.CutPrefix(l, "not here "); ok {
			notes = append(notes, "C++: "+strings.TrimSpace(what)+" is not here")
		} else if what, ok := strings.CutPrefix(l, "left out "); ok {
			notes = append(notes, "C++: "+strings.TrimSpace(what))
		}
	}
	return notes
}

// stepReader reads what the benchmark writes to stderr: its steps, in a line
// that is written over and over, and complaints.
type stepReader struct {
	progress func(done, total int, what string)
	line     []byte
	said     string
}

var step = regexp.MustCompile(`^(\d+) of (\d+) steps: (.*)$`)

func (s *stepReader) Write(p []byte) (int, error) {
	for _, c := range p {
		if c != '\r' && c != '\n' {
			s.line = append(s.line, c)
			continue
		}
		s.end()
	}
	return len(p), nil
}

func (s *stepReader) end() {
	text := strings.TrimSpace(string(s.line))
	s.line = s.line[:0]
	if m := step.FindStringSubmatch(text); m != nil {
		done, _ := strconv.Atoi(m[1]) // digits, by the pattern
		total, _ := strconv.Atoi(m[2])
		s.progress(done, total, m[3])
	} else if text != "" {
		s.said = text
	}
}

// last is the last line that was no step.
func (s *stepReader) last() string {
	s.end()
	return firstLine(s.said)
}

// folders are those that a name of a file begins with when it is whole. Results are kept
// and shown to others, who have not these folders.
var folders = regexp.MustCompile(`(^|[\s"'(=])/(?:[^\s"':/]+/)+`)

// complaint is the first line that tells of an error, else the last line, with the names of
// files only.
func complaint(text string) string {
	last := ""
	for line := range strings.Lines(text) {
		last = strings.TrimSpace(line)
		if strings.Contains(last, "error:") || strings.Contains(last, "CMake Error") {
			break
		}
	}
	return firstLine(folders.ReplaceAllString(last, "$1"))
}
