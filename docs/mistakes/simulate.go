package main

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/ebbpool/arena"
)

// One in every requests of a simulation makes the mistake, and one in guardRate requests has a guarded arena.
const every, guardRate = 200, 1000

// simulate serves requests with a pool that guards arenas as in production, and prints how many of the mistakes were
// found.
func simulate(requests int, m mistake) {
	var found atomic.Int64
	pool.SetMisuseSampling(guardRate, func(*arena.MisuseReport) { found.Add(1) })
	newArena, soon = pool.Get, time.Millisecond
	out := os.Stdout
	os.Stdout, _ = os.Open(os.DevNull) // drops the output of each mistake
	for i := range requests {
		if i%100_000 == 0 {
			runtime.GC() // as a server's garbage would cause it, because guarded memory is bounded
		}
		if i%every == 0 {
			try(m.make)
		} else {
			nextRequest(pool)
		}
	}
	os.Stdout = out
	fmt.Println("found:", found.Load(), "guarded:", pool.Stats().Guarded)
}
