package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lab runs a command line, and returns its exit code and all that it prints.
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

// Bad input is exit code 2, with a line that names what is wrong.
func TestBadInput(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.txt")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"nothing":                  "no command",
		"bench -rounds 0":          "-rounds 0",
		"bench -from " + empty:     "no benchmark result",
		"bench -from /nowhere":     "/nowhere",
		"matrix -only nothing":     "nothing",
		"matrix -subject tcmalloc": "tcmalloc",
		"matrix -build msan":       "msan",
		"keep nothing " + empty:    "no kind",
		"keep load " + empty:       "no benchmark result",
		"cpp":                      "name a program",
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
