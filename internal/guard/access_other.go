//go:build !(linux || darwin)

package guard

import (
	"errors"

	"github.com/ebbpool/arena/internal/xunsafe"
)

const canProtect = false

// allowAccess can't forbid anything here: what is taken back is filled.
func allowAccess(b []byte, allow bool) error { return errors.ErrUnsupported }

// reserve has no addresses to give that nobody can access, but nil.
func reserve(n int) xunsafe.Pointer { return nil }
