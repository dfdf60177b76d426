package suite

import (
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// The documented exception to the promise of zeros: a write through a stale
// pointer, to memory of a type with pointers, shows up in a later
// New of that type. If this test fails, the documents promise too little; if
// more than the T at that very place were reached, they'd promise too much.
func TestStaleWritesReachOnlyTheSameType(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(4096, 0)
	stalePtr, staleFlat := arena.New[textPair](a), arena.New[uint64](a)
	a.Reset()
	stalePtr.a, *staleFlat = "stale", 7
	if x := arena.New[textPair](a); x != stalePtr || x.a != "stale" || x.b != "" {
		t.Errorf("the T with pointers holds %+v", *x)
	}
	if x := arena.New[uint64](a); x != staleFlat || *x != 0 {
		t.Errorf("the T without pointers holds %d: New should have cleared it", *x)
	}

}
