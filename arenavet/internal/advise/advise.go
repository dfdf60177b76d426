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

// Config is what Advise reads.
type Config struct {
	Dir       string // of the program's module
	CPU       string // the file of a CPU profile
	Allocs    string // of an allocation profile of the same load, or empty
	Requests  int    // how many requests the CPU profile covers, or 0
	Patterns  []string
	Survivors map[Line]float64 // what part of a line's objects outlives a test, where that was measured
}

// Line is a line of the program, by its package and the file's base name.
type Line struct {
	Package, File string
	Line          int
}

type siteKey struct {
	line   Line
	called string // the function of a library that allocates, or empty
}

// Site is one line that allocates, and what becomes of it.
type Site struct {
	Function string  `json:"function"`
	File     string  `json:"file"`
	Line     int     `json:"line"`
	Called   string  `json:"called,omitempty"`
	Kind     Kind    `json:"kind"`
	Outcome  string  `json:"outcome"`
	Use      string  `json:"use"`
	Nanos    float64 `json:"nanoseconds"` // of mallocgc
	Objects  float64 `json:"objects"`     // in the time of the CPU profile
	Bytes    float64 `json:"bytes"`
	Saved    float64 `json:"savedNanoseconds"`

	outcome Outcome
	outside bool // no own function is on the stack
	life    life
	codec   *codec
	grow    float64 // nanoseconds of growslice, without mallocgc
	work    float64 // nanoseconds of the program's that an arena saves beside those of mallocgc
	program float64 // nanoseconds of the program in a codec, and of the collector there
	assists float64
	entries map[Kind]float64
	key     siteKey
	path    string
}

type adviser struct {
	Config
	own       *Own
	cpu       *profile.CPU
	allocs    *profile.Allocs
	goVersion string
	sites     map[siteKey]*Site
	lives     map[string]*life   // of all sites of a function
	maps      map[string]float64 // nanoseconds that arena.Map saves in a function's work with maps
	outside   Site               // what no own function is on the stack of
	notes     []string
}

// Advise predicts what an arena would be worth.
func Advise(c Config) (*Advice, error) {
	a := &adviser{Config: c, sites: map[siteKey]*Site{}, lives: map[string]*life{}, maps: map[string]float64{}}
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
	a.collect()
	if err := a.decide(); err != nil {
		return nil, err
	}
	return a.verdict(), nil
}

// site is the one that a stack belongs to.
func (a *adviser) site(frames []profile.Frame) *Site {
	i := a.own.first(frames)
	if i < 0 {
		return &a.outside
	}
	f := frames[i]
	p, _ := a.own.Of(f)
	path := pathOf(p, f)
	key := siteKey{line: Line{p.ImportPath, path[strings.LastIndexAny(path, `/\`)+1:], f.Line}}
	if i > 0 {
		key.called = frames[i-1].Function
	}
	s := a.sites[key]
	if s == nil {
		s = &Site{Function: f.Function, File: path, Line: f.Line, Called: key.called, entries: map[Kind]float64{}, key: key, path: p.ImportPath}
		if k, ok := codecs(a.goVersion)[cutShape(key.called)]; ok {
			s.codec = &k
		}
		a.sites[key] = s
	}
	return s
}

// cutShape is a function's name without what the compiler says of its type arguments.
func cutShape(name string) string {
	name, _, _ = strings.Cut(name, "[")
	return name
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

func (a *adviser) all() []*Site {
	return append(slices.Collect(maps.Values(a.sites)), &a.outside)
}

// defaultSize is what a value is taken to have where no allocation profile says more.
const defaultSize = 64

// nanosOfMalloc is about what an allocation takes, without the collector's part of it.
func nanosOfMalloc(size float64) float64 { return 15 + 0.12*size }

// scale makes what the allocation profile counted to what happened while the CPU profile
// was taken. A profile since the program's start has no duration: then the time in mallocgc
// says how many allocations there were.
func (a *adviser) scale() float64 {
	if a.allocs.Seconds > 0 && a.cpu.Seconds > 0 {
		return a.cpu.Seconds / a.allocs.Seconds
	}
	return a.cpu.Classes[profile.Malloc] / (a.allocs.Objects * nanosOfMalloc(a.allocs.Bytes/a.allocs.Objects))
}

// decide finds what each site allocates, and what becomes of it.
func (a *adviser) decide() error {
	packages := map[string]bool{}
	for _, s := range a.sites {
		if s.Called == "" {
			packages[s.path] = true
		}
	}
	escaping, err := escapes(a.Dir, slices.Sorted(maps.Keys(packages)))
	if err != nil {
		a.notes = append(a.notes, fmt.Sprintf("the compiler can't be asked what escapes: %v", err))
	}
	for _, s := range a.sites {
		d := byLibrary(s.Called)
		switch {
		case s.codec != nil:
			s.Kind, d = kindLibrary, decision{Taken, "arenajson"}
		case s.Called != "":
			s.Kind = kindLibrary
		default:
			var entry Kind
			for k, n := range s.entries {
				if entry == "" || n > s.entries[entry] {
					entry = k
				}
			}
			s.Kind = kindAt(entry, escaping[lineKey{s.File, s.Line}])
			d = byKind[s.Kind]
		}
		s.outcome, s.Use = d.outcome, d.use
		if why := a.outlives(s); why != "" && s.outcome != Stays {
			s.outcome, s.Use = Stays, why
		}
		s.Outcome = s.outcome.String()
	}
	a.share()
	a.outside.Outcome = Stays.String()
	return nil
}
