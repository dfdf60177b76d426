package machine

import (
	"math/rand/v2"
	"testing"
)

// Counts and bytes equal the results of a histogram by loops.
func TestUsedAgainstAHistogram(t *testing.T) {
	rnd := rand.New(rand.NewPCG(25, 0))
	var got, want struct {
		counts [UsedClasses]uint64
		bytes  uint64
		none   uint64
	}
	var u Used
	for _, bytes := range []uintptr{0, 1, 255, 256, 257, 512, 513, 64 << 20, 64<<20 + 1, 3 << 30} {
		for range 1000 {
			n := bytes
			if n != 0 && rnd.IntN(10) == 0 {
				n -= uintptr(rnd.IntN(int(min(n, 1000))))
			}
			class, bound := 0, uintptr(256)
			for ; n > bound && class < UsedClasses-1; bound *= 2 {
				class++
			}
			want.counts[class]++
			want.bytes += uint64(n)
			if n == 0 {
				want.none++
			}
			u.Add(n)
		}
	}
	if u.AddTo(&got.counts, &got.bytes, &got.none); got != want {
		t.Errorf("counted %v, want %v", got, want)
	}
}
