package advise

import (
	"maps"
	"slices"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/profile"
)

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
	work    float64 // nanoseconds of the program's that an arena saves beside those of mallocgc, less what it adds
	barrier float64 // nanoseconds of write barriers that an arena adds, while the collector marks as often
	program float64 // nanoseconds of the program in a codec, and of the collector there
	assists float64
	entries map[Kind]float64
	key     siteKey
	path    string
}

// within names the function that a site is in.
func (s *Site) within() string { return s.path + " " + outer(s.Function) }

// Config has Advise's input.
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

// work is what a line takes without what it calls, in nanoseconds.
type work struct{ program, barriers float64 }

func placeOf(p Package, f profile.Frame) Line {
	path := pathOf(p, f)
	return Line{p.ImportPath, path[strings.LastIndexAny(path, `/\`)+1:], f.Line}
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
	lines     map[Line]*work     // of lines of the program, without what they call
	outside   Site               // what no own function is on the stack of
	notes     []string
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
	key := siteKey{line: placeOf(p, f)}
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

func (a *adviser) all() []*Site {
	return append(slices.Collect(maps.Values(a.sites)), &a.outside)
}

// scale makes what the allocation profile counted to what happened while the CPU profile
// was taken. A profile since the program's start has no duration: then the time in mallocgc
// says how many allocations there were.
func (a *adviser) scale() float64 {
	if a.allocs.Seconds > 0 && a.cpu.Seconds > 0 {
		return a.cpu.Seconds / a.allocs.Seconds
	}
	return a.cpu.Classes[profile.Malloc] / (a.allocs.Objects * nanosOfMalloc(a.allocs.Bytes/a.allocs.Objects))
}

// defaultSize is a value's size where no allocation profile tells it.
const defaultSize = 64

// nanosOfMalloc is about what an allocation takes, without the collector's part of it.
func nanosOfMalloc(size float64) float64 { return 15 + 0.12*size }

// grown adds what a site saves of growing slices, once its sizes are known.
func (s *Site) grown() {
	if s.Objects > 0 && s.Bytes/s.Objects >= largeBytes {
		s.work += savedLarge * s.grow
	} else {
		s.work += savedGrow * s.grow
	}
}

// What part of the program's own work an arena saves beside mallocgc, at sites that it takes.
// The parts are those that fit the programs of lab/advice, and docs/numbers.md for maps.
const (
	savedCopy   = 0.6  // copying into memory of the heap, which is in no cache yet
	savedGrow   = 0.3  // growslice: the newest slice of an arena grows in its place
	savedLarge  = 0.8  // the same, where slices are large
	savedRehash = 0.9  // moving a map's entries to a larger table: arena.Map grows fourfold
	savedAssign = 0.4  // entering into a map that grows
	savedAccess = 0.25 // reading one that was just made
)

// What arena.Append adds where there is room, as on a stack: it copies a slice of one element by
// a call, of pointers by two, and their write barriers are a call, too.
const (
	addedAppend = 3.5  // as a part of what append takes there: stacks of interfaces, of pointers and of integers
	ofGrowing   = 0.25 // what the line takes itself where an append grows, as a part of growing
)

// largeBytes is from what mean size on the time to grow a slice is that of copying it.
const largeBytes = 200

// LineKey is a line of a file.
type LineKey struct {
	File string
	Line int
}

// Place is one in a line: columns are bytes, from 1.
type Place struct {
	LineKey
	Column int
}

// life tells how long values live, as far as that is known.
type life struct {
	live    float64 // how many are in use
	samples float64 // how many of those the profiler saw
	made    float64 // how many were made in the time of the CPU profile
}

func (l *life) add(live, samples, made float64) {
	l.live += live
	l.samples += samples
	l.made += made
}
