package suite

import (
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// The documented exception to zeroed memory: a write through a stale pointer to memory of a type with
// pointers may appear in a later New of the same type. If this test fails, the documentation promises too
// little. If other values were affected, it would promise too much.
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
