package convert

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/ebbpool/arena/arenavet"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/heap"
)

// diagnostic is one of the analyzer's, with what it suggests.
type diagnostic struct {
	file     string
	offset   int
	where    string
	category string
	message  string
	edits    edits
}

// analyze asks the analyzer about the program with other texts.
func (p *program) analyze(overlay map[string][]byte) (all []diagnostic, err error) {
	if err := arenavet.Analyzer.Flags.Set("heap", "true"); err != nil {
		return nil, err
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: p.dir, Overlay: goFiles(overlay)}, p.patterns...)
	if err != nil {
		return nil, err
	}
	if err := firstError(pkgs); err != nil {
		return nil, fmt.Errorf("the result does not compile: %w", err)
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{arenavet.Analyzer}, pkgs, nil)
	if err != nil {
		return nil, err
	}
	for _, action := range graph.Roots {
		if action.Err != nil {
			return nil, fmt.Errorf("%s: %w", action.Package.PkgPath, action.Err)
		}
		fset := action.Package.Fset
		for _, d := range action.Diagnostics {
			file := fset.File(d.Pos)
			out := diagnostic{file: file.Name(), offset: file.Offset(d.Pos), category: d.Category, message: d.Message, edits: edits{}}
			at := fset.PositionFor(d.Pos, false)
			out.where = fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
			for _, fix := range d.SuggestedFixes[:min(1, len(d.SuggestedFixes))] {
				for _, e := range fix.TextEdits {
					if !strings.Contains(string(e.NewText), catalog.ArenaPath) { // it is imported
						out.edits[file.Name()] = append(out.edits[file.Name()], edit{from: file.Offset(e.Pos), to: file.Offset(e.End), text: string(e.NewText)})
					}
				}
			}
			all = append(all, out)
		}
	}
	return all, nil
}

// goFiles are those of the files that are Go.
func goFiles(all map[string][]byte) map[string][]byte {
	all = maps.Clone(all)
	maps.DeleteFunc(all, func(name string, _ []byte) bool { return filepath.Ext(name) != ".go" })
	return all
}

// rewrite asks the analyzer what to write for the plan's sites, and notes it for each. What has
// no text stays on the heap.
func (p *plan) rewrite() (fixes edits, err error) {
	need := p.needed()
	for _, f := range p.order {
		for _, s := range f.sites {
			if s.Reason == "" && !need[p.all[s.fn]] {
				s.Reason = "no call that the root leads to gives it an arena"
			}
		}
	}
	threads, err := p.thread(asWritten)
	if err != nil {
		return nil, err
	}
	overlay, done, err := texts(threads)
	if err != nil {
		return nil, err
	}
	heap.Decided = true
	found, err := p.analyze(overlay)
	heap.Decided = false
	if err != nil {
		return nil, err
	}
	type place struct {
		file   string
		offset int
	}
	at := map[place][]*Site{}
	for _, f := range p.order {
		for _, s := range f.sites {
			file := p.fset.File(s.Pos)
			key := place{file.Name(), file.Offset(s.Pos)}
			at[key] = append(at[key], s)
		}
	}
	fixes = edits{}
	for _, d := range found {
		if d.category != "heap" && d.category != "append" || len(d.edits[d.file]) == 0 {
			continue
		}
		offset, _ := original(done[d.file], d.offset)
		sites := slices.DeleteFunc(slices.Clone(at[place{d.file, offset}]), func(s *Site) bool { // another parameter's
			return s.kind == "variable" && !strings.HasPrefix(d.message, "&"+s.What+" ")
		})
		if len(sites) == 0 || slices.ContainsFunc(sites, func(s *Site) bool { return s.Reason != "" }) {
			continue
		}
		var list []edit
		for _, e := range d.edits[d.file] {
			from, behind := original(done[d.file], e.from)
			to, _ := original(done[d.file], e.to)
			order := len(fixes[d.file]) + len(list)
			if behind {
				order += 1 << 20
			} else {
				order -= 1 << 20
			}
			list = append(list, edit{from, to, e.text, order})
		}
		if overlaps(fixes[d.file], list) || overlaps(done[d.file], list) {
			continue
		}
		fixes[d.file] = append(fixes[d.file], list...)
		for _, s := range sites {
			s.fix = true
		}
	}
	if err := p.rewriteJSON(fixes, done); err != nil {
		return nil, err
	}
	p.rewriteCopiers(fixes, done)
	p.rewriteTuples(fixes, done)
	p.advised = true
	for _, f := range p.order {
		for _, s := range f.sites {
			if s.Reason == "" && !s.fix {
				s.Reason = "has no text in an arena there"
			}
		}
	}
	return fixes, nil
}

// rewriteJSON writes calls of package arenajson.
func (p *plan) rewriteJSON(fixes, done edits) error {
	for _, f := range p.order {
		for _, s := range f.sites {
			if s.Reason != "" || s.json == nil {
				continue
			}
			file, list, err := s.json.edits(p.program, p.importName(p.fileOf(s.Pos), jsonPath, "arenajson"), f.arena)
			if err != nil {
				return err
			}
			if !overlaps(fixes[file], list) && !overlaps(done[file], list) {
				fixes[file] = append(fixes[file], list...)
				s.fix = true
			}
		}
	}
	return nil
}

// result is the changed files, where the root gets its arena as e has it.
func (p *plan) result(fixes edits, e entry) (map[string][]byte, error) {
	all, err := p.thread(e)
	if err != nil {
		return nil, err
	}
	for name, list := range fixes {
		all[name] = append(all[name], list...)
	}
	out, done, err := texts(all)
	if err != nil {
		return nil, err
	}
	for name := range maps.Keys(out) {
		text, err := p.formatted(name, out[name])
		if err != nil {
			return nil, fmt.Errorf("convert: %s would not be Go: %w", name, err)
		}
		out[name] = text
	}
	if err := p.changeGrammars(out, done); err != nil {
		return nil, err
	}
	return out, nil
}
