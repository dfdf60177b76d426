package load

import (
	"context"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"
)

// node is one object that stays: two links and a string, as in the caches, trees and
// sessions that a service holds while it serves.
type node struct {
	left, right *node
	name        string
	value       int64
}

// Live keeps objects alive. Each is an allocation of its own, and its links go to random
// others: what the collector must chase through memory, unlike an array of structs.
type Live struct {
	nodes []*node
	rng   *rand.Rand
}

// NewLive makes n objects.
func NewLive(n int) *Live {
	// There is nothing to free until all is there: collecting meanwhile would take most of
	// the time. Then a collection is due, which is none of the requests'.
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

// Replace puts new objects in the place of others, a thousandth of all every second, until ctx
// is done: the cache lives.
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
