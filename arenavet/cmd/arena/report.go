package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/ebbpool/arena/arenavet"
	"github.com/ebbpool/arena/arenavet/internal/advise"
)

var reportVerb = &verb{
	name: "report", usage: "-allocs FILE [-json] [packages]",
	short: "list what arenavet -heap finds, and calls without a counterpart, by what they cost in an allocation profile",
	run:   runReport,
}

func runReport(v *verb, args []string, out io.Writer) error {
	f := v.flags()
	allocs := f.String("allocs", "", "an allocation profile's `file`")
	asJSON := f.Bool("json", false, "print JSON")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *allocs == "" {
		return errors.New("report: missing -allocs")
	}
	if _, err := os.Stat(*allocs); err != nil {
		return err // before the packages are looked at
	}
	findings, err := heapFindings(packageArgs(f))
	if err != nil {
		return err
	}
	items, err := advise.Report(".", *allocs, packageArgs(f), findings)
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(out, items)
	}
	return advise.PrintReport(out, ".", items)
}

// heapFindings returns the findings of arenavet -heap.
func heapFindings(patterns []string) (all []advise.Finding, err error) {
	if err := arenavet.Analyzer.Flags.Set("heap", "true"); err != nil {
		return nil, err
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule}, patterns...)
	if err != nil {
		return nil, err
	}
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, p.Errors[0])
		}
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{arenavet.Analyzer}, pkgs, nil)
	if err != nil {
		return nil, err
	}
	for _, action := range graph.Roots {
		if action.Err != nil {
			return nil, fmt.Errorf("%s: %w", action.Package.PkgPath, action.Err)
		}
		for _, d := range action.Diagnostics {
			if d.Category == "heap" {
				at := action.Package.Fset.Position(d.Pos)
				all = append(all, advise.Finding{File: at.Filename, Line: at.Line, Message: d.Message})
			}
		}
	}
	return all, nil
}
