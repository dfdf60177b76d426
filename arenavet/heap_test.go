package arenavet

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

func withHeap(t *testing.T) {
	if err := Analyzer.Flags.Set("heap", "true"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { Analyzer.Flags.Set("heap", "false") })
}

// What the fixes make of it is in advice.go.golden; functions whose name begins
// with fine are not advised.
func TestHeapAdvice(t *testing.T) {
	withHeap(t)
	analysistest.RunWithSuggestedFixes(t, filepath.Join(analysistest.TestData(), "heap"), Analyzer, "./advice")
}

// A parser that has an arena at hand and makes everything on the heap: what -heap
// writes into it compiles, passes the parser's own tests, and leaves only the maps,
// whose operations are others in an arena. Without the fixes' care for where they
// meet, as in a sum within a literal within an append, it does not compile.
func TestHeapConvertsParser(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil || testing.Short() {
		t.Skip("needs the go command")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "heap"))); err != nil {
		t.Fatal(err)
	}
	tool := filepath.Join(t.TempDir(), "arenavet.exe")
	run := func(in, name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir = in
		cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run(".", goTool, "build", "-o", tool, "./cmd/arenavet"); err != nil {
		t.Fatalf("go build: %s", out)
	}
	advice := func() (all, maps int) {
		out, _ := run(dir, tool, "-test=false", "-heap", "./parser")
		return strings.Count(out, "arenavet.md#"), strings.Count(out, "map on the heap")
	}
	if out, err := run(dir, goTool, "test", "./parser"); err != nil {
		t.Fatalf("the parser's tests before: %s", out)
	}
	before, _ := advice()
	if out, _ := run(dir, tool, "-test=false", "./parser"); strings.Contains(out, "arenavet.md#") {
		t.Errorf("without -heap it advises: %s", out)
	}
	run(dir, tool, "-test=false", "-heap", "-fix", "./parser")
	if out, err := run(dir, goTool, "test", "./parser"); err != nil {
		t.Fatalf("the parser's tests after -fix: %s", out)
	}
	after, maps := advice()
	t.Logf("%d advices, %d after -fix", before, after)
	if before < 60 || after != maps || maps != 2 {
		t.Errorf("%d advices, and after -fix %d, %d of them about maps: want more than 60, and 2 about maps", before, after, maps)
	}
}

// What the functions return that the fixes write is memory of the arena for the
// other rules.
func TestConvertedIsSeen(t *testing.T) {
	analysistest.Run(t, filepath.Join(analysistest.TestData(), "heap"), Analyzer, "./made")
}
