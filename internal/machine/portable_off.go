//go:build !arenaportable && gc && !go1.29

package machine

// Portable is off: types are looked up by their descriptors, see layout.go.
const Portable = false
