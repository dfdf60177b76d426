//go:build !arenaportable && gc && !go1.28

package machine

// clearsPointers says that assumption A8 holds: [clearPointers] clears memory of every
// type. No check at start-up can tell, so it is off from the first toolchain on that the
// suite has not run on; each type's own function clears its memory there.
const clearsPointers = true
