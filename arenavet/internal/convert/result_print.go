package convert

import (
	"errors"
	"fmt"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/convert/life"
)

// Print prints what was changed, and what was left and why.
func (r *Result) Print(out io.Writer) error {
	p := r.plan
	need := p.needed()
	moved, total, failures := 0, 0, 0
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	functions := slices.SortedFunc(slices.Values(p.order), func(a, b *planned) int { return p.compare(a.fn.Pos(), b.fn.Pos()) })
	fmt.Fprintln(w, "\nfunction\tits arena\t")
	for _, f := range functions {
		if need[f] && f.how != byCapture {
			fmt.Fprintf(w, "%s  %s\t%s\t\n", p.position(f.fn.Pos()), nameOf(f.fn, p.root), p.describe(f))
		}
	}
	fmt.Fprintln(w, "\nsite\twhat becomes of it\t")
	for _, f := range functions {
		for _, s := range f.sites {
			total++
			if s.Reason == "" {
				moved++
				fmt.Fprintf(w, "%s  %s\tin the arena\t\n", p.position(s.Pos), s.What)
			} else {
				if p.forError(f.fn, s) {
					failures++
				}
				fmt.Fprintf(w, "%s  %s\ton the heap: %s\t\n", p.position(s.Pos), s.What, s.Reason)
			}
		}
	}
	for _, s := range p.outside() {
		total++
		if p.forError(s.fn, s) {
			failures++
		}
		fmt.Fprintf(w, "%s  %s\ton the heap: %s\t\n", p.position(s.Pos), s.What, s.Reason)
	}
	var calls []string
	for _, f := range functions {
		printed := map[token.Pos]bool{} // of a generic function there are several at a place
		for call, g := range f.calls {
			if (need[f] || f.fn == p.root) && f.left[call] != "" && !printed[callPos(call)] {
				printed[callPos(call)] = true
				calls = append(calls, fmt.Sprintf("%s  %s\tgets no arena: what it makes %s\t", p.position(call.Pos()), g.fn.Name(), f.left[call]))
			}
		}
	}
	if slices.Sort(calls); len(calls) > 0 {
		fmt.Fprintf(w, "\ncall\t\t\n%s\n", strings.Join(calls, "\n"))
	}
	if all := p.escapes(); len(all) > 0 {
		fmt.Fprintln(w, "\nstored as a copy\tby arena.Escape: a change of the one is none of the other\t")
		for _, pos := range all {
			for _, b := range p.stores[pos] {
				fmt.Fprintf(w, "%s  %s\t\t\n", p.position(pos), short(b.text))
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d of %d sites move into the arena, in %d files\n", moved, total-failures, len(r.Files))
	if failures > 0 {
		fmt.Fprintf(out, "%d others are of errors, which live for long\n", failures)
	}
	for _, t := range r.Tests {
		fmt.Fprintln(out, t)
	}
	for _, a := range p.assumptions() {
		fmt.Fprintln(out, a)
	}
	if p.guard != "" {
		fmt.Fprintf(out, "a call that gives %[1]s uses the heap: they may keep what they get. -into %[1]s says that they do not\n", p.guard)
	}
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(out, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// nameOf is a function's name in the root's package: that of a literal as -root takes it.
func nameOf(fn, root *ssa.Function) string {
	name := strings.Replace(fn.RelString(life.PackageOf(root).Pkg), "$", ".func", 1)
	return strings.ReplaceAll(name, "$", ".")
}

func (p *plan) describe(f *planned) string {
	switch {
	case p.parsers[f.fn] != nil:
		return "of its lexer, in each action"
	case f.how == byCarrier:
		return f.arena
	case f.how == byContext:
		return "of " + fromContext(f.fn)
	case f.alone:
		return "a parameter"
	}
	return "a parameter, in " + f.name
}

// outside are the sites of functions that have no arena.
func (p *plan) outside() (all []*Site) {
	seen := map[*ssa.Function]bool{}
	for _, fn := range p.functions {
		within := p.within[fn]
		if fn = p.base(fn); !within || seen[fn] || p.all[fn] != nil || p.decls[fn] == nil {
			continue
		}
		seen[fn] = true
		why := "no arena gets there: it is called by way of a value"
		switch d := p.decls[fn]; {
		case ofCgo(d.file):
			why = "its file imports C"
		case p.elsewhere(fn.Object()):
			why = "other builds have another text of its function"
		case p.generated[d.file]:
			why = "it is in generated code"
			if name := grammarOf(d.file); name != "" {
				why += ", which goyacc makes of " + name
				if err := p.stale[d.file]; errors.Is(err, fs.ErrNotExist) {
					why = "a comment says that it is made of " + name + ", which is not there"
				} else if err != nil {
					why += ": " + err.Error()
				}
			}
		case !p.convertible(fn):
			why = "its function was not understood"
		}
		for _, s := range p.sitesOf(fn, p.bodies(fn)) {
			s.Reason = why
			all = append(all, s)
		}
	}
	return all
}

// assumptions lists what the analysis took for granted, for whoever reads the result.
func (p *plan) assumptions() (all []string) {
	for a, pos := range p.life.Assumed() {
		if !p.within[a.Func] {
			continue
		}
		where := p.position(a.Func.Pos())
		if pos.IsValid() {
			where = p.position(pos)
		}
		if a.Own {
			all = append(all, fmt.Sprintf("%s: assumed: methods of a new %s give parts of it, and keep what they get there", where, a.Type))
			continue
		}
		if a.New {
			all = append(all, fmt.Sprintf("%s: assumed: what others put into this table makes a new %s at each call", where, a.Type))
			continue
		}
		all = append(all, fmt.Sprintf("%s: assumed: this stores nothing in a mark of the package (%s), but in another object", where, a.Type))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Diff prints what would be written.
func (r *Result) Diff(out io.Writer) error {
	dir, err := os.MkdirTemp("", "arena-convert")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		file := filepath.Join(dir, "new.go")
		if err := os.WriteFile(file, r.Files[name], 0o600); err != nil {
			return err
		}
		rel, err := filepath.Rel(r.plan.dir, name)
		if err != nil {
			rel = name
		}
		cmd := exec.Command("diff", "-u", "--label", filepath.ToSlash(rel), "--label", filepath.ToSlash(rel), name, file)
		text, err := cmd.Output()
		if len(text) == 0 && err != nil {
			return err
		}
		if _, err := out.Write(text); err != nil {
			return err
		}
	}
	return nil
}
