package advise

import (
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/profile"
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

// stands adds a sample that is a line's own, or its write barriers'.
func (a *adviser) stands(s *profile.Sample) {
	barrier := strings.HasPrefix(s.Entry, "gcWriteBarrier")
	if len(s.Frames) == 0 || s.Entry != "" && !barrier {
		return
	}
	p, ok := a.own.Of(s.Frames[0])
	if !ok {
		return
	}
	key := placeOf(p, s.Frames[0])
	if a.lines[key] == nil {
		a.lines[key] = &work{}
	}
	if barrier {
		a.lines[key].barriers += s.Nanos
	} else {
		a.lines[key].program += s.Nanos
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
		if w := a.lines[s.key.line]; w != nil && s.Kind == kindAppend {
			room := max(w.program-ofGrowing*(s.grow+s.Nanos), 0)
			s.work -= addedAppend * room
			s.barrier += addedAppend * w.barriers * room / max(w.program, 1)
		}
		name := s.within()
		if s.Kind == kindMap && s.outcome != Stays && a.maps[name] > 0 {
			s.work += a.maps[name]
			delete(a.maps, name)
		}
	}
}
