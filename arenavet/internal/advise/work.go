package advise

import (
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/profile"
)

// The parts of the program's own work that an arena saves beside mallocgc.
const (
	savedCopy  = 0.6 // of copying into memory of the heap, which is in no cache yet
	savedGrow  = 0.3 // of growslice: the newest slice of an arena grows in its place
	savedLarge = 0.8 // of growslice, if slices are large
	largeBytes = 200 // mean size from which the time to grow a slice is the time of copying it
)

// If there is room, as on a stack, arena.Append costs more than append: it copies a slice of one element by a call, of
// pointers by two, and their write barriers are also a call.
const (
	addedAppend = 3.5  // as a part of the time of append
	ofGrowing   = 0.25 // the line's own time if an append grows, as a part of growing
)

// addWork adds a sample of the program's work that an arena would save in part.
func (t *Site) addWork(s *profile.Sample) {
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
		t.grow += s.Nanos
	case copies && has("concat", "slicebytetostring", "stringtoslice"):
		t.work += savedCopy * s.Nanos
	}
}

// addLine adds a sample that is a line's own, or its write barriers'.
func (a *adviser) addLine(s *profile.Sample) {
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

// finish computes what s saves of growing slices, and what its appends add in the rest of their line's time.
func (s *Site) finish(line *work) {
	if !s.appends && s.grow == 0 {
		return
	}
	if s.Objects > 0 && s.Bytes/s.Objects >= largeBytes {
		s.work += savedLarge * s.grow
	} else {
		s.work += savedGrow * s.grow
	}
	if line != nil {
		room := max(line.program-ofGrowing*(s.grow+s.Nanos), 0)
		s.work -= addedAppend * room
		s.barrier += addedAppend * line.barriers * room / max(line.program, 1)
	}
}
