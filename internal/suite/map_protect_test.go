//go:build arenacheck && !asan && (linux || darwin)

package suite

import (
	"strings"
	"testing"

	"github.com/ebbpool/arena"
)

// A Map's header and table are memory of its arena. Every use after Put or Reset faults. After Rewind, so
// does every use of the table of a Map that grew after the mark.
func TestStaleMapFaults(t *testing.T) {
	needsChecks(t)
	ends := map[string]func(n int) *arena.Map[int, int]{
		"Reset": func(n int) *arena.Map[int, int] {
			a := arena.NewArena(1024, 0)
			m := filledMap(a, n)
			a.Reset()
			return m
		},
		"Put": func(n int) *arena.Map[int, int] {
			p := arena.NewArenaPool(1024, 0)
			a := p.Get()
			m := filledMap(a, n)
			p.Put(a)
			return m
		},
		"Rewind": func(n int) *arena.Map[int, int] {
			a := arena.NewArena(1024, 0)
			m := arena.NewMap[int, int](a, 0)
			mark := a.Mark()
			for i := range n {
				m.Set(i, i)
			}
			a.Rewind(mark)
			return m
		},
	}
	uses := map[string]func(m *arena.Map[int, int]){
		"Get":    func(m *arena.Map[int, int]) { m.Get(1) },
		"Ptr":    func(m *arena.Map[int, int]) { m.Ptr(1) },
		"Set":    func(m *arena.Map[int, int]) { m.Set(1, 1) },
		"Delete": func(m *arena.Map[int, int]) { m.Delete(1) },
		"Clear":  func(m *arena.Map[int, int]) { m.Clear() },
		"All": func(m *arena.Map[int, int]) {
			for range m.All() {
			}
		},
		"Len": func(m *arena.Map[int, int]) { m.Len() },
	}
	for end, made := range ends {
		for _, n := range []int{1, 8, 100} {
			m := made(n)
			for use, f := range uses {
				if end == "Rewind" && use == "Len" {
					continue // the header is older than the mark
				}
				fault := faultOf(func() { f(m) })
				if fault == nil {
					t.Errorf("%s of a Map with %d entries after %s: no fault", use, n, end)
				} else if text := fault.Error(); !strings.Contains(text, "map_protect_test.go") {
					t.Errorf("%s after %s: the text does not say where the memory was taken back:\n%s", use, end, text)
				}
			}
		}
	}
}

func filledMap(a *arena.Arena, n int) *arena.Map[int, int] {
	m := arena.NewMap[int, int](a, 0)
	for i := range n {
		m.Set(i, i)
	}
	return m
}
