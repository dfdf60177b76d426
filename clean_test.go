package arena

import (
	"bytes"
	"testing"
)

// Memory that was never handed out is zero, and clearing it again would make a
// large MakeSlice cost what its size is. Whether it is cleared can be seen
// without a clock: what a test scribbles into such room behind the arena's back
// must still be there when it is handed out, once; and must be cleared in the
// next life.
func TestFreshMemoryIsNotClearedAgain(t *testing.T) {
	needsReuse(t)
	const size = 1 << 16
	a := NewArena(4*size, 0)
	a.AllocBytes(8) // makes the chunk
	l := a.flatLane()
	scribble := func() { copy(sliceAt[byte](l.base, l.lo, size, size), bytes.Repeat([]byte{0xff}, size)) }

	scribble()
	if b := a.AllocBytes(size); b[0] != 0xff || b[size-1] != 0xff {
		t.Error("fresh memory was cleared")
	}
	a.Reset()
	a.AllocBytes(8)
	if b := a.AllocBytes(size); bytes.ContainsFunc(b, func(r rune) bool { return r != 0 }) {
		t.Error("used memory was not cleared")
	}
	// Behind what was used the chunk is still fresh.
	scribble()
	if b := a.AllocBytes(size); b[0] != 0xff || b[size-1] != 0xff {
		t.Error("fresh memory was cleared in the second life")
	}
}
