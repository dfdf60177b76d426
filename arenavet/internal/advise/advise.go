// Package advise predicts from profiles of a program what "arena convert" would save in it.
//
// A CPU profile's samples are the collector's, the allocator's or the program's. Each allocation belongs to a site: the
// first function of the program's own on its stack, and the line there. The analysis of package convert decides which
// sites move into an arena that ends with a call of the root. An allocation from an arena costs a fixed time and a time
// for each byte, and the collector's time falls with the bytes that no longer reach it. What a faster codec saves is
// counted apart.
package advise

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/convert"
	"github.com/ebbpool/arena/arenavet/internal/profile"
)

// Advise predicts what an arena would save.
func Advise(c Config) (*Advice, error) {
	a := &adviser{Config: c, sites: map[siteKey]*Site{}, lives: map[string]*life{}, lines: map[Line]*work{}}
	if a.suggest == nil {
		a.suggest = convert.Suggest
	}
	a.outside = Site{Why: "in goroutines without a function of these packages"}
	var err error
	if a.Dir, err = filepath.Abs(c.Dir); err != nil {
		return nil, err
	}
	if a.cpu, err = profile.ReadCPU(c.CPU); err != nil {
		return nil, err
	}
	if c.Allocs != "" {
		if a.allocs, err = profile.ReadAllocs(c.Allocs); err != nil {
			return nil, err
		}
	}
	if a.own, err = LoadOwn(a.Dir, c.Patterns); err != nil {
		return nil, err
	}
	if err := a.sameProgram(); err != nil {
		return nil, err
	}
	version, _ := goCommand(c.Dir, "env", "GOVERSION")
	a.goVersion = strings.TrimSpace(string(version))
	a.codecs = codecs(a.goVersion)
	if a.Root == "" {
		a.Root = a.findRoot()
	}
	a.collect()
	a.decide()
	return a.verdict(), nil
}

// sameProgram reports an error if a profile has no function of the packages, or if the profiles are of two binaries.
func (a *adviser) sameProgram() error {
	own := func(frames []profile.Frame) bool { return a.own.first(frames) >= 0 }
	if !slices.ContainsFunc(a.cpu.Samples, func(s profile.Sample) bool { return own(s.Frames) }) {
		return a.own.another(a.CPU)
	}
	if a.allocs == nil {
		return nil
	}
	if !slices.ContainsFunc(a.allocs.Stacks, func(s profile.Allocation) bool { return own(s.Frames) }) {
		return a.own.another(a.Allocs)
	}
	if x, y := a.cpu.BuildID, a.allocs.BuildID; x != "" && y != "" && x != y {
		return fmt.Errorf("advise: %s and %s are profiles of two binaries, with build IDs %.12s and %.12s", a.CPU, a.Allocs, x, y)
	}
	return nil
}

// another is the error for a profile of another program.
func (o *Own) another(file string) error {
	return fmt.Errorf("advise: %s: no function of the packages: profile of another program", file)
}

// collect sorts both profiles by sites.
func (a *adviser) collect() {
	for _, s := range a.cpu.Samples {
		t := a.site(s.Frames)
		switch s.Class {
		case profile.Malloc:
			t.Nanos += s.Nanos
			t.appends = t.appends || strings.HasPrefix(s.Entry, "growslice")
		case profile.Program, profile.Collector:
			a.addLine(&s)
			switch {
			case t.codec > 0 && s.Class == profile.Program:
				t.program += s.Nanos
			case t.codec > 0:
				t.assists += s.Nanos
			case s.Class == profile.Program:
				t.addWork(&s)
			}
		}
	}
	if a.allocs == nil {
		for _, t := range a.all() {
			t.Objects = t.Nanos / nanosOfMalloc(defaultSize)
			t.Bytes = t.Objects * defaultSize
		}
		a.notes = append(a.notes, "without -allocs sizes are guessed, and lifetimes are unknown")
		return
	}
	scale := a.scale()
	for _, x := range a.allocs.Stacks {
		t := a.site(x.Frames)
		t.Objects += x.Objects * scale
		t.Bytes += x.Bytes * scale
		t.life.add(x.LiveObjects, x.LiveSamples, x.Objects*scale)
		a.lifeOf(t).add(x.LiveObjects, x.LiveSamples, x.Objects*scale)
	}
}

// decide asks package convert which sites move, and finds why the others stay.
func (a *adviser) decide() {
	type place struct {
		file   string
		line   int
		called string
	}
	why := map[place]string{} // empty: it moves
	nothing := "no function of these packages makes enough of the allocations"
	if a.Root != "" {
		s, err := a.suggest(convert.Config{Dir: a.Dir, Patterns: a.Patterns, Root: a.Root, Strings: true, Shared: true})
		switch {
		case err != nil:
			nothing = strings.TrimPrefix(err.Error(), "convert: ")
			a.notes = append(a.notes, fmt.Sprintf("arena convert cannot convert %s: %s", a.Root, nothing))
		default:
			nothing = "arena convert does not move it"
			a.suggestion = s
			for _, x := range s.Places {
				key := place{x.File, x.Line, x.Called}
				if before, ok := why[key]; !ok || before != "" { // a line with several allocations counts as moved
					why[key] = x.Why
				}
			}
			if s.Given {
				a.notes = append(a.notes, fmt.Sprintf("a parameter of %s leads to some of the types: its values must also end with the arena", short(a.Root)))
			}
			if n := len(s.Warnings); n > 0 {
				a.notes = append(a.notes, fmt.Sprintf("arena convert asks about %s before it writes anything", convert.Count(n, "place")))
			}
		}
	} else {
		a.notes = append(a.notes, "no root: "+nothing+" (-root)")
	}
	for key, s := range a.sites {
		reason, known := why[place{s.File, s.Line, plain(key.called)}]
		switch {
		case s.codec > 0:
			s.Moves = true
		case !key.under && a.Root != "":
			s.Why = "not in a call of " + short(a.Root)
		case !known && s.Called != "":
			s.Why = "in " + s.Called
		case !known:
			s.Why = nothing
		case reason != "":
			s.Why = reason
		default:
			s.Why = a.outlives(s)
			s.Moves = s.Why == ""
		}
		s.finish(a.lines[s.key.line])
	}
}
