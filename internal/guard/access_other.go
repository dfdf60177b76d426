//go:build !(linux || darwin)

package guard

import (
	"errors"

	"github.com/ebbpool/arena/internal/xunsafe"
)

const canProtect = false

// allowAccess is not supported on this system.
func allowAccess(b []byte, allow bool) error { return errors.ErrUnsupported }

// reserve returns nil because this system cannot reserve addresses.
func reserve(n int) xunsafe.Pointer { return nil }
