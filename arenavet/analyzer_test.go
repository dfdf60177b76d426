package arenavet

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// Each package of testdata is about one rule: functions whose name begins
// with fine are correct code, where silence is the test.
func TestRules(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), Analyzer,
		"./escape", "./stale", "./goroutine", "./put", "./uninit", "./mark", "./collector", "./body", "./bodywaits", "./bodywaits/user", "./context", "./contextset", "./ignore", "./helpers", "./facts", "./mixed", "./deep", "./maps", "./forks", "./codecs", "./grpc", "./grpclib", "./grpclib/orders", "./caches", "./connect", "./protobuf", "./options", "./keyed")
}

// What the append rule suggests is in appends.go.golden.
func TestSuggestedFixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), Analyzer, "./appends")
}
