//go:build arenacheck

package arena

// invariants turns on the lanes' own checks of themselves, after everything
// that moves chunks: for tests, and for those who suspect this package.
const invariants = true
