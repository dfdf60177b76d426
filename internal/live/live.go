// Package live is where package arena, which must not make every program that
// imports it carry an encoder of profiles, finds the profile of live arenas, if
// the program wants one.
package live

import "sync/atomic"

// Arena is a sampled arena that is out. It keeps no arena alive.
type Arena interface {
	Stack() []uintptr // of its Get
	Rate() int        // one Get in so many was sampled
	Bytes() int       // the size of its chunks and its forks' now
}

// Profile has the arenas that are out.
type Profile interface {
	Add(Arena)
	Remove(Arena)
}

// Current is the profile that sampled arenas enter at Get and leave at Put, or
// when they are found to be leaked; nil for none.
var Current atomic.Pointer[Profile]
