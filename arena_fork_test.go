package arena

import (
	"testing"

	"github.com/ebbpool/arena/internal/check"
)

// Chunks that a forked arena moved to the pool's cache in earlier cycles do not count towards its maxRetained, so the cache
// gets the chunks of each large request.
func TestForkedArenaCachesEachCycle(t *testing.T) {
	if check.On || check.Race {
		t.Skip("no chunk is cached")
	}
	const maxRetained = 64 << 10
	p := NewArenaPool(1<<10, maxRetained)
	request := func(i int) {
		a := p.Get()
		defer p.Put(a)
		a.Fork()
		for range 2 + i%4/3*30 { // every fourth request is large
			MakeSlice[byte](a, 1000, 1000)
		}
	}
	for i := range 100 {
		request(i)
	}
	before := p.Stats()
	for i := range 400 {
		request(i)
	}
	if s := p.Stats(); s.DroppedBytes-before.DroppedBytes > maxRetained {
		t.Errorf("400 requests dropped %d bytes, want at most %d", s.DroppedBytes-before.DroppedBytes, maxRetained)
	}
}

// An arena and its forks have one maxRetained, also for the chunks that they move to the pool's cache.
func TestForksShareMaxRetained(t *testing.T) {
	const maxRetained = 64 << 10
	for forks := range 3 {
		p := NewArenaPool(1<<10, maxRetained)
		for i := range 40 {
			a := p.Get()
			all := []*Arena{a}
			for range forks {
				all = append(all, a.Fork())
			}
			for _, a := range all {
				for range 2 + i%4/3*50 {
					MakeSlice[byte](a, 1000, 1000)
				}
			}
			p.Put(a)
			// Later cycles may add at most maxRetained bytes to the chunks that earlier cycles left.
			if n := p.Stats().RetainedBytes; i < 4 && n > maxRetained || n > 2*maxRetained {
				t.Fatalf("%d forks: after request %d the pool has %d bytes, maxRetained is %d", forks, i, n, maxRetained)
			}
		}
	}
}
