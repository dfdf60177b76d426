package suite

import (
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// Objects of a slab outlive it, with what they refer to.
func TestGCSlabObjectsOutlive(t *testing.T) {
	var held []*allKinds
	func() {
		s := arena.NewSlab[allKinds](5)
		for i := range uint64(100) {
			x := s.New()
			x.set(i)
			if i > 0 {
				held[i-1].next = x
			}
			held = append(held, x)
		}
	}()
	first := held[0]
	held = nil
	testkit.Collect(3)
	i := uint64(0)
	for x := first; x != nil; x = x.next {
		if err := x.check(i); err != nil {
			t.Fatal(err)
		}
		i++
	}
	if i != 100 {
		t.Errorf("%d objects of 100", i)
	}
}

// A reset must pin nothing: what the objects referred to is garbage.
func TestGCSlabResetPinsNothing(t *testing.T) {
	s := arena.NewSlab[*[64]byte](64)
	freed := watch(t, 50, func(p *[64]byte) { *s.New() = p })
	s.Reset()
	freed()
	if *s.New() != nil {
		t.Error("not nil after Reset")
	}
}
