// Package advise predicts from profiles of a program what an arena would be worth in it,
// and where.
//
// A CPU profile's samples are the collector's, the allocator's or the program's. Each
// allocation belongs to a site: the first function of the program's own on its stack, and
// the line there. What the site allocates is known by the function of the runtime that it
// calls and by what the compiler sends to the heap on that line; what a library allocates
// goes by the library's function. What an arena takes then costs a fixed time and a time
// for each byte, and the collector's time falls with the bytes that no longer reach it.
package advise

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/profile"
)

// Advise predicts what an arena would be worth.
func Advise(c Config) (*Advice, error) {
	a := &adviser{Config: c, sites: map[siteKey]*Site{}, lives: map[string]*life{}, maps: map[string]float64{}, lines: map[Line]*work{}}
	a.outside = Site{Kind: kindOther, Use: "in goroutines without a function of these packages", outside: true}
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
	version := make(chan string, 1)
	go func() {
		out, _, _ := goCommand(c.Dir, "env", "GOVERSION")
		version <- strings.TrimSpace(string(out))
	}()
	a.own, err = LoadOwn(a.Dir, c.Patterns)
	a.goVersion = <-version
	if err != nil {
		return nil, err
	}
	if err := a.sameProgram(); err != nil {
		return nil, err
	}
	a.collect()
	if err := a.decide(); err != nil {
		return nil, err
	}
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
		switch s.Class {
		case profile.Malloc:
			t := a.site(s.Frames)
			t.Nanos += s.Nanos
			if t.Called == "" && !t.outside {
				t.entries[kindOfEntry(s.Entry)] += s.Nanos
			}
		case profile.Program, profile.Collector:
			a.stands(&s)
			if s.Class == profile.Program {
				a.saves(&s)
			}
			if i := a.own.first(s.Frames); i > 0 {
				if _, ok := codecs(a.goVersion)[cutShape(s.Frames[i-1].Function)]; ok {
					t := a.site(s.Frames)
					if s.Class == profile.Program {
						t.program += s.Nanos
					} else {
						t.assists += s.Nanos
					}
				}
			}
		}
	}
	if a.allocs == nil {
		for _, t := range a.all() {
			t.Objects = t.Nanos / nanosOfMalloc(defaultSize)
			t.Bytes = t.Objects * defaultSize
		}
		a.notes = append(a.notes, "without -allocs sizes are guessed, and what outlives a request isn't known")
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

// decide finds what each site allocates, and what becomes of it.
func (a *adviser) decide() error {
	packages := map[string]bool{}
	for _, s := range a.sites {
		if s.Called == "" {
			packages[s.path] = true
		}
	}
	escaping, _, err := Escapes(a.Dir, slices.Sorted(maps.Keys(packages)))
	if err != nil {
		a.notes = append(a.notes, fmt.Sprintf("the compiler can't be asked what escapes: %v", err))
	}
	for _, s := range a.sites {
		if s.Called == "" {
			s.Kind = kindAt(s.entry(), escaping[LineKey{s.File, s.Line}])
		}
	}
	boxed, err := a.mapsInInterfaces()
	if err != nil {
		a.notes = append(a.notes, fmt.Sprintf("which maps get into interfaces isn't known: %v", err))
	}
	for _, s := range a.sites {
		d := byLibrary(s.Called)
		switch {
		case s.codec != nil:
			s.Kind, d = kindLibrary, decision{Taken, "arenajson"}
		case s.Called != "":
			s.Kind = kindLibrary
		case s.Kind == kindMap && boxed[LineKey{s.File, s.Line}]:
			d = decision{Stays, "a map that gets into an interface, whose readers expect a builtin one"}
		default:
			d = byKind[s.Kind]
		}
		s.outcome, s.Use = d.outcome, d.use
		if why := a.outlives(s); why != "" && s.outcome != Stays {
			s.outcome, s.Use = Stays, why
		}
	}
	a.boxes()
	for _, s := range a.sites {
		s.Outcome = s.outcome.String()
	}
	a.share()
	a.outside.Outcome = Stays.String()
	return nil
}

// entry is what the most of a site's time in the runtime was called for, or nothing.
func (s *Site) entry() (most Kind) {
	for k, n := range s.entries {
		if most == "" || n > s.entries[most] || n == s.entries[most] && k < most { // the same in each run
			most = k
		}
	}
	return most
}
