//go:build !arenacheck

package arena

// checks is off: the lanes don't check themselves, and the code that would is
// not compiled.
const checks = false
