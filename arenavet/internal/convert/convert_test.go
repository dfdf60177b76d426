package convert

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// What becomes of each program in testdata stands in a file beside it: the diff, and the table
// of what was changed and left. Its first lines say what would break if it became different.
func TestConvert(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	for _, c := range []Config{
		{Root: "handler.Handle"}, {Root: "parser.Parse"}, {Root: "server.Server.Serve"}, {Root: "into.Fill", Into: []string{"to"}}, {Root: "request.Serve"},
	} {
		name, _, _ := strings.Cut(c.Root, ".")
		t.Run(name, func(t *testing.T) {
			c.Dir, c.Patterns, c.NoTests = "testdata", []string{"./" + name}, true
			t.Setenv("GOWORK", "off")
			r, err := Convert(c)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if err := r.Diff(&out); err != nil {
				t.Fatal(err)
			}
			if err := r.Print(&out); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || string(want) != out.String() {
				t.Errorf("%v: %s is stale: go test ./internal/convert -update\n%s", err, file, out.String())
			}
		})
	}
}

// Nothing is written where the program's own tests fail with a real arena, though they pass with
// a nil one: here they rely on how append grows.
func TestGate(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	t.Setenv("GOWORK", "off")
	for root, want := range map[string]string{
		"capacity.Grow": "the tests do not pass with an arena:",
		"handler.none":  "no function of that name",
	} {
		name, _, _ := strings.Cut(root, ".")
		_, err := Convert(Config{Dir: "testdata", Patterns: []string{"./" + name}, Root: root})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", root, err, want)
		}
	}
	r, err := Convert(Config{Dir: "testdata", Patterns: []string{"./handler"}, Root: "handler.Handle"})
	if err != nil || len(r.Tests) != 3 {
		t.Fatal(err)
	}
}
