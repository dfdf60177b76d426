package arenavet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTutorial checks that -heap -fix turns the handler of the tutorial's step 1 into step 2, except for the map, whose
// type is changed by hand.
func TestTutorial(t *testing.T) {
	_, tool := tools(t)
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	read := func(file string) string {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	dir, steps := t.TempDir(), filepath.Join(root, "docs", "tenminutes")
	for name, text := range map[string]string{
		"json.go":  read(filepath.Join(steps, "json.go")),
		"plain.go": read(filepath.Join(steps, "plain.go")),
		"go.mod":   fmt.Sprintf("module example.com\n\ngo 1.25.0\n\nrequire github.com/ebbpool/arena v0.2.0\n\nreplace github.com/ebbpool/arena => %q\n", filepath.ToSlash(root)),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, _ := runIn(dir, tool, "-heap", "."); strings.Count(out, "json.go:") != 7 || strings.Count(out, "with the arena of r at hand") != 7 {
		t.Errorf("-heap says of step 1:\n%s", out)
	}
	fixAll(dir, tool, "-heap", "-fix", ".")
	_, want, _ := strings.Cut(read(filepath.Join(steps, "text.go")), "\nfunc serveText(")
	byHand := strings.NewReplacer("ReceiptIn{", "Receipt{", "arena.NewMap[string, int](a, 0)", "map[string]int{}",
		"\t\t\tn, _ := receipt.Tags.Get(tag)\n\t\t\treceipt.Tags.Set(tag, n+1)\n", "\t\t\treceipt.Tags[tag]++\n")
	want = byHand.Replace(want)
	if _, got, _ := strings.Cut(read(filepath.Join(dir, "json.go")), "\nfunc serveJSON("); got != want {
		t.Errorf("-fix makes of step 1:\n%s\nand step 2 is, without its map:\n%s", got, want)
	}
	if out, _ := runIn(dir, tool, "-heap", "."); strings.Count(out, "arenavet.md#") != 1 || !strings.Contains(out, "map on the heap") {
		t.Errorf("after -fix the map is left, not:\n%s", out)
	}
}
