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
	"strings"
)

// Config says what to convert.
type Config struct {
	Dir      string
	Patterns []string
	Root     string
	Into     []string // names of the root's parameters that end with the arena
	NoTests  bool     // leave out the program's tests
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
	p.lives(root)
	pl := &plan{program: p, root: root, into: map[int]bool{}, within: within}
	for _, name := range c.Into {
		found := false
		for i, v := range root.Params {
			if v.Name() == name {
				pl.into[i], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("convert: -into %s: %s has no parameter of that name", name, root)
		}
	}
	if !pl.convertible(root) {
		return nil, fmt.Errorf("convert: -root %s: it is generic, generated, main or init, or was not understood", c.Root)
	}
	pl.decide()
	fixes, err := pl.rewrite()
	if err != nil {
		return nil, fmt.Errorf("convert: %w", err)
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
