//go:build linux || darwin

package guard

import (
	"syscall"

	"github.com/ebbpool/arena/internal/xunsafe"
)

const canProtect = true

// allowAccess allows or forbids all access to whole pages.
func allowAccess(b []byte, allow bool) error {
	prot := syscall.PROT_NONE
	if allow {
		prot = syscall.PROT_READ | syscall.PROT_WRITE
	}
	return syscall.Mprotect(b, prot)
}

// reserve returns n bytes of inaccessible addresses, or nil.
func reserve(n int) xunsafe.Pointer {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return xunsafe.DataOf(b)
}
