package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// make test-all follows make test where everything is run, and need not repeat it: what
// a part came to is kept beside its log, with a sum of all that it may depend on. Who
// takes it takes it once, so that the same command again runs everything again.

// before is the result of a part. Only what passed, and lacked nothing, is kept.
type before struct {
	Of      string // state's
	Passed  int
	Skipped int
}

func keptAs(root, name string) string { return filepath.Join(root, "_build", "test", name+".passed") }

// keep writes down that p passed in the given state, and forgets what it came to before.
func (p *part) keep(root, state string) {
	os.Remove(keptAs(root, p.name))
	if state == "" || p.failed > 0 || len(p.missing) > 0 {
		return
	}
	text, err := json.Marshal(before{state, p.passed, p.skipped})
	if err == nil {
		err = os.WriteFile(keptAs(root, p.name), text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "parts:", err)
	}
}

// take reports whether p passed in the given state, takes over its counts, and forgets it.
func (p *part) take(root, state string) bool {
	text, err := os.ReadFile(keptAs(root, p.name))
	os.Remove(keptAs(root, p.name))
	var b before
	if err != nil || state == "" || json.Unmarshal(text, &b) != nil || b.Of != state {
		return false
	}
	p.passed, p.skipped = b.Passed, b.Skipped
	return true
}

// stateOf is a sum of the commit, of the files that git knows or would add, of the
// environment and of the compilers. It is "" where there is no git.
func stateOf(root string, env []string) string {
	sum := sha256.New()
	git := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	git.Dir = root
	names, err := git.Output()
	if err != nil {
		return ""
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		fmt.Fprintf(sum, "%q\n", name)
		path := filepath.Join(root, name)
		info, err := os.Lstat(path)
		if err != nil { // removed, but not from the index
			continue
		}
		fmt.Fprintln(sum, info.Mode())
		if !info.Mode().IsRegular() {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			return ""
		}
		n, err := io.Copy(sum, f)
		f.Close()
		if err != nil {
			return ""
		}
		fmt.Fprintln(sum, n)
	}
	env = slices.DeleteFunc(slices.Sorted(slices.Values(env)), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		// What make tells of itself, and a shell of what it runs.
		return strings.HasPrefix(name, "MAKE") || slices.Contains([]string{"MFLAGS", "_", "SHLVL", "PWD", "OLDPWD"}, name)
	})
	fmt.Fprintf(sum, "%q\n", env)
	cxx := os.Getenv("CXX")
	if cxx == "" {
		cxx = "c++"
	}
	for _, command := range [][]string{{"git", "rev-parse", "HEAD"}, {"go", "version"}, {cxx, "--version"}} {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir = root
		out, _ := cmd.Output()
		fmt.Fprintf(sum, "%q\n", out)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
