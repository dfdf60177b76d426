//go:build arenaportable || !gc || go1.28

package machine

// clearsPointers is off: each type's own function clears its memory.
const clearsPointers = false
