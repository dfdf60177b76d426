package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebbpool/arena/arenavet/internal/advise"
)

// Wrong arguments are refused with an error that says what to do.
func TestRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"":                              "usage: arena command",
		"turn":                          "arena turn: unknown command",
		"convert ./...":                 "convert: missing -root",
		"convert -root run .":           "convert: missing -own",
		"convert -root run -own verb .": "convert: no required module provides package github.com/ebbpool/arena; to add it: go get github.com/ebbpool/arena",
		"advise":                        "missing -cpu",
		"advise -cpu x -requests -1":    "negative -requests -1",
		"advise -cpu nowhere ./...":     "no such file",
		"report ./...":                  "missing -allocs",
		"report -allocs nowhere .":      "no such file",
	} {
		var out, errs strings.Builder
		err := run(strings.Fields(args), &out, &errs)
		if text := fmt.Sprint(err) + errs.String(); err == nil || !strings.Contains(text, want) {
			t.Errorf("arena %s: %s, want %q", args, text, want)
		}
	}
}

const program = `package left

import (
	"bytes"

	"github.com/ebbpool/arena"
)

type node struct{ text []byte }

type leaf struct{ up *node }

func read(a *arena.Arena, text []byte) *node {
	n := &node{}
	n.text = bytes.ReplaceAll(text, []byte("a"), []byte("bb"))
	return n
}

func without() *leaf {
	return &leaf{}
}

func small(a *arena.Arena) *leaf {
	return new(leaf) // an int could share a block that the profile has already counted
}
`

const programTest = `package left

import (
	"testing"

	"github.com/ebbpool/arena"
)

var sink any

func TestRead(t *testing.T) {
	a := arena.NewArena(4096, 0)
	for range 10000 {
		sink = without()
		sink = read(a, []byte("banana, and much more of it, so that it costs something"))
	}
	sink = small(a)
}
`

// The report of a program's tests begins with the costliest call without a counterpart. A cheaper finding, a
// line without an arena and a finding that hardly ran follow.
func TestReport(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a program")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"left.go": program, "left_test.go": programTest,
		"go.mod": fmt.Sprintf("module example.com/left\n\ngo 1.25.0\n\nrequire github.com/ebbpool/arena v0.0.0\n\nreplace github.com/ebbpool/arena => %q\n", filepath.ToSlash(root)),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOWORK", "off")
	if out, err := exec.Command("go", "test", "-memprofile", "mem", "-memprofilerate", "1", ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var out, errs strings.Builder
	if err := run([]string{"report", "-json", "-allocs", "mem", "./..."}, &out, &errs); err != nil {
		t.Fatal(err)
	}
	var items []advise.Item
	if err := json.Unmarshal([]byte(out.String()), &items); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range items {
		first, _, _ := strings.Cut(i.Message, " on ")
		got = append(got, first)
	}
	if len(got) < 4 || strings.Join(got[:4], ", ") != "bytes.ReplaceAll, &node{}, on the heap: no arena in scope, or the value may outlive it, new" ||
		items[0].Part < 0.3 || items[2].Line != 20 || items[2].Objects < 9000 || items[3].Objects > 100 {
		t.Errorf("%v\n%s", got, out.String())
	}
	out.Reset()
	if err := run([]string{"report", "-allocs", "mem", "./..."}, &out, &errs); err != nil || !strings.Contains(out.String(), " %  left.go:15: bytes.ReplaceAll on the heap") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// With -n, convert prints the diff and leaves the files as they are. With -suggest, it prints the command to
// paste.
func TestConvertPrintsWithoutWriting(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	text := "package small\n\ntype Node struct{ S string }\n\n// Make makes a node.\nfunc Make(s string) *Node { return &Node{s} }\n\n" +
		"type Kept struct{ n int }\n\nvar Last = new(Kept)\n\nfunc Keep() *Kept { return &Kept{1} }\n\nfunc Sum(x, y int) int { return x + y }\n"
	for name, text := range map[string]string{
		"small.go": text,
		"go.mod":   fmt.Sprintf("module example.com/small\n\ngo 1.25.0\n\nrequire github.com/ebbpool/arena v0.0.0\n\nreplace github.com/ebbpool/arena => %q\n", filepath.ToSlash(root)),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	var out, errs strings.Builder
	for root, want := range map[string]string{
		"Make": "arena convert -root Make -own 'Node' -strings .\n",
		"Keep": "arena convert -root Keep -strings .\nPackage variables lead to Kept. If a call of Keep stores none there, add to -own.\n",
		"Sum":  "arena convert -root Sum -strings .\nSum allocates no types of the module that can move.\n",
	} {
		out.Reset()
		if err := run([]string{"convert", "-suggest", "-root", root, "."}, &out, &errs); err != nil || out.String() != want {
			t.Errorf("-suggest -root %s: %v, %q, want %q", root, err, out.String(), want)
		}
	}
	out.Reset()
	if err := run(strings.Fields("convert -root Make -own Node -untested -n ."), &out, &errs); err != nil || !strings.Contains(out.String(), "+func MakeIn(a *arena.Arena, s string) *Node { return arena.NewOf(a, Node{s}) }") {
		t.Errorf("-n: %v\n%s", err, out.String())
	}
	if after, err := os.ReadFile("small.go"); err != nil || string(after) != text {
		t.Errorf("-n has written %s: %v", after, err)
	}
	out.Reset()
	if err := run(strings.Fields("convert -root Make -own Node -untested ."), &out, &errs); err != nil || !strings.HasPrefix(out.String(), "wrote 1 file:\nsmall.go\n") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
