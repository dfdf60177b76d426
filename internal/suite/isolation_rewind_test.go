package suite

import (
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
)

// A chunk that a rewind empties keeps what epochs before had of it, whatever comes next:
// a value that took a free chunk for itself began where the first epoch's values lie.
func TestIsolatedRewindFreesItsOwn(t *testing.T) {
	if check.On {
		t.Skip("nothing is used again")
	}
	isolatedRewinds[uint64](t)
	isolatedRewinds[*int](t)
}

// An epoch whose only values are texts that a rewind took back has had memory, too: the
// next one's text lay where they lie.
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
			t.Fatalf("the text of epoch %d is %q", n, text)
		}
	}
}

func isolatedRewinds[T any](t *testing.T) {
	for fill := range 80 {
		p := arena.NewArenaPool(1<<10, 2<<10)
		p.SetIsolation(true)
		had := map[*T]int{} // by which epoch
		for n := range 20 {
			a := p.Get()
			m := a.Mark()
			sizes := []int{100, 100, 0, 3 * fill, 80, 40, 20}
			for _, size := range sizes[6*((n+1)%2):] { // every other time only the last
				if size == 0 {
					a.Rewind(m)
				}
				s := arena.MakeSlice[T](a, size, size)
				for i := range s {
					if first, ok := had[&s[i]]; ok && first != n {
						t.Fatalf("%T: a slice of %d of epoch %d, after %d, got what epoch %d had", s, size, n, 3*fill, first)
					}
					had[&s[i]] = n
				}
			}
			p.Put(a)
		}
	}
}
