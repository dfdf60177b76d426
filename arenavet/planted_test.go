package arenavet_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// TestPlanted checks that all of 32 mistakes with the nodes of a parser are found, one in a function, and nothing else. The
// parsers have options, and a generated one is called through interfaces and gives its arena to its scanner.
func TestPlanted(t *testing.T) {
	for _, library := range []string{"lib", "generated"} {
		t.Run(library, func(t *testing.T) { planted(t, library) })
	}
}

// planted analyzes package planted with a library in place of lib.
func planted(t *testing.T, library string) {
	dir := filepath.Join(analysistest.TestData(), "options")
	name := filepath.Join(dir, "planted", "planted.go")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	behind := bytes.ReplaceAll(text, []byte(`"example.com/options/lib"`), []byte(`lib "example.com/options/`+library+`"`))
	mistake := regexp.MustCompile(`^m[0-9].`)
	mistakes, found := count(t, library, dir, map[string][]byte{name: behind}, []string{"./planted"}, mistake.MatchString)
	if mistakes != 32 || found != mistakes {
		t.Errorf("%d of %d mistakes are found, want 32 of 32", found, mistakes)
	}
}
