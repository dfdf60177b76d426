//go:build !arenacheck

package arena

// invariants is off: the lanes don't check themselves, and the code that would
// is not compiled.
const invariants = false
