package advice

import "github.com/ebbpool/arena"

// serveWorkersIn gives each goroutine a fork of the request's arena. Only the goroutines and the channel are
// allocated on the heap.
func serveWorkersIn(a *arena.Arena, text []byte) uint64 {
	parts := make(chan *part, workers)
	all := arena.MakeSlice[part](a, workers, workers)
	for w := range workers {
		go func() {
			piece := text[w*len(text)/workers : (w+1)*len(text)/workers]
			all[w] = part{worker: w, sum: sumOf(piece)}
			parts <- &all[w]
		}()
	}
	var sum uint64
	for range workers {
		p := <-parts
		sum ^= p.sum * uint64(2*p.worker+1)
	}
	return sum
}
