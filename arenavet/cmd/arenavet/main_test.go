package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const program = `package reader

import "github.com/ebbpool/arena"

var pool = arena.NewArenaPool(4096, 0)

type words []string

func F(more []string, e error, text string) string {
	a := pool.Get()
	defer pool.Put(a)
	w := words(arena.MakeSlice[string](a, 0, 4))
	w = append(w, more...)
	n := arena.MakeSlice[int64](a, 0, 4)
	n = append(n, 1, 2)
	p := arena.MakeSlice[*int64](a, 0, 4)
	p = append(p, nil, &n[0])
	x := arena.MakeSlice[any](a, 0, 4)
	x = append(x, e)
	b := a.AllocBytes(4)
	b = append(b, text...)
	println(len(w), len(n), len(p), len(x), len(b))
	return a.AllocString(text)
}
`

// The test builds the command and runs it as users do: as a tool of go vet, by itself, and with -fix, whose result must
// compile.
func TestCommand(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if testing.Short() {
		t.Skip("builds programs")
	} else if err != nil {
		t.Skip("SKIPPED: no go command")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "reader.go")
	tool := filepath.Join(t.TempDir(), "arenavet.exe")
	for name, text := range map[string]string{
		source: program,
		filepath.Join(dir, "go.mod"): fmt.Sprintf("module example.com/reader\n\ngo 1.25.0\n\nrequire github.com/ebbpool/arena v0.0.0\n\n"+
			"replace github.com/ebbpool/arena => %q\n", filepath.ToSlash(root)),
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(in, name string, args ...string) (string, int) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = in
		cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatalf("%s: %v", name, err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := run(".", goTool, "build", "-o", tool, "."); code != 0 {
		t.Fatalf("go build: %s", out)
	}
	check := func(what, out string, code, appends int) {
		t.Helper()
		if code == 0 || strings.Count(out, "arenavet.md#append") != appends || strings.Count(out, "arenavet.md#escape") != 1 {
			t.Errorf("%s: exit status %d, want not 0, %d findings about append and 1 about escape:\n%s", what, code, appends, out)
		}
	}
	out, code := run(dir, goTool, "vet", "-vettool="+tool, "./...")
	check("go vet -vettool", out, code, 5)
	out, code = run(dir, tool, "./...")
	check("arenavet", out, code, 5)

	run(dir, tool, "-fix", "./...")
	out, code = run(dir, tool, "./...")
	check("arenavet after -fix", out, code, 0)
	if out, code := run(dir, goTool, "vet", "./..."); code != 0 {
		text, _ := os.ReadFile(source)
		t.Errorf("what -fix wrote does not compile: %s\n%s", out, text)
	}
}
