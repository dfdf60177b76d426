package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebbpool/arena/lab/matrix"
)

// kept is a folder of results, of the given processor and commit.
func kept(t *testing.T, parent, processor, commit string) string {
	t.Helper()
	dir := filepath.Join(parent, processor+"-"+commit)
	name := filepath.Join(dir, matrix.EnvironmentFile)
	if err := os.CopyFS(dir, os.DirFS("../../report/testdata/small")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.NewReplacer("Test CPU 1", processor, "0123456789ab", commit).Replace(string(text)))
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Without the check a page could show what no commit has.
func TestReportRefusesUncommittedChanges(t *testing.T) {
	results, out, file := t.TempDir(), filepath.Join(t.TempDir(), "report"), filepath.Join(t.TempDir(), "numbers.md")
	const markers = "<!-- lab:begin -->\n<!-- lab:end -->\n"
	if err := os.WriteFile(file, []byte(markers), 0o644); err != nil {
		t.Fatal(err)
	}
	kept(t, results, "Intel Z", "abc-dirty")
	clean := kept(t, results, "AMD Y", "def")
	// The page is of the clean one, numbers.md of both.
	_, _, err := lab(t, "report", "-results", results, "-from", clean, "-out", out, "-page", file)
	if code(err) != 2 || !strings.Contains(err.Error(), "Intel Z, 2026-01-02") || !strings.Contains(err.Error(), "uncommitted changes (abc-dirty)") || !strings.Contains(err.Error(), "-dirty") {
		t.Fatalf("%v", err)
	}
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was drawn: %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != markers {
		t.Errorf("the page became %s%v", text, err)
	}
	if _, _, err := lab(t, "report", "-from", clean, "-out", out); err != nil {
		t.Error(err)
	}
	if _, _, err := lab(t, "report", "-dirty", "-results", results, "-from", filepath.Join(results, "Intel Z-abc-dirty"), "-out", out, "-page", file); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(out, "index.html")); err != nil || !strings.Contains(string(text), "abc-dirty") {
		t.Errorf("the page doesn't say that it is of uncommitted changes: %v", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if head := strings.Split(string(text), "\n")[1]; strings.Count(head, "ours") != 4 || strings.Index(head, "AMD Y, 2026-01-02: ours") > strings.Index(head, "Intel Z, 2026-01-02: ours") {
		t.Errorf("the processors are not side by side: %s", head)
	}
}

// What measuring writes is no other program; a changed source is.
func TestDirty(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: ", err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("a.go", "package a")
	write("docs/bench.csv", "x")
	write("lab/results/x/go.csv", "x")
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", "x"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	write("docs/bench.csv", "y")
	write("lab/results/x/go.csv", "y")
	if env := matrix.Here(matrix.Settings{}); env.Dirty() || env.Commit == "unknown" {
		t.Errorf("%s", env.Commit)
	}
	t.Chdir("docs") // the lab runs in a folder of its own
	write("../a.go", "package b")
	if env := matrix.Here(matrix.Settings{}); !env.Dirty() {
		t.Errorf("%s", env.Commit)
	}
}
