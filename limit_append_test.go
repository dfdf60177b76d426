package arena

import (
	"testing"

	"github.com/ebbpool/arena/internal/testkit"
)

// A slice that grows leaves what it was behind; a limit of four times its size
// must do, wherever it starts, as the documentation says.
func TestLimitLetsSlicesGrow(t *testing.T) {
	testkit.NeedsReuse(t)
	for _, limit := range []int{4 << 10, 64 << 10, 1 << 20, 3_000_000} {
		for _, chunk := range []int{64, 4096, 64 << 10, 1 << 20} {
			for _, piece := range []int{1, 100, 1000} {
				for _, total := range []bool{false, true} {
					p := NewArenaPool(chunk, 0)
					if total {
						p.Limit(0, limit)
					} else {
						p.Limit(limit, 0)
					}
					a := p.Get()
					for life := range 4 {
						if over := refused(t, func() {
							var b []byte
							var s []*int
							for len(b)+8*len(s)+piece <= limit/4 {
								if life%2 == 0 {
									b = Append(a, b, make([]byte, piece)...)
								} else {
									s = Append(a, s, make([]*int, piece/8+1)...)
								}
							}
						}); over != nil {
							t.Errorf("limit %d, chunk %d, pieces of %d, life %d: %v", limit, chunk, piece, life, over)
						}
						checkMeter(t, a)
						p.Put(a)
						a = p.Get()
					}
				}
			}
		}
	}
}

// Two that grow by turns leave more behind: a twelfth of the limit for each must do.
func TestLimitLetsTwoSlicesGrow(t *testing.T) {
	testkit.NeedsReuse(t)
	for _, limit := range []int{4 << 10, 64 << 10, 1 << 20, 3_000_000} {
		for _, chunk := range []int{64, 4096, 64 << 10, 1 << 20} {
			for _, piece := range []int{1, 100, 1000} {
				a := NewArena(chunk, 0)
				a.Limit(limit)
				for life := range 4 {
					if over := refused(t, func() {
						var b, c []byte
						for len(b)+piece <= limit/12 {
							b = Append(a, b, make([]byte, piece)...)
							c = Append(a, c, make([]byte, piece)...)
						}
					}); over != nil {
						t.Errorf("limit %d, chunk %d, pieces of %d, life %d: %v", limit, chunk, piece, life, over)
					}
					checkMeter(t, a)
					a.Reset()
				}
			}
		}
	}
}

// Append asks for more than it needs; where only that goes over the limit,
// it must make do with less.
func TestLimitAppendTakesWhatIsThere(t *testing.T) {
	a := NewArena(1024, 0)
	a.Limit(100_000)
	s := MakeSlice[byte](a, 40_000, 40_000)
	other := New[uint64](a) // s can't grow in place
	if over := refused(t, func() { s = Append(a, s, 1) }); over != nil {
		t.Fatal(over)
	}
	if len(s) != 40_001 || s[40_000] != 1 || *other != 0 {
		t.Errorf("len %d, %d", len(s), s[40_000])
	}
	checkMeter(t, a)
}
