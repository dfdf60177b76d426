// Package plugin makes arenavet a linter of golangci-lint, by its module
// plugin system: golangci-lint custom builds a golangci-lint that has it, from
// a .custom-gcl.yml that names this package.
package plugin

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/ebbpool/arena/arenavet"
)

func init() { register.Plugin("arenavet", New) }

// New returns the plugin. It has no settings: any that are given are an error.
func New(settings any) (register.LinterPlugin, error) {
	if settings != nil {
		if _, err := register.DecodeSettings[struct{}](settings); err != nil {
			return nil, err
		}
	}
	return linter{}, nil
}

type linter struct{}

func (linter) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{arenavet.Analyzer}, nil
}

// GetLoadMode says that the analyzer needs types.
func (linter) GetLoadMode() string { return register.LoadModeTypesInfo }
