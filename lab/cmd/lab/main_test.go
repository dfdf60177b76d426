package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/rounds"
	"github.com/ebbpool/arena/lab/workloads"
)

// lab runs a command line and returns its exit code and output.
func lab(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var b bytes.Buffer
	a := app()
	a.Writer, a.ErrWriter = &b, &b
	err := a.Run(t.Context(), append([]string{"lab"}, args...))
	if err == nil {
		return 0, b.String()
	}
	return code(err), b.String() + err.Error()
}

// Bad input gives exit code 2 and a line that names the error.
func TestBadInput(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.txt")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"nothing":                  "unknown command",
		"bench -rounds 0":          "-rounds 0",
		"bench -from " + empty:     "no benchmark result",
		"bench -from /nowhere":     "/nowhere",
		"matrix -only nothing":     "nothing",
		"matrix -subject tcmalloc": "tcmalloc",
		"matrix -build msan":       "msan",
		"keep nothing " + empty:    "unknown kind",
		"keep load " + empty:       "no benchmark result",
		"cpp":                      "missing COMPILER=PROGRAM",
		"cpp gcc":                  "COMPILER=PROGRAM",
		"report -figures " + empty: "figures",
		"json -no-such-flag":       "no-such-flag",
	} {
		got, said := lab(t, strings.Fields(line)...)
		if got != 2 || !strings.Contains(said, want) {
			t.Errorf("lab %s: exit code %d, %s", line, got, said)
		}
		if left, _ := filepath.Glob("results/*"); len(left) != 0 {
			t.Errorf("lab %s leaves %v", line, left)
		}
	}
}

// The C++ program builds the same trees as the matrix and is named like a subject of it.
func TestTreesOfCpp(t *testing.T) {
	program := filepath.Join(t.TempDir(), "trees")
	if out, err := compile(t.Context(), program, "../../workloads/pmr/trees.cpp"); err != nil {
		t.Skipf("SKIPPED: no compiler of C++17: %v\n%s", err, out)
	}
	out, err := exec.Command(program, "8").Output()
	if err != nil {
		t.Fatal(err)
	}
	m, err := rounds.Parse(bytes.NewReader(out), "trees")
	if err != nil {
		t.Fatal(err)
	}
	if sum := m.Values(matrix.Name("trees", 8, "std::pmr"), "checksum"); len(sum) != 1 || int(sum[0]) != workloads.TreeNodes(8) {
		t.Errorf("%v nodes, %d are wanted, from\n%s", sum, workloads.TreeNodes(8), out)
	}
}
