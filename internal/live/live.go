// Package live connects package arena with the profile of live arenas, without making every program that
// imports package arena contain the profile's encoder.
package live

import "sync/atomic"

// Arena is a sampled arena in use. It does not keep the arena alive.
type Arena interface {
	Stack() []uintptr // of its Get
	Rate() int        // one Get in Rate was sampled
	Bytes() int       // current size of the chunks of the arena and its forks
}

// Profile holds the arenas in use.
type Profile interface {
	Add(Arena)
	Remove(Arena)
}

// Current is the profile to which sampled arenas are added at Get and from which they are removed at Put, or
// when they are found leaked. It is nil if the program has no profile.
var Current atomic.Pointer[Profile]
