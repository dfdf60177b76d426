package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// make test-all must run what make test has not passed just so: else a part is counted as
// passed that nobody has run on these files.
func TestBefore(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "_build/test"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		p    part
		of   string // the state when it is asked for; it ran in "s"
		want bool
	}{
		"passed":       {part{counts: counts{passed: 3, skipped: 1}}, "s", true},
		"failed":       {part{counts: counts{passed: 3, failed: 1}}, "s", false},
		"lacked":       {part{counts: counts{passed: 3, skipped: 1}, missing: []string{"no PostgreSQL"}}, "s", false},
		"other files":  {part{counts: counts{passed: 3}}, "t", false},
		"unknown then": {part{counts: counts{passed: 3}}, "", false},
	} {
		// What an earlier run came to is not that of the last.
		(&part{name: "p", counts: counts{passed: 9}}).keep(root, "s")
		c.p.name = "p"
		c.p.keep(root, "s")
		now := &part{name: "p"}
		if got := now.take(root, c.of); got != c.want {
			t.Errorf("%s: taken: %v, want %v", name, got, c.want)
		} else if want := c.p.counts; got && now.counts != want {
			t.Errorf("%s: taken as %s, was %s", name, now.counts, want)
		}
		if now := (&part{name: "p"}); now.take(root, "s") {
			t.Errorf("%s: it can be taken twice", name)
		}
	}
	p := &part{name: "p"}
	p.keep(root, "")
	if p.take(root, "") {
		t.Error("what ran where the state is unknown is taken")
	}
}

// Each of these makes another outcome possible.
func TestState(t *testing.T) {
	root := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e"}, args...)...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	file := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := stateOf(root, nil); got != "" {
		t.Errorf("without git it is %s", got)
	}
	git("init", "-q")
	file("known", "1")
	file(".gitignore", "_build\n")
	git("add", ".")
	git("commit", "-qm", "one")
	last := stateOf(root, []string{"A=1"})
	if last == "" {
		t.Fatal("it is unknown")
	}
	same := func(what string, env ...string) {
		t.Helper()
		if got := stateOf(root, env); got != last {
			t.Errorf("%s: it is another", what)
		}
	}
	differs := func(what string, env ...string) {
		t.Helper()
		got := stateOf(root, env)
		if got == last || got == "" {
			t.Errorf("%s: it is %q, and was %q", what, got, last)
		}
		last = got
	}
	same("nothing", "A=1")
	file("_build", "log")
	same("a file that git ignores", "A=1")
	same("what make says of itself", "MAKELEVEL=1", "A=1", "_=/bin/make")
	differs("the environment", "A=2")
	file("known", "2")
	differs("another file", "A=2")
	file("new", "1")
	differs("a new file", "A=2")
	if err := os.Chmod(filepath.Join(root, "new"), 0o755); err != nil {
		t.Fatal(err)
	}
	differs("a file that can be run", "A=2")
	if err := os.Remove(filepath.Join(root, "known")); err != nil {
		t.Fatal(err)
	}
	differs("a file less", "A=2")
	git("add", ".")
	git("commit", "-qm", "two")
	differs("another commit", "A=2")
}
