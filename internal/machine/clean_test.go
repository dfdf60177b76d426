package machine

import (
	"bytes"
	"testing"

	"github.com/ebbpool/arena/internal/check"
)

// Memory that was never used is zero and must not be cleared again, or a large MakeSlice would take time
// proportional to its size. The test writes to such memory behind the allocator's back: the first allocation
// must show the writes, and the next cycle must clear them.
func TestFreshMemoryIsNotClearedAgain(t *testing.T) {
	if check.On {
		t.Skip("no memory is used again")
	}
	const size = 1 << 16
	var r Region
	r.Init(4*size, 40*size)
	MakeSlice[byte](&r, size/2, size/2) // allocates the chunk with its full size
	al := &r.Noscan
	scribble := func() { copy(SliceAt[byte](al.Base, al.Lo, size, size), bytes.Repeat([]byte{0xff}, size)) }

	scribble()
	if b := MakeSlice[byte](&r, size, size); b[0] != 0xff || b[size-1] != 0xff {
		t.Error("fresh memory was cleared")
	}
	r.Empty()
	MakeSlice[byte](&r, size/2, size/2)
	if b := MakeSlice[byte](&r, size, size); bytes.ContainsFunc(b, func(r rune) bool { return r != 0 }) {
		t.Error("used memory was not cleared")
	}
	// Beyond the used part the chunk is still fresh.
	scribble()
	if b := MakeSlice[byte](&r, size, size); b[0] != 0xff || b[size-1] != 0xff {
		t.Error("fresh memory was cleared in the second cycle")
	}
}
