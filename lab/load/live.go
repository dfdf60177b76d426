package load

import (
	"context"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"
)

// node is a long-lived object: two links and a string, as in the caches, trees and sessions of a service.
type node struct {
	left, right *node
	name        string
	value       int64
}

// Live keeps objects alive. Each is a separate allocation with links to random others, which the collector
// must follow through memory, unlike an array of structs.
type Live struct {
	nodes []*node
	rng   *rand.Rand
}

// NewLive returns n live objects.
func NewLive(n int) *Live {
	// There is no garbage until all objects exist, and collections would take most of the time. The
	// collection at the end does not count for requests.
	defer runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	c := &Live{make([]*node, n), rand.New(rand.NewPCG(1, 0x6c697665))}
	for i := range c.nodes {
		c.nodes[i] = &node{name: strconv.Itoa(i), value: int64(i)}
	}
	for _, x := range c.nodes {
		x.left, x.right = c.any(), c.any()
	}
	return c
}

func (c *Live) any() *node { return c.nodes[c.rng.IntN(len(c.nodes))] }

// Replace replaces a thousandth of all objects every second until ctx is done, like a cache.
func (c *Live) Replace(ctx context.Context) {
	const perSecond = 100
	tick := time.NewTicker(time.Second / perSecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		<-tick.C
		for range len(c.nodes) / 1000 / perSecond {
			c.nodes[c.rng.IntN(len(c.nodes))] = &node{left: c.any(), right: c.any()}
		}
	}
}
