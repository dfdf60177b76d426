package convert

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Print prints the written files, the summary, and the allocations that stay.
func (r *Result) Print(w io.Writer) error {
	var b strings.Builder
	for _, name := range r.Names() {
		fmt.Fprintln(&b, r.p.relative(name))
	}
	for _, x := range r.Warnings {
		fmt.Fprintln(&b, x)
	}
	if r.Files == nil {
		_, err := io.WriteString(w, b.String())
		return err
	}
	fmt.Fprintf(&b, "%d of %s moved, in %s that take an arena.\n", r.Moved, Count(r.Sites, "allocation site"), Count(r.Functions, "function"))
	v := r.Verified
	if v.Calls > 0 {
		per := func(n int) float64 { return float64(n) / float64(v.Calls) }
		fmt.Fprintf(&b, "%s of %s in the tests: %.1f allocations each before, %.1f after.\n", Count(v.Calls, "call"), r.Root, per(v.Before), per(v.After))
	}
	if len(v.Modes) > 0 {
		fmt.Fprintf(&b, "The tests pass with %s.\n", strings.Join(v.Modes, " and "))
	}
	if len(v.FailedBefore) > 0 {
		fmt.Fprintf(&b, "Left out, because they fail without the conversion: %s.\n", strings.Join(v.FailedBefore, ", "))
	}
	if r.Untested > 0 {
		fmt.Fprintf(&b, "left: %s: no test runs them (-untested)\n", Count(r.Untested, "place"))
	}
	for _, d := range r.Dropped {
		fmt.Fprintln(&b, "left:", d)
	}
	for _, l := range r.Left {
		if v.Calls > 0 && l.Allocs >= 0.05 {
			fmt.Fprintf(&b, "left: %.1f allocations a call, %s: %s\n", l.Allocs, Count(l.Places, "place"), l.Why)
		} else {
			fmt.Fprintf(&b, "left: %s: %s\n", Count(l.Places, "place"), l.Why)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (w Warning) String() string {
	return fmt.Sprintf("%s: in %s: %s (%s)", w.At, w.Function, w.Text, w.Hint)
}

// Diff prints the changes as a diff.
func (r *Result) Diff(w io.Writer) error {
	for _, name := range r.Names() {
		f, err := os.CreateTemp("", filepath.Base(name))
		if err != nil {
			return err
		}
		_, err = f.Write(r.Files[name])
		if err == nil {
			err = f.Close()
		}
		rel := r.p.relative(name)
		out, _ := exec.Command("diff", "-u", "--label", rel, "--label", rel, name, f.Name()).Output()
		os.Remove(f.Name())
		if err != nil {
			return err
		}
		if _, err := w.Write(out); err != nil {
			return err
		}
	}
	return nil
}

// Flags returns the flags and packages of the conversion, ready to paste.
func (s *Suggestion) Flags() string { return s.flags(s.Own) }

func (s *Suggestion) flags(own []string) string {
	flags := "-root " + strings.NewReplacer("(*", "", "(", "", ")", "").Replace(s.Root)
	if len(own) > 0 {
		flags += " -own '" + strings.Join(own, ",") + "'"
	}
	if len(s.Carry) > 0 {
		flags += " -carry '" + strings.Join(s.Carry, ",") + "'"
	}
	return strings.Join(append([]string{flags, "-strings"}, s.Patterns...), " ")
}

// Print prints the command to paste, and the warnings.
func (s *Suggestion) Print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintln(&b, "arena convert "+s.Flags())
	switch {
	case s.Given:
		fmt.Fprintf(&b, "A parameter of %s leads to some of these types: its values must also end with the arena.\n", s.Root)
	case len(s.Shared) > 0:
		all := slices.Sorted(slices.Values(slices.Concat(s.Own, s.Shared)))
		fmt.Fprintf(&b, "If what a parameter of %s leads to also ends with the arena:\narena convert %s\n", s.Root, s.flags(all))
	}
	switch {
	case len(s.Cached) > 0:
		fmt.Fprintf(&b, "Package variables lead to %s. If a call of %s stores none there, add to -own.\n", strings.Join(s.Cached, ", "), s.Root)
	case len(s.Own) == 0:
		fmt.Fprintf(&b, "%s allocates no types of the module that can move.\n", s.Root)
	}
	if len(s.Warnings) > 0 {
		fmt.Fprintf(&b, "%s would be left:\n", Count(len(s.Warnings), "warning"))
	}
	for _, x := range s.Warnings {
		fmt.Fprintln(&b, x)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
