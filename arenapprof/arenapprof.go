// Package arenapprof adds a profile to package runtime/pprof: the arenas that
// pools have handed out and not got back, with the stacks of their Gets. It is
// imported for that effect alone:
//
//	import _ "github.com/ebbpool/arena/arenapprof"
//
// The profile's name is github.com/ebbpool/arena.live. It has the arenas of
// those pools that sample, see ArenaPool.SetLeakSampling, and counts samples: with
// one Get in a hundred, one stands for about a hundred. Where package
// net/http/pprof serves profiles, it is at
// /debug/pprof/github.com/ebbpool/arena.live.
//
// It is a package of its own because runtime/pprof takes a few hundred
// kilobytes of a program, which those who don't want the profile should not pay.
package arenapprof

import (
	"runtime/pprof"

	"github.com/ebbpool/arena/internal/live"
)

// Name is the name of the profile, for pprof.Lookup.
const Name = "github.com/ebbpool/arena.live"

func init() {
	var p live.Profile = pprof.NewProfile(Name)
	live.Current.Store(&p)
}
