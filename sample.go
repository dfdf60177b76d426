package arena

import (
	"runtime"
	"sync/atomic"

	"github.com/ebbpool/arena/internal/live"
)

// stackDepth is how many of the innermost callers a sample has.
const stackDepth = 32

type stack [stackDepth]uintptr

// sample is the stack of one Get.
type sample struct {
	stack   stack
	profile live.Profile // where it was entered, nil for nowhere
	key     int64        // under which
}

var lastSample atomic.Int64

// takeSample notes the stack of a call of Get.
func takeSample() *sample {
	const own = 3 // takeSample, started and Get
	s := new(sample)
	runtime.Callers(own+1, s.stack[:])
	if profile := live.Current.Load(); profile != nil {
		s.profile, s.key = *profile, lastSample.Add(1)
		s.profile.Add(s.key, own+1)
	}
	return s
}

// end notes that the arena is out no more.
func (s *sample) end() {
	if s.profile != nil {
		s.profile.Remove(s.key)
	}
}
