package suite

import (
	"strconv"
	"testing"

	"github.com/ebbpool/arena"
)

func FuzzEscape(f *testing.F) {
	for i := range 30 {
		f.Add([]byte(strconv.Itoa(i*7919)), uint8(i))
	}
	f.Fuzz(func(t *testing.T, choices []byte, n uint8) {
		a, other := arena.NewArena(1000, 1<<20), arena.NewArena(300, 0)
		for range 2 {
			checkGraph(t, choices, 1+int(n)%24, a, other)
		}
	})
}

// The collector must see all pointers in copies.
func TestGCEscapedGraphs(t *testing.T) {
	rounds := 80
	if hostile() || testing.Short() {
		rounds = 15
	}
	a, other := arena.NewArena(1000, 1<<20), arena.NewArena(300, 0)
	for i := range rounds {
		checkGraph(t, []byte(strconv.Itoa(i)+" collected"), 1+i%24, a, other)
		if i%10 == 9 {
			a.Release()
		}
	}
}
