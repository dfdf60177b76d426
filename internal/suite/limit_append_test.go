package suite

import (
	"errors"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// A slice that grows leaves old copies behind. A limit of four times its size must suffice from any start, as
// documented.
func TestLimitLetsSlicesGrow(t *testing.T) {
	testkit.NeedsReuse(t)
	for _, limit := range []int{4 << 10, 64 << 10, 1 << 20, 3_000_000} {
		for _, chunk := range []int{64, 4096, 64 << 10, 1 << 20} {
			for _, piece := range []int{1, 100, 1000} {
				for _, total := range []bool{false, true} {
					p := arena.NewArenaPool(chunk, 0)
					if total {
						p.SetLimit(0, limit)
					} else {
						p.SetLimit(limit, 0)
					}
					a := p.Get()
					for cycle := range 4 {
						if over := refused(t, func() {
							var b []byte
							var s []*int
							for len(b)+8*len(s)+piece <= limit/4 {
								if cycle%2 == 0 {
									b = arena.Append(a, b, make([]byte, piece)...)
								} else {
									s = arena.Append(a, s, make([]*int, piece/8+1)...)
								}
							}
						}); over != nil {
							t.Errorf("limit %d, chunk %d, pieces of %d, cycle %d: %v", limit, chunk, piece, cycle, over)
						}
						withinLimit(t, a, limit)
						if held, counted := a.Stats().RetainedBytes, p.Stats().InUseBytes; held != counted {
							t.Fatalf("%d bytes are there, and %d counted", held, counted)
						}
						p.Put(a)
						a = p.Get()
					}
				}
			}
		}
	}
}

// Two slices that grow in turn leave more behind. A twelfth of the limit for each must work.
func TestLimitLetsTwoSlicesGrow(t *testing.T) {
	testkit.NeedsReuse(t)
	for _, limit := range []int{4 << 10, 64 << 10, 1 << 20, 3_000_000} {
		for _, chunk := range []int{64, 4096, 64 << 10, 1 << 20} {
			for _, piece := range []int{1, 100, 1000} {
				a := arena.NewArena(chunk, 0)
				a.SetLimit(limit)
				for cycle := range 4 {
					if over := refused(t, func() {
						var b, c []byte
						for len(b)+piece <= limit/12 {
							b = arena.Append(a, b, make([]byte, piece)...)
							c = arena.Append(a, c, make([]byte, piece)...)
						}
					}); over != nil {
						t.Errorf("limit %d, chunk %d, pieces of %d, cycle %d: %v", limit, chunk, piece, cycle, over)
					}
					withinLimit(t, a, limit)
					a.Reset()
				}
			}
		}
	}
}

// Append requests more than it needs. If only the surplus exceeds the limit, it uses less.
func TestLimitAppendTakesWhatIsThere(t *testing.T) {
	a := arena.NewArena(1024, 0)
	a.SetLimit(100_000)
	s := arena.MakeSlice[byte](a, 40_000, 40_000)
	other := arena.New[uint64](a) // s cannot grow in place
	if over := refused(t, func() { s = arena.Append(a, s, 1) }); over != nil {
		t.Fatal(over)
	}
	if len(s) != 40_001 || s[40_000] != 1 || *other != 0 {
		t.Errorf("len %d, %d", len(s), s[40_000])
	}
	withinLimit(t, a, 100_000)
}

// refused returns the LimitError of f, or nil.
func refused(t *testing.T, f func()) (over *arena.LimitError) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			if err, _ := v.(error); !errors.As(err, &over) {
				panic(v)
			}
		}
	}()
	f()
	return nil
}

func withinLimit(t *testing.T, a *arena.Arena, limit int) {
	t.Helper()
	if held := a.Stats().RetainedBytes; held > limit {
		t.Fatalf("%d bytes with a limit of %d", held, limit)
	}
}

// If twice the slice fits, half of the rest stays available.
func TestLimitAppendLeavesHalf(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(1024, 0)
	a.SetLimit(100_000)
	s := arena.MakeSlice[byte](a, 30_000, 30_000)
	arena.New[uint64](a)
	if over := refused(t, func() { s = arena.Append(a, s, 1) }); over != nil {
		t.Fatal(over)
	}
	if cap(s) > 36_000 {
		t.Errorf("a capacity of %d bytes is more than half of what was left", cap(s))
	}
	if over := refused(t, func() { a.AllocBytes(30_000) }); over != nil {
		t.Errorf("nothing is left for others: %v", over)
	}
}

// A slice that grows up to the limit moves only a few times, because it takes half of the rest each time.
func TestLimitAppendMovesSeldom(t *testing.T) {
	testkit.NeedsReuse(t)
	for _, limit := range []int{64 << 10, 1 << 20} {
		for _, chunk := range []int{64, 64 << 10} {
			for _, alone := range []bool{true, false} {
				a := arena.NewArena(chunk, 0)
				a.SetLimit(limit)
				if !alone {
					arena.New[*int](a)
				}
				var s []*int
				var first **int
				moves := 0
				over := refused(t, func() {
					for {
						was := len(s)
						if s = arena.Append(a, s, nil); was > 0 && &s[0] != first {
							moves++
						}
						first = &s[0]
					}
				})
				if over == nil || moves > 60 {
					t.Errorf("limit %d, chunk %d: %d moves of %d values: %v", limit, chunk, moves, len(s), over)
				}
				withinLimit(t, a, limit)
			}
		}
	}
}
