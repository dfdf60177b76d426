package readall

import (
	"math"
	"strconv"
	"testing"
)

// A stated size is not believed far beyond the bytes received, and must not overflow an int of 32 bits.
func TestCredible(t *testing.T) {
	for _, x := range []struct {
		has, size int64
		want      bool
	}{
		{0, 0, false}, {0, -1, false}, {0, math.MinInt64, false},
		{0, 1, true}, {0, trusted, true}, {0, trusted + 1, false}, {0, math.MaxInt64, false},
		{1 << 20, factor << 20, true}, {1 << 20, factor<<20 + 1, false},
		{1 << 27, 1<<31 - 1<<27 - 2, true}, {1 << 27, 1<<31 - 1<<27 - 1, strconv.IntSize == 64}, {1 << 28, 1<<32 + 5, false},
	} {
		c := collector{n: int(x.has)}
		if got := c.credible(x.size); got != x.want {
			t.Errorf("credible(%d) with %d bytes = %t, want %t", x.size, x.has, got, x.want)
		}
	}
}
