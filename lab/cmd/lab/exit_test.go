package main

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program runs the program in dir and returns what it prints and its exit
// code.
func program(t *testing.T, dir string, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "LAB_TEST_MAIN=1")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// content is every file below dir.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Bad input: one clear line, exit code 2, and every file is as it was.
func TestBadInput(t *testing.T) {
	small, err := filepath.Abs("../../report/testdata/small")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("taken/environment.json", `{"Format": 2, "Begun": "2026"}`)
	write("taken/go.csv", "no rows\n")
	write("elsewhere/environment.json", `{"Format": 2, "Begun": "2026", "CPU": "another"}`)
	write("elsewhere/go.csv", "workload,n,subject,build,round,status,checksum,metric,value,detail\nflat,1")
	write("old/environment.json", `{"Format": 0}`)
	const noRows = "workload,n,subject,build,round,status,checksum,metric,value,detail\n"
	for _, name := range []string{"cpp", "tails"} {
		write(name+"/environment.json", `{"Format": 2}`)
		write(name+"/go.csv", noRows)
	}
	write("cpp/cpp-clang.csv", "compiler,workload,touched,size,count,subject,round,ns_per_call\nclang,rolling,write,16,1024,floor,0,x\n")
	write("tails/cpp-gcc-latencies.csv", "percentile,ns\n50,1\n")
	write("README.md", "no markers\n")
	write("docs/index.html", "the old page")
	before := content(t, dir)
	for args, want := range map[string]string{
		"stress -quick -full":        "exclude each other",
		"stress -rounds 0":           "at least one",
		"stress -requests 0":         "no such run",
		"stress -modes quic":         "unknown mode",
		"stress -rate -5":            "a rate of -5 requests per second",
		"stress -rate NaN":           "a rate of NaN requests per second",
		"stress -subjects tcmalloc":  "unknown subject",
		"stress -live 1,x":           "x",
		"bench -rounds 0":            "at least one",
		"bench -from no-such.csv":    "no-such.csv",
		"fly":                        `no command "fly"`,
		"run -wings":                 "wings",
		"run -quick -full":           "exclude each other",
		"run -only flat,flatt":       `unknown workload "flatt"`,
		"run -subjects tcmalloc":     `unknown subject "tcmalloc"`,
		"run -rounds 0":              "at least one",
		"run -out taken":             "taken has something in it",
		"run -resume -out nowhere":   "nowhere is no results folder",
		"run -resume -out elsewhere": "the run was begun with the CPU another",
		"run -resume -out old":       "version 0",
		"run -resume -results docs":  "docs has no results folder",
		"run -resume -seed 4":        "exclude each other",
		"run -stress 0,many":         "no number of live objects",
		"run -cpp nowhere":           "nowhere is not its folder",
		"report -from nowhere":       "nowhere is no results folder",
		"report -from old -out docs": "version 0",
		"report -from taken":         "first line must be",
		"report -from cpp":           "cpp/cpp-clang.csv: line 2: \"x\" is no time",
		"report -from tails":         "tails/cpp-gcc-latencies.csv: the first line must be",
		"report -results docs":       "docs has no results folder",
		"report -out docs -page README.md -from " + small: "the markers of the section are missing",
	} {
		out, code := program(t, dir, strings.Fields(args)...)
		if code != 2 || !strings.Contains(out, want) {
			t.Errorf("lab %s: exit code %d, want 2 and %q:\n%s", args, code, want, out)
		}
		if n := strings.Count(out, "lab: "); n != 1 {
			t.Errorf("lab %s: %d lines of error:\n%s", args, n, out)
		}
	}
	if after := content(t, dir); !maps.Equal(before, after) {
		t.Errorf("files have changed: %q, before %q", after, before)
	}
}
