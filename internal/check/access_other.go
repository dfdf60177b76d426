//go:build arenacheck && !(linux || darwin)

package check

import "errors"

// allowAccess can't forbid anything here: what is taken back is filled.
func allowAccess(b []byte, allow bool) error { return errors.ErrUnsupported }

// reserve has no addresses to give that nobody can access, but nil.
func reserve(n int) Pointer { return nil }
