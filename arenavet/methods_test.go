//go:build go1.27

package arenavet

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestGenericMethods(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), Analyzer, "./methods")
}
