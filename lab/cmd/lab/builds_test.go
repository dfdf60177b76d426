package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/workloads"
)

// findings are those of a folder's plain build, by subject and variant.
func findings(t *testing.T, dir string) map[string]matrix.Finding {
	t.Helper()
	folder, err := matrix.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	all, err := folder.Misuse()
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]matrix.Finding{}
	for _, f := range all {
		m[f.Subject+", "+f.Variant+", "+f.Build] = f
	}
	return m
}

// The page says that use after free shows one life's data to another, and
// that the heap has no such thing. What a build with checks reports is not
// asserted: it is what the table is for.
func TestUseAfterFree(t *testing.T) {
	if testing.Short() {
		t.Skip("builds with the race detector")
	}
	dir := filepath.Join(t.TempDir(), "one")
	stdout, stderr, err := lab(t, "run", "-out", dir, "-cpp", "", "-rounds", "1", "-least", "1us", "-only", "grow",
		"-subjects", "heap,Arena,FixedPool,bytebump", "-builds", "race,cover")
	if err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	if !strings.Contains(stderr, "building the plain build") {
		t.Errorf("no line of progress in\n%s", stderr)
	}
	found := findings(t, dir)
	for what, want := range map[string]string{
		"heap, pointer, plain":      workloads.OwnValue,
		"heap, string, plain":       workloads.OwnValue,
		"heap, write, plain":        workloads.WritesOwn,
		"heap, goroutine, plain":    workloads.OwnValue,
		"heap, goroutine, race":     workloads.OwnValue,
		"Arena, slice, plain":       workloads.ReadsOther,
		"Arena, string, plain":      workloads.ReadsOther,
		"Arena, write, plain":       workloads.WritesOver,
		"FixedPool, pointer, plain": workloads.ReadsOther,
		"bytebump, pointer, plain":  workloads.ReadsOther,
		// The usual arena promises nothing, so that its race stays one.
		"bytebump, goroutine, race": "race reported",
	} {
		if got := found[what]; got.Outcome != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	if _, ok := found["FixedPool, string, plain"]; ok {
		t.Error("a pool of structs has strings")
	}
	if got := found["bytebump, goroutine, race"].Detail; !strings.Contains(got, "read at misuse.go:") || !strings.Contains(got, "write at misuse.go:") {
		t.Errorf("the race is reported as %q", got)
	}
	for what := range found {
		if strings.HasSuffix(what, ", cover") {
			t.Errorf("%s: coverage finds no misuse", what)
		}
	}
}

// A build of another Go is measured beside the plain one, and is kept and
// drawn under its name. The other Go is the real one, with a name of its own.
func TestAnotherGo(t *testing.T) {
	path, err := exec.LookPath("go")
	if err != nil {
		t.Skip("SKIPPED: ", err)
	}
	dir := t.TempDir()
	script := "#!/bin/sh\nif [ \"$1\" = version ]; then echo go version go1.99.0 linux/amd64; exit; fi\necho \"$1\" >> '" + dir + "/calls'\nexec '" + path + "' \"$@\"\n"
	other := filepath.Join(dir, "go99")
	if err := os.WriteFile(other, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "one")
	stdout, stderr, err := lab(t, "run", "-out", out, "-cpp", "", "-rounds", "1", "-least", "1us",
		"-only", "Slice,request,tree", "-subjects", "heap,Arena,bytebump", "-go", other)
	if err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	if calls, err := os.ReadFile(filepath.Join(dir, "calls")); err != nil || string(calls) != "build\n" {
		t.Errorf("the other go was called with %q, %v", calls, err)
	}
	folder, err := matrix.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	cells := map[matrix.Cell]string{}
	for _, r := range folder.Rows {
		if r.Build != "" {
			cells[r.Cell] = r.Status
		}
	}
	// Neither trees nor bytebump are in its short list.
	for _, c := range []matrix.Cell{{Workload: "Slice", N: 100, Subject: "heap"}, {Workload: "Slice", N: 100, Subject: "Arena"},
		{Workload: "request", N: 1000, Subject: "heap"}, {Workload: "request", N: 1000, Subject: "Arena"}} {
		c.Build = "go1.99.0"
		if cells[c] != matrix.OK {
			t.Errorf("%v: %q", c, cells[c])
		}
		delete(cells, c)
	}
	if len(cells) > 0 {
		t.Errorf("and %v", cells)
	}
	if _, _, err := lab(t, "report", "-dirty", "-from", out, "-out", filepath.Join(dir, "report")); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "report", "index.html"))
	if err != nil || !strings.Contains(string(page), "With another Go: go1.99.0") {
		t.Errorf("the page lacks it: %v", err)
	}
	if _, err := os.Stat(filepath.Join(out, matrix.MisuseFile)); err == nil {
		t.Error("the use-after-free program ran unasked")
	}
}

// fakeGo puts a go command into PATH that answers env and list, keeps its
// GOTOOLCHAIN when it is to build, and fails then.
func fakeGo(t *testing.T, setting, newest string) (toolchain string) {
	t.Helper()
	dir := t.TempDir()
	toolchain = filepath.Join(dir, "toolchain")
	script := fmt.Sprintf("#!/bin/sh\ncase $1 in\nenv) echo %s;;\nlist) echo %s;;\nbuild) echo $GOTOOLCHAIN >> '%s'; echo '# a/package'; echo 'x.go:1: no'; exit 1;;\nesac\n", setting, newest, toolchain)
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("GOTOOLCHAIN", "")
	return toolchain
}

// A toolchain's name is run through GOTOOLCHAIN. Where the machine says that Go is not
// to look for another by itself, the newest is not looked for.
func TestToolchains(t *testing.T) {
	withMeasurer(t, func(context.Context, matrix.Cell, time.Duration) (matrix.Result, error) {
		return matrix.Result{Status: matrix.OK, Checksum: 7, Values: []matrix.Value{{Metric: matrix.NsPerOp, Value: 1}}}, nil
	})
	for _, x := range []struct{ setting, newest, flag, note, asked string }{
		{"local", "1.99.0", "go1.98.0", "not measured with go1.98.0: go build: exit status 1: x.go:1: no", "go1.98.0"},
		{"local", "1.99.0", "newest", "not measured with the newest Go: GOTOOLCHAIN=local on this machine", ""},
		{"auto", "1.99.0", "go1.98.0", "not measured with go1.98.0: go build: exit status 1: x.go:1: no", "go1.98.0"},
		{"auto", "1.99.0", "newest", "not measured with go1.99.0: go build: exit status 1: x.go:1: no", "go1.99.0"},
		{"go1.97.0+path", "1.99.0", "go1.98.0", "not measured with go1.98.0: go build: exit status 1: x.go:1: no", "go1.98.0+path"},
	} {
		toolchain := fakeGo(t, x.setting, x.newest)
		dir := filepath.Join(t.TempDir(), "one")
		if _, stderr, err := lab(t, "run", "-out", dir, "-cpp", "", "-rounds", "1", "-only", "request", "-subjects", "heap", "-go", x.flag); err != nil {
			t.Fatalf("%v\n%s", err, stderr)
		}
		folder, err := matrix.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if notes := folder.Environment.Notes; !slices.Equal(notes, []string{x.note}) {
			t.Errorf("%s, %s: notes %q, want %q", x.setting, x.flag, notes, x.note)
		}
		asked, err := os.ReadFile(toolchain) // the plain build comes first
		if lines := strings.Split(string(asked), "\n"); err != nil || lines[0] != "" || lines[1] != x.asked {
			t.Errorf("%s, %s: builds with the toolchains %q, want %q", x.setting, x.flag, lines, x.asked)
		}
	}
}

func TestBadBuilds(t *testing.T) {
	for want, args := range map[string][]string{
		"-builds msan is unknown: there are race, asan, cover":            {"-builds", "race,msan"},
		"-go nothing-here is neither a go command nor a toolchain's name": {"-go", "nothing-here"},
		"-go /bin/true is no go command":                                  {"-go", "/bin/true"},
		"two builds of the name go1.99.0":                                 {"-go", "go1.99.0,go1.99.0"},
		"-builds and -resume exclude each other":                          {"-resume", "-builds", "race"},
	} {
		dir := filepath.Join(t.TempDir(), "one")
		_, _, err := lab(t, append([]string{"run", "-out", dir, "-only", "request"}, args...)...)
		if slices.Contains(args, "-resume") {
			_, _, err = lab(t, append([]string{"run", "-out", dir}, args...)...)
		}
		if code(err) != 2 || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", args, err)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%q: a folder was made", args)
		}
	}
}

// What the run keeps of its builds is all that going on needs.
func TestBuildsAreKept(t *testing.T) {
	text, err := json.Marshal(matrix.Settings{Builds: matrix.Builds(), Misuse: true})
	if err != nil {
		t.Fatal(err)
	}
	var s matrix.Settings
	if err := json.Unmarshal(text, &s); err != nil || !slices.EqualFunc(s.Builds, matrix.Builds(), func(a, b matrix.Build) bool {
		return fmt.Sprint(a) == fmt.Sprint(b)
	}) || len(s.Misuses()) == 0 {
		t.Errorf("%+v, %v", s, err)
	}
}
