package advise

import (
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/profile"
)

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

// saves adds what an arena would save of a sample of the program's own work.
func (a *adviser) saves(s *profile.Sample) {
	frames := s.Runtime()
	if len(frames) == 0 {
		return
	}
	has := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(s.Entry, p) {
				return true
			}
		}
		return false
	}
	copies := frames[0].Function == "runtime.memmove" || strings.HasPrefix(frames[0].Function, "runtime.typedmemmove")
	switch {
	case has("growslice"):
		a.site(s.Frames).grow += s.Nanos
	case copies && has("concat", "slicebytetostring", "stringtoslice"):
		a.site(s.Frames).work += savedCopy * s.Nanos
	case has("map", "internal/runtime/maps"):
		part := 0.0
		switch {
		case rehashes(frames):
			part = savedRehash
		case has("mapassign"):
			part = savedAssign
		case has("mapaccess"):
			part = savedAccess
		}
		if t := a.site(s.Frames); !t.outside {
			a.maps[t.path+" "+outer(t.Function)] += part * s.Nanos
		}
	}
}

// largeBytes is from what mean size on the time to grow a slice is that of copying it.
const largeBytes = 200

// grown adds what a site saves of growing slices, once its sizes are known.
func (s *Site) grown() {
	if s.Objects > 0 && s.Bytes/s.Objects >= largeBytes {
		s.work += savedLarge * s.grow
	} else {
		s.work += savedGrow * s.grow
	}
}

// rehashes reports whether a map is moved to larger memory.
func rehashes(frames []profile.Frame) bool {
	for _, f := range frames {
		switch f.Function {
		case "internal/runtime/maps.(*table).grow", "internal/runtime/maps.(*table).split", "internal/runtime/maps.newTable",
			"internal/runtime/maps.(*Map).growToTable", "internal/runtime/maps.(*Map).growToSmall":
			return true
		}
	}
	return false
}

// share gives what a function saves in its work with maps to one of its sites that make a map,
// if an arena takes it. A map that the function doesn't make is not the request's.
func (a *adviser) share() {
	for _, s := range a.sites {
		s.grown()
		name := s.path + " " + outer(s.Function)
		if s.Kind == kindMap && s.outcome != Stays && a.maps[name] > 0 {
			s.work += a.maps[name]
			delete(a.maps, name)
		}
	}
}
