package suite

import (
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
)

// In a chunk that a rewind empties, memory of earlier cycles stays theirs, whatever is allocated next. A
// large value that took the chunk for itself must not overlap it.
func TestIsolatedRewindFreesItsOwn(t *testing.T) {
	if check.On {
		t.Skip("nothing is used again")
	}
	isolatedRewinds[uint64](t)
	isolatedRewinds[*int](t)
}

// A cycle whose only values are strings that a rewind freed has used memory. The next cycle must not reuse
// it.
func TestIsolatedRewindOfTexts(t *testing.T) {
	if check.On {
		t.Skip("nothing is used again")
	}
	p := arena.NewArenaPool(4<<10, 0)
	p.SetIsolation(true)
	var kept []string
	for n := range 50 {
		a := p.Get()
		m := a.Mark()
		kept = append(kept, a.AllocString(isoText(n)))
		a.Rewind(m)
		p.Put(a)
	}
	for n, text := range kept {
		if text != isoText(n) {
			t.Fatalf("the text of cycle %d is %q", n, text)
		}
	}
}

func isolatedRewinds[T any](t *testing.T) {
	for fill := range 80 {
		p := arena.NewArenaPool(1<<10, 2<<10)
		p.SetIsolation(true)
		had := map[*T]int{} // cycle by address
		for n := range 20 {
			a := p.Get()
			m := a.Mark()
			sizes := []int{100, 100, 0, 3 * fill, 80, 40, 20}
			for _, size := range sizes[6*((n+1)%2):] { // only the last size in every other cycle
				if size == 0 {
					a.Rewind(m)
				}
				s := arena.MakeSlice[T](a, size, size)
				for i := range s {
					if first, ok := had[&s[i]]; ok && first != n {
						t.Fatalf("%T: a slice of %d of cycle %d, after %d, got what cycle %d had", s, size, n, 3*fill, first)
					}
					had[&s[i]] = n
				}
			}
			p.Put(a)
		}
	}
}
