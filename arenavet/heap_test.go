package arenavet

import (
	"fmt"
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

// TestHeapAdvice checks advice, and the fixes with golden files. Functions whose name begins with fine get no advice.
func TestHeapAdvice(t *testing.T) {
	withHeap(t)
	analysistest.RunWithSuggestedFixes(t, filepath.Join(analysistest.TestData(), "heap"), Analyzer, "./advice")
}

// tools returns the go command and the built analyzer.
func tools(t *testing.T) (goTool, tool string) {
	t.Helper()
	goTool, err := exec.LookPath("go")
	if testing.Short() {
		t.Skip("builds programs")
	} else if err != nil {
		t.Skip("SKIPPED: no go command")
	}
	tool = filepath.Join(t.TempDir(), "arenavet.exe")
	if out, err := runIn(".", goTool, "build", "-o", tool, "./cmd/arenavet"); err != nil {
		t.Fatalf("go build: %s", out)
	}
	return goTool, tool
}

func runIn(in, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = in
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// fixAll runs the tool with -fix until it has nothing more to write, because overlapping fixes are written one after
// another.
func fixAll(in, tool string, args ...string) {
	for range 4 {
		runIn(in, tool, args...)
	}
}

// TestConvertingGuide checks that the findings and fixes in the guide are the analyzer's.
func TestConvertingGuide(t *testing.T) {
	_, tool := tools(t)
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	guide := filepath.Join(root, "docs", "converting")
	page, err := os.ReadFile(filepath.Join(root, "docs", "convert.md"))
	if err != nil {
		t.Fatal(err)
	}
	out, _ := runIn(filepath.Join(root, "docs"), tool, "-heap", "./converting/field")
	var said strings.Builder
	for line := range strings.Lines(out) {
		_, line, _ = strings.Cut(line, "expr.go:")
		line, _, _ = strings.Cut(line, " (https://")
		said.WriteString("expr.go:" + line + "\n")
	}
	if !strings.Contains(string(page), "\n```\n"+said.String()+"```\n") || said.Len() < 500 {
		t.Errorf("the page does not say what arenavet says:\n%s", said.String())
	}

	dir := t.TempDir()
	source, err := os.ReadFile(filepath.Join(guide, "field", "expr.go"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"expr.go": string(source),
		"go.mod":  fmt.Sprintf("module example.com\n\ngo 1.25.0\n\nrequire github.com/ebbpool/arena v0.2.0\n\nreplace github.com/ebbpool/arena => %q\n", filepath.ToSlash(root)),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	fixAll(dir, tool, "-heap", "-fix", ".")
	body := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, code, _ := strings.Cut(string(text), "\nimport")
		return code
	}
	if got, want := body(filepath.Join(dir, "expr.go")), body(filepath.Join(guide, "fixed", "expr.go")); got != want {
		t.Errorf("-fix makes of docs/converting/field:\n%s\nand docs/converting/fixed has:\n%s", got, want)
	}
}

// TestHeapConvertsParser applies -heap -fix to a parser that has an arena and allocates on the heap. The result must
// compile, pass the parser's tests and leave at most a fifth of the advice: maps, functions without a counterpart, and
// appends to shared slices.
func TestHeapConvertsParser(t *testing.T) {
	goTool, tool := tools(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "heap"))); err != nil {
		t.Fatal(err)
	}
	advice := func() int {
		out, _ := runIn(dir, tool, "-test=false", "-heap", "./parser")
		return strings.Count(out, "arenavet.md#")
	}
	if out, err := runIn(dir, goTool, "test", "./parser"); err != nil {
		t.Fatalf("the parser's tests before: %s", out)
	}
	before := advice()
	if out, _ := runIn(dir, tool, "-test=false", "./parser"); strings.Contains(out, "arenavet.md#") {
		t.Errorf("without -heap it advises: %s", out)
	}
	fixAll(dir, tool, "-test=false", "-heap", "-fix", "./parser")
	if out, err := runIn(dir, goTool, "test", "./parser"); err != nil {
		t.Fatalf("the parser's tests after -fix: %s", out)
	}
	after := advice()
	t.Logf("%d advices, %d after -fix", before, after)
	if before < 100 || after > before/5 {
		t.Errorf("%d advices, and after -fix %d: want more than 100, and a fifth of them", before, after)
	}
}

// TestConvertedIsSeen checks that the rules know the functions that fixes write.
func TestConvertedIsSeen(t *testing.T) {
	analysistest.Run(t, filepath.Join(analysistest.TestData(), "heap"), Analyzer, "./made")
}
