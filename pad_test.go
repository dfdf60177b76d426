package arena

import (
	"testing"
	"unsafe"
)

// Two arenas in use on two cores must not share a cache line, or each slows
// the other: their sizes are multiples of one, which the allocator's size
// classes then keep apart.
func TestNoSharedCacheLines(t *testing.T) {
	if unsafe.Sizeof(witness{}) != 0 {
		t.Skip("arenas are larger where the checks for misuse are compiled in")
	}
	if s := unsafe.Sizeof(Arena{}); s%64 != 0 {
		t.Errorf("Arena has %d bytes, not a multiple of 64: change arenaPad by %d", s, 64-s%64)
	}
	if s := unsafe.Sizeof(account{}); s%64 != 0 {
		t.Errorf("account has %d bytes, not a multiple of 64: change accountPad by %d", s, 64-s%64)
	}
}
