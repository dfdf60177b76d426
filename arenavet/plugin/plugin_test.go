package plugin

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"

	"github.com/ebbpool/arena/arenavet"
)

// What golangci-lint does: it finds the constructor by the linter's name, and
// asks for the analyzers and what they need.
func TestPlugin(t *testing.T) {
	construct, err := register.GetPlugin("arenavet")
	if err != nil {
		t.Fatal(err)
	}
	p, err := construct(nil)
	if err != nil {
		t.Fatal(err)
	}
	analyzers, err := p.BuildAnalyzers()
	if err != nil || len(analyzers) != 1 || analyzers[0] != arenavet.Analyzer {
		t.Errorf("BuildAnalyzers() = %v, %v", analyzers, err)
	}
	if mode := p.GetLoadMode(); mode != register.LoadModeTypesInfo {
		t.Errorf("GetLoadMode() = %q: the analyzer needs types", mode)
	}
}

// Settings that don't exist are an error, not ignored.
func TestPluginSettings(t *testing.T) {
	if _, err := New(map[string]any{}); err != nil {
		t.Errorf("no settings: %v", err)
	}
	if _, err := New(map[string]any{"rules": "all"}); err == nil {
		t.Error("an unknown setting is accepted")
	}
}
