package pace

import "testing"

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		bytes, live uint64
		want        int
	}{{256 << 20, 4 << 20, 6400}, {256 << 20, 64 << 20, 400}, {256 << 20, 256 << 20, 100}, {256 << 20, 400 << 20, 64}, {256 << 20, 2 << 30, 50}, {1 << 30, 0, 10_000}} {
		if got := percent(c.bytes, c.live); got != c.want {
			t.Errorf("percent(%d, %d) is %d, want %d", c.bytes, c.live, got, c.want)
		}
	}
}
