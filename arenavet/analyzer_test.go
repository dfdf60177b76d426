package arenavet

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// TestRules analyzes packages that are each about one rule. Functions whose name begins with fine are correct code.
func TestRules(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), Analyzer,
		"./escape", "./stale", "./goroutine", "./put", "./uninit", "./mark", "./collector", "./body", "./bodywaits", "./bodywaits/user", "./context", "./contextset", "./ignore", "./helpers", "./facts", "./mixed", "./deep", "./maps", "./forks", "./codecs", "./grpc", "./grpclib", "./grpclib/orders", "./caches", "./connect", "./protobuf", "./options", "./keyed")
}

func TestSuggestedFixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), Analyzer, "./appends")
}

// TestConditions analyzes arenas that are taken, given away and put back under conditions.
func TestConditions(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), Analyzer, "./conditions")
}
