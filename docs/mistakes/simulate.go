package main

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/ebbpool/arena"
)

// every is how many requests of a simulation there are for one that makes the mistake, and
// guardRate for one whose arena is guarded.
const every, guardRate = 200, 1000

// simulate serves so many requests, of which one in every makes a mistake, with a pool that
// guards arenas as in production, and prints how many of the mistakes were found.
func simulate(requests int, m mistake) {
	var found atomic.Int64
	pool.SetMisuseSampling(guardRate, func(*arena.MisuseReport) { found.Add(1) })
	newArena, soon = pool.Get, time.Millisecond
	out := os.Stdout
	os.Stdout, _ = os.Open(os.DevNull) // what each one says
	for i := range requests {
		if i%100_000 == 0 {
			runtime.GC() // as garbage of the requests has the runtime do: guarded memory is bounded
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
