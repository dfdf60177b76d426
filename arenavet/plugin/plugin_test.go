package plugin

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"

	"github.com/ebbpool/arena/arenavet"
)

// The test does what golangci-lint does: it finds the constructor by the linter's name, and asks for the analyzers and
// their load mode.
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

// Unknown settings are errors.
func TestPluginSettings(t *testing.T) {
	for _, want := range []string{"true", "false"} {
		if _, err := New(map[string]any{"heap": want == "true"}); err != nil {
			t.Errorf("heap: %v", err)
		}
		if got := arenavet.Analyzer.Flags.Lookup("heap").Value.String(); got != want {
			t.Errorf("heap: %s is the flag's value %s", want, got)
		}
	}
	if _, err := New(map[string]any{}); err != nil {
		t.Errorf("no settings: %v", err)
	}
	if _, err := New(map[string]any{"rules": "all"}); err == nil {
		t.Error("an unknown setting is accepted")
	}
}
