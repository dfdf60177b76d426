package convert

import (
	"bytes"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// flagsOf parses the flags of a case as arena convert does.
func flagsOf(t *testing.T, line string) (c Config) {
	words := strings.Fields(line)
	for i := 0; i < len(words); i++ {
		list := func() []string {
			i++
			return strings.Split(words[i], ",")
		}
		switch words[i] {
		case "-root":
			i++
			c.Root = words[i]
		case "-own":
			c.Own = list()
		case "-trust":
			c.Trust = list()
		case "-heap":
			c.Heap = list()
		case "-carry":
			c.Carry = list()
		case "-strings":
			c.Strings = true
		case "-untested":
			c.Untested = true
		default:
			t.Fatalf("flag %q", words[i])
		}
	}
	return c
}

// Each case of testdata is converted, and then passes its own tests, or is refused in one line.
func TestCases(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the go command")
	}
	t.Setenv("GOWORK", "off")
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			texts := map[string]string{"go.mod": testModule(t, "example.com/"+name)}
			for _, f := range a.Files {
				texts[f.Name] = string(f.Data)
				if strings.HasSuffix(f.Name, "_test.go") && strings.Contains(string(f.Data), "In(") { // a test of the result
					texts[f.Name] = ""
				}
			}
			for n, s := range texts {
				if s == "" {
					delete(texts, n)
				}
			}
			writeFiles(t, dir, texts)
			var c Config
			want := map[string]string{}
			for line := range strings.Lines(string(a.Comment)) {
				if key, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
					want[key] = value
				}
			}
			c = flagsOf(t, want["flags"])
			c.Dir, c.Patterns = dir, []string{"."}
			r, err := Convert(c)
			if refusal, ok := want["refused"]; ok {
				checkRefusal(t, r, err, refusal)
				return
			}
			if err != nil {
				var b strings.Builder
				if r != nil {
					r.Print(&b)
				}
				t.Fatalf("Convert: %v\n%s", err, b.String())
			}
			if got := fmt.Sprint(r.Moved); got != want["moved"] {
				var b strings.Builder
				r.Print(&b)
				r.Diff(&b)
				t.Errorf("%s sites moved, want %s\n%s", got, want["moved"], b.String())
			}
			if before := want["failed before"]; !strings.HasSuffix(strings.Join(r.Verified.FailedBefore, " "), before) {
				t.Errorf("FailedBefore = %v, want %s", r.Verified.FailedBefore, before)
			}
			for file, text := range r.Files {
				if version.Compare(runtime.Version(), "go1.27") >= 0 && bytes.Contains(text, []byte("arena.NewOf(")) {
					t.Errorf("%s has functions with go 1.27, want methods:\n%s", file, text)
				}
			}
			if err := r.Write(); err != nil {
				t.Fatal(err)
			}
			for _, f := range a.Files {
				if strings.HasSuffix(f.Name, "_test.go") {
					writeFiles(t, dir, map[string]string{f.Name: string(f.Data)})
				}
			}
			args := []string{"test", "-count=1", "."}
			if want["failed before"] != "" {
				args = append(args, "-skip="+want["failed before"])
			}
			cmd := exec.Command("go", args...)
			cmd.Dir, cmd.Env = dir, os.Environ()
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("the tests of the result: %v\n%s", err, out)
			}
		})
	}
}

func checkRefusal(t *testing.T, r *Result, err error, want string) {
	t.Helper()
	if err == nil {
		var b strings.Builder
		r.Diff(&b)
		t.Fatalf("it was converted, want %q\n%s", want, b.String())
	}
	text := err.Error()
	if warnings := (*ErrWarnings)(nil); errors.As(err, &warnings) {
		for _, w := range r.Warnings {
			text += "\n" + w.String()
		}
	} else if strings.Contains(text, "\n") {
		t.Errorf("refused in more than one line: %s", text)
	}
	if !strings.Contains(text, want) {
		t.Errorf("refused with\n%s\nwant %q", text, want)
	}
}
