package arenavet_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// All of 32 mistakes behind a parser, one a function, are found, and nothing else. Without it an option, which is
// not known, might put the arena back for all that anyone checks, and nothing was known of
// what a generated parser makes, which is called through interfaces, and whose scanner gets
// its arena when it is there: 2 of 32 were found.
func TestPlanted(t *testing.T) {
	for _, library := range []string{"lib", "generated"} {
		t.Run(library, func(t *testing.T) { planted(t, library) })
	}
}

// planted looks for the mistakes of package planted, behind a library in place of lib.
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
