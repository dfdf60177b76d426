// Package plugin makes arenavet a linter of golangci-lint, as a module plugin. See docs/arenavet.md.
package plugin

import (
	"strconv"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/ebbpool/arena/arenavet"
)

func init() { register.Plugin("arenavet", New) }

type options struct {
	Heap bool `json:"heap"`
}

// New returns the plugin. Its one setting is heap, the analyzer's flag of that name.
func New(settings any) (register.LinterPlugin, error) {
	var set options
	if settings != nil {
		var err error
		if set, err = register.DecodeSettings[options](settings); err != nil {
			return nil, err
		}
	}
	return linter{}, arenavet.Analyzer.Flags.Set("heap", strconv.FormatBool(set.Heap))
}

type linter struct{}

func (linter) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{arenavet.Analyzer}, nil
}

func (linter) GetLoadMode() string { return register.LoadModeTypesInfo }
