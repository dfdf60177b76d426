package suite

import (
	"testing"

	"github.com/ebbpool/arena"
)

// In heap mode a slice that grows again counts only with its new size. If it was freed by Release or Rewind
// in between, its size must not be subtracted twice.
func TestHeapModeGrownSliceTakenBack(t *testing.T) {
	arena.SetEnabled(false)
	defer arena.SetEnabled(true)
	const limit, total = 1 << 20, 1 << 21
	for name, takeBack := range map[string]func(*arena.Arena, func()){
		"Release": func(a *arena.Arena, grow func()) { grow(); a.Release() },
		"Reset":   func(a *arena.Arena, grow func()) { grow(); a.Reset() },
		"Rewind":  func(a *arena.Arena, grow func()) { m := a.Mark(); grow(); a.Rewind(m) },
		"none":    func(a *arena.Arena, grow func()) { grow() },
	} {
		t.Run(name, func(t *testing.T) {
			p := arena.NewArenaPool(1024, 1<<20)
			p.SetLimit(limit, total)
			a := p.Get()
			defer p.Put(a)
			var s []byte
			takeBack(a, func() { s = arena.Append(a, s, make([]byte, 10_000)...) })
			m := a.Mark()
			arena.Append(a, s[:0:0], 1)
			if got := a.Stats(); got.UsedBytes < 1 || got.UsedBytes > 1000 {
				t.Errorf("%d bytes used once one byte was appended", got.UsedBytes)
			}
			arena.MakeSlice[byte](a, 500_000, 500_000)
			a.Rewind(m)
			if got := p.Stats(); got.InUseBytes > 20_000 {
				t.Errorf("%d bytes in use after Rewind", got.InUseBytes)
			}
		})
	}
}

// A slice may move to less capacity than it had at a mark.
func TestHeapModeRewindToMore(t *testing.T) {
	arena.SetEnabled(false)
	defer arena.SetEnabled(true)
	p := arena.NewArenaPool(1024, 1<<20)
	p.SetLimit(0, 1<<20)
	a := p.Get()
	defer p.Put(a)
	arena.MakeSlice[byte](a, 500_000, 500_000)
	s := arena.Append(a, []byte(nil), make([]byte, 10_000)...)
	m := a.Mark()
	arena.Append(a, s[:0:0], 1)
	a.Rewind(m)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a slice of 600,000 bytes fits the total of 1 MB beside one of 500,000")
			}
		}()
		arena.MakeSlice[byte](a, 600_000, 600_000)
	}()
}
