// Package convert threads an arena through a program: arena convert.
//
// It goes from a root, a function whose caller is to own the arena, through what the root calls.
// Package life finds what lives longer than that. What does not is rewritten by package heap's
// advice, in functions that get the arena by a parameter, by a struct that carries it, or by a
// context. Nothing is written before the result has compiled, the analyzer has found nothing in
// it, and the program's own tests have passed.
package convert

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/convert/life"
)

// Config says what to convert.
type Config struct {
	Dir      string
	Patterns []string
	Root     string
	Into     []string // names of the root's parameters that end with the arena
	NoTests  bool     // leave out the program's tests
	// Escape has what is stored in globals, channels and the like copied there, so that it can lie in
	// the arena before. It is another value then: who changes the one does not change the other.
	Escape bool
	// Generated has generated files converted, too: those of a copy are not generated again.
	Generated bool
}

// Result is a conversion that was checked.
type Result struct {
	plan  *plan
	Files map[string][]byte
	Tests []string // what the tests were run with
}

// Convert makes a conversion and checks it. It writes nothing.
func Convert(c Config) (*Result, error) {
	p, err := load(c.Dir, c.Patterns, c.Generated)
	if err != nil {
		return nil, err
	}
	root, err := p.root(c.Root)
	if err != nil {
		return nil, err
	}
	within := p.cone(root)
	p.findBorders(within)
	if c.Escape {
		p.findStores(within)
	}
	var pl *plan
	var fixes edits
	for again := true; again; again = pl.refuse() {
		if pl, err = p.plan(c, root, within); err != nil {
			return nil, err
		}
		if fixes, err = pl.rewrite(); err != nil {
			return nil, fmt.Errorf("convert: %w", err)
		}
	}
	r := &Result{plan: pl}
	if len(pl.needed()) == 0 {
		return r, nil
	}
	if r.Files, err = pl.result(fixes, asWritten); err != nil {
		return nil, err
	}
	found, err := p.analyze(r.Files)
	if err != nil {
		return nil, fmt.Errorf("convert: %w", err)
	}
	var bad []string
	for _, d := range found {
		if d.category != "heap" {
			bad = append(bad, d.where+": "+d.message)
		}
	}
	if len(bad) > 0 {
		return r, fmt.Errorf("convert: nothing is written, since arenavet finds in the result:\n%s", strings.Join(bad, "\n"))
	}
	if c.NoTests {
		return r, nil
	}
	r.Tests, err = pl.test(fixes)
	return r, err
}

// plan decides what moves. Where the root takes options, functions of the caller's that may keep what
// they get, it is tried, too, what moves if a call that gives some uses the heap.
func (p *program) plan(c Config, root *ssa.Function, within map[*ssa.Function]bool) (*plan, error) {
	decided := func(guarded bool) (*plan, error) {
		pl := &plan{program: p, root: root, within: within}
		if err := pl.takeInto(c.Into); err != nil {
			return nil, err
		}
		p.lives(root, pl.takeOptions(guarded))
		if pl.findInstances(); life.Parameterized(root) || !pl.convertible(root) {
			return nil, fmt.Errorf("convert: -root %s: it is generic, generated, main or init, has another text in other builds, or was not understood", c.Root)
		}
		pl.decide()
		return pl, nil
	}
	pl, err := decided(true)
	if err != nil || pl.guard == "" {
		return pl, err
	}
	plain, err := decided(false)
	if err != nil || plain.moving() >= pl.moving() {
		return plain, err
	}
	return decided(true)
}

// moving is how many sites move, as far as is known.
func (p *plan) moving() (n int) {
	for f := range p.needed() {
		for _, s := range f.sites {
			if s.Reason == "" {
				n++
			}
		}
	}
	return n
}

// takeInto takes the root's parameters of some names for those that end with the arena.
func (p *plan) takeInto(names []string) error {
	p.into = map[int]bool{}
	for _, name := range names {
		i := slices.IndexFunc(p.root.Params, func(v *ssa.Parameter) bool { return v.Name() == name })
		if i < 0 {
			return fmt.Errorf("convert: -into %s: %s has no parameter of that name", name, p.root)
		}
		p.into[i] = true
	}
	return nil
}

// Write writes the files.
func (r *Result) Write() error {
	var errs []error
	for name, text := range r.Files {
		mode := os.FileMode(0o644)
		if info, err := os.Stat(name); err == nil {
			mode = info.Mode()
		}
		errs = append(errs, os.WriteFile(name, text, mode))
	}
	return errors.Join(errs...)
}
