package advise

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What goyacc makes has the compiler name files without a folder: they are the package's, not those
// of the folder that the command runs in.
func TestEscapesGrammar(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/grammars\n\ngo 1.25.0\n")
	for _, name := range []string{"a", "b"} {
		write(name+"/y.go", "package "+name+"\n\nvar All []*int\n\n//line yaccpar:7\nfunc Add() { All = append(All, new(int)) }\n\n//line "+name+".y:9\nfunc More() { All = append(All, new(int)) }\n")
	}
	all, _, err := Escapes(dir, []string{"example.com/grammars/a", "example.com/grammars/b"})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []LineKey{{"a/yaccpar", 7}, {"a/a.y", 9}, {"b/yaccpar", 7}, {"b/b.y", 9}} {
		file := filepath.Join(dir, key.File)
		if got := all[LineKey{file, key.Line}]; !slices.Contains(got, "new(int)") {
			t.Errorf("%s:%d: %q", key.File, key.Line, got)
		}
	}
	if len(all) != 4 {
		t.Errorf("%v", all)
	}
}
