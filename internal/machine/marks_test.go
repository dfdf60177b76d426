package machine

import (
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// A cycle with a million marks must not cost memory in later cycles.
func TestMarksAreNotRetained(t *testing.T) {
	if check.On {
		t.Skip("every rewind seals chunks")
	}
	var r Region
	r.Init(4096, 40960)
	for _, marks := range []int{100_000, 500} {
		for range marks {
			r.Mark()
			New[byte](&r)
		}
		r.Empty()
		if n := uintptr(cap(r.marks.positions)) * xunsafe.SizeOf[position](); n > max(r.MaxRetained/8, marksRetained) {
			t.Errorf("%d bytes of %d marks are kept", n, marks)
		}
	}
	for range 10 {
		r.Mark()
		New[byte](&r)
	}
	r.Empty()
	if cap(r.marks.positions) == 0 {
		t.Error("a usual cycle's marks are not kept")
	}
}
