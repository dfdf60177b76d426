package machine

import (
	"testing"

	"github.com/ebbpool/arena/internal/xunsafe"
)

type odd struct {
	p *int
	_ [3]int
	s string
}

// Memory that is taken back is cleared completely, and nothing beside it, whatever the number of pieces and
// whether or not elements fill them. Anything left would be kept alive and seen by the next user.
func TestClearTypedWhole(t *testing.T) {
	clearWhole[*int](t, func(p **int) { *p = new(int) }, func(p *(*int)) bool { return *p == nil })
	clearWhole[odd](t, func(p *odd) { p.p, p.s = new(int), "x" }, func(p *odd) bool { return p.p == nil && p.s == "" })
	clearWhole[[3000]string](t, func(p *[3000]string) { p[0], p[2999] = "a", "b" },
		func(p *[3000]string) bool { return p[0] == "" && p[2999] == "" })
}

func clearWhole[T any](t *testing.T, fill func(*T), empty func(*T) bool) {
	size := xunsafe.SizeOf[T]()
	perPiece := int(max(clearPiece/size, 1))
	near := int(clearNear / size)
	for _, n := range []int{0, 1, perPiece - 1, perPiece, perPiece + 1, 2 * perPiece, 5*perPiece + perPiece/2,
		2*near - 1, 2*near + 1, 4*near + near/2} {
		s := make([]T, n+2)
		for i := range s {
			fill(&s[i])
		}
		ClearTyped[T](xunsafe.DataOf(s), size, uintptr(n+1)*size)
		for i := range s {
			if inside := i != 0 && i != n+1; empty(&s[i]) != inside {
				t.Fatalf("%d values of %d bytes: value %d of [1, %d) is cleared: %t", n+2, size, i, n+1, !inside)
			}
		}
	}
}

// New first checks the allocator that was used most in the last cycle.
func TestBusiestAllocator(t *testing.T) {
	if !LayoutOK {
		t.Skip("allocators are not looked up by New")
	}
	var r Region
	r.Init(1024, 0)
	if r.Types.Busiest != vacant {
		t.Error("an allocator is the busiest before there is one")
	}
	first := allocatorOf[string](&r)
	second, third := allocatorOf[*int](&r), allocatorOf[odd](&r)
	if r.Types.Busiest != first {
		t.Error("the first allocator is not the busiest one, in the first cycle")
	}
	for _, want := range []*Allocator{second, third, first} {
		for _, al := range []*Allocator{first, second, third} {
			al.reserve(al.retention.unit)
			if al == want {
				al.reserve(8 * al.retention.unit)
				al.reserve(16 * al.retention.unit)
			}
		}
		if r.Empty(); r.Types.Busiest != want {
			t.Errorf("%v, not %v, is the busiest allocator", r.Types.Busiest.Key, want.Key)
		}
	}
	busiest := r.Types.Busiest
	if r.Empty(); r.Types.Busiest != busiest {
		t.Error("a cycle that took nothing changed the busiest allocator")
	}
	if r.Release(); r.Types.Busiest != vacant {
		t.Error("the busiest allocator is one that the region has no more")
	}
}
