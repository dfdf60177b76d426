// Package live is where package arena, which must not make every program that
// imports it carry package runtime/pprof, finds the profile of live arenas, if
// the program wants one.
package live

import "sync/atomic"

// Profile has the methods that package arena needs of a [runtime/pprof.Profile].
type Profile interface {
	Add(value any, skip int)
	Remove(value any)
}

// Current is the profile that sampled arenas enter at Get and leave at Put, or
// when they are found to be leaked; nil for none. Its values are numbers, never
// arenas: a profile keeps what is in it.
var Current atomic.Pointer[Profile]
