//go:build gc && go1.28 && !go1.29

package machine

// This toolchain is one release younger than the last that the suite has run on: the check at
// start-up decides.
const (
	Tested   = false
	HeapOnly = false
)
