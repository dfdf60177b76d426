package advice

import (
	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/lab/load/payloads"
)

// part is the result of one goroutine.
type part struct {
	worker int
	sum    uint64
}

const workers = 4

func serveWorkers(text []byte) uint64 {
	parts := make(chan *part, workers)
	for w := range workers {
		go func() {
			piece := text[w*len(text)/workers : (w+1)*len(text)/workers]
			parts <- &part{worker: w, sum: sumOf(piece)}
		}()
	}
	var sum uint64
	for range workers {
		p := <-parts
		sum ^= p.sum * uint64(2*p.worker+1)
	}
	return sum
}

func newWorkers() (all [][]byte, plain Serve, inArena func(*arena.Arena, []byte) uint64) {
	return payloads.Pages(5, 40), serveWorkers, serveWorkersIn
}
