package arenavet

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

func withHeap(t *testing.T) {
	if err := Analyzer.Flags.Set("heap", "true"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { Analyzer.Flags.Set("heap", "false") })
}

// What the fixes make of it is in advice.go.golden; functions whose name begins
// with fine are not advised.
func TestHeapAdvice(t *testing.T) {
	withHeap(t)
	analysistest.RunWithSuggestedFixes(t, filepath.Join(analysistest.TestData(), "heap"), Analyzer, "./advice")
}
