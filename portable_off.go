//go:build !arenaportable && gc && !go1.28

package arena

// portable is off: types are looked up by their descriptors, as unsafe.go
// describes.
const portable = false
