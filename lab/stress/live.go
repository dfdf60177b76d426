package stress

import (
	"math/rand/v2"
	"runtime/debug"
)

// node is one object of the live background: two links and a string, as in
// the caches, trees and sessions that a service holds while it serves.
type node struct {
	left, right *node
	name        string
	value       int64
}

// background keeps n objects alive. Each is an allocation of its own, and the
// links go to random others: what the collector must chase through memory,
// unlike an array of structs, in whatever order it finds them.
type background []*node

func newBackground(n int, seed uint64) background {
	// There is nothing to free until all is there: collecting meanwhile would
	// take most of the time.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	rng := rand.New(rand.NewPCG(seed, 0x6c697665))
	names := make([]string, 4096)
	for i := range names {
		names[i] = string(rune('a'+i%26)) + "-session"
	}
	b := make(background, n)
	for i := range b {
		b[i] = &node{name: names[rng.IntN(len(names))], value: int64(i)}
	}
	for _, x := range b {
		x.left, x.right = b[rng.IntN(n)], b[rng.IntN(n)]
	}
	return b
}

// walk follows links from the first object: reading them after the measured
// part keeps the whole graph alive until then.
func (b background) walk(steps int) int64 {
	if len(b) == 0 {
		return 0
	}
	var sum int64
	x := b[0]
	for range steps {
		sum += x.value + int64(len(x.name))
		if sum%2 == 0 {
			x = x.left
		} else {
			x = x.right
		}
	}
	return sum
}
