//go:build go1.27

package arenavet

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestGenericMethods(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), Analyzer, "./methods")
}

// The fixes of a module with go 1.27 are methods; promoted fields may be keys of its literals.
func TestHeapMethods(t *testing.T) {
	withHeap(t)
	analysistest.RunWithSuggestedFixes(t, filepath.Join(analysistest.TestData(), "heap27"), Analyzer, "./methods")
}
