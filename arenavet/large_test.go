package arenavet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis/analysistest"
)

// TestLargeFunctionEnds checks that the search has a budget: every branch of this function changes the possible values of
// its variables.
func TestLargeFunctionEnds(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("package large\n\nimport \"github.com/ebbpool/arena\"\n\ntype node struct{ left, right *node }\n\n")
	b.WriteString("func f(a *arena.Arena, choice []bool) *node {\n\tvar n [40]*node\n\tfor {\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "\t\tif choice[%d] {\n\t\t\tx := arena.New[node](a)\n\t\t\tx.left, x.right = n[%d], n[%d]\n\t\t\tn[%d] = x\n\t\t}\n", i, i%40, (i*7)%40, (i*3)%40)
	}
	b.WriteString("\t\tif len(choice) == 0 {\n\t\t\treturn n[0]\n\t\t}\n\t}\n}\n")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"large.go": b.String(),
		"go.mod":   fmt.Sprintf("module example.com\n\ngo 1.25.0\n\nrequire github.com/ebbpool/arena v0.0.0\n\nreplace github.com/ebbpool/arena => %q\n", filepath.ToSlash(root)),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	analysistest.Run(t, dir, Analyzer, ".")
	took := time.Since(start)
	t.Log(took)
	if took > 10*time.Minute { // usually seconds
		t.Errorf("it took %v", took)
	}
}
