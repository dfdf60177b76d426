package advise

import (
	"maps"
	"slices"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/convert"
	"github.com/ebbpool/arena/arenavet/internal/profile"
)

// Config is the input of Advise.
type Config struct {
	Dir      string // of the program's module
	CPU      string // the file of a CPU profile
	Allocs   string // the file of an allocation profile of the same load, or empty
	Requests int    // that the CPU profile covers, or 0
	Root     string // the function whose call the arena ends with, or empty to find it
	Patterns []string

	suggest func(convert.Config) (*convert.Suggestion, error) // convert.Suggest, or a test's
}

type siteKey struct {
	line   Line
	called string // the function of a library that allocates, or empty
	under  bool   // in a call of the root
}

// Site is one line that allocates, or that calls a function of a library that does.
type Site struct {
	Function string  `json:"function"`
	File     string  `json:"file"`
	Line     int     `json:"line"`
	Called   string  `json:"called,omitempty"`
	Moves    bool    `json:"moves"` // into the arena, or to arenajson
	Why      string  `json:"why,omitempty"`
	Nanos    float64 `json:"nanoseconds"` // of mallocgc
	Objects  float64 `json:"objects"`     // in the time of the CPU profile
	Bytes    float64 `json:"bytes"`
	Saved    float64 `json:"savedNanoseconds"`

	life    life
	codec   float64 // how many times as long as arenajson it takes, or 0
	appends bool    // growslice allocates
	grow    float64 // nanoseconds of growslice, without mallocgc
	work    float64 // nanoseconds of the program's that an arena saves beside those of mallocgc, less what it adds
	barrier float64 // nanoseconds of write barriers that an arena adds, while the collector marks as often
	program float64 // nanoseconds of the program in a codec, and of the collector there
	assists float64
	key     siteKey
	path    string
}

// within names the function that a site is in.
func (s *Site) within() string { return s.path + " " + outer(s.Function) }

// Line is a line of the program, by its package and the file's base name.
type Line struct {
	Package, File string
	Line          int
}

func placeOf(p Package, f profile.Frame) Line {
	path := pathOf(p, f)
	return Line{p.ImportPath, path[strings.LastIndexAny(path, `/\`)+1:], f.Line}
}

type adviser struct {
	Config
	own        *Own
	cpu        *profile.CPU
	allocs     *profile.Allocs
	goVersion  string
	codecs     map[string]float64
	suggestion *convert.Suggestion
	sites      map[siteKey]*Site
	lives      map[string]*life // of all sites of a function
	lines      map[Line]*work   // of lines of the program, without what they call
	outside    Site             // of stacks without a function of the packages
	notes      []string
}

// site returns the site that a stack belongs to.
func (a *adviser) site(frames []profile.Frame) *Site {
	i := a.own.first(frames)
	if i < 0 {
		return &a.outside
	}
	f := frames[i]
	p, _ := a.own.Of(f)
	path := pathOf(p, f)
	key := siteKey{line: placeOf(p, f), under: slices.ContainsFunc(frames[i:], a.isRoot)}
	if i > 0 {
		key.called = frames[i-1].Function
	}
	s := a.sites[key]
	if s == nil {
		s = &Site{Function: f.Function, File: path, Line: f.Line, Called: key.called, key: key, path: p.ImportPath, codec: a.codecs[profile.CutTypes(key.called)]}
		a.sites[key] = s
	}
	return s
}

func (a *adviser) all() []*Site {
	return append(slices.Collect(maps.Values(a.sites)), &a.outside)
}

// scale relates the counts of the allocation profile to the time of the CPU profile. A profile since the program's
// start has no duration: then the time in mallocgc says how many allocations there were.
func (a *adviser) scale() float64 {
	if a.allocs.Seconds > 0 && a.cpu.Seconds > 0 {
		return a.cpu.Seconds / a.allocs.Seconds
	}
	return a.cpu.Classes[profile.Malloc] / (a.allocs.Objects * nanosOfMalloc(a.allocs.Bytes/a.allocs.Objects))
}

// defaultSize is the assumed size of a value without an allocation profile.
const defaultSize = 64

// nanosOfMalloc estimates the time of an allocation, without the collector's part.
func nanosOfMalloc(size float64) float64 { return 15 + 0.12*size }

// costOf estimates the time of allocations, without the collector's part.
func costOf(objects, bytes float64) float64 {
	if objects == 0 {
		return 0
	}
	return objects * nanosOfMalloc(bytes/objects)
}

// isRoot reports whether a frame is of the root, or of a function literal in it.
func (a *adviser) isRoot(f profile.Frame) bool {
	name, want := plain(outer(profile.CutTypes(f.Function))), plain(a.Root)
	return want != "" && (name == want || strings.HasSuffix(name, "/"+want) || symbol(name) == want)
}

// symbol returns a function's name within its package.
func symbol(name string) string {
	_, last, _ := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".")
	return last
}

// work is the time of a line without its calls, in nanoseconds.
type work struct{ program, barriers float64 }

// life is an estimate of the lifetime of values.
type life struct {
	live    float64 // values in use
	samples float64 // values in use that the profiler sampled
	made    float64 // values allocated in the time of the CPU profile
}

func (l *life) add(live, samples, made float64) {
	l.live += live
	l.samples += samples
	l.made += made
}
