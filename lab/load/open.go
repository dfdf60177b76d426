package load

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// Arrivals returns the start times of n requests as a Poisson process: callers are independent, so some requests
// arrive in bunches. They depend on the seed and fill exactly n/rate seconds, so
// every subject gets the same times.
func Arrivals(seed uint64, n int, rate float64) []time.Duration {
	rng := rand.New(rand.NewPCG(seed, 0x6172726976616c))
	sums := make([]float64, n)
	sum := 0.0
	for i := range sums {
		sum += rng.ExpFloat64()
		sums[i] = sum
	}
	// With one more gap after the last, the partial sums divided by the total are distributed like a Poisson
	// process with n arrivals in that time.
	scale := float64(n) / rate * float64(time.Second) / (sum + rng.ExpFloat64())
	at := make([]time.Duration, n)
	for i := range at {
		at[i] = time.Duration(sums[i] * scale)
	}
	return at
}

// nap is the longest time until a worker notices that the run was canceled.
const nap = 100 * time.Millisecond

// openClients is an open loop over the network. Its workers are clients that sleep until the next arrival,
// because the runtime polls the network only when no goroutine is ready. The request of a client that is free
// in time starts when the client wakes, which may be late and is not the server's fault. Otherwise the
// request starts at its scheduled time. If more requests wait than there are clients, arrivals continue on
// schedule.
type openClients struct {
	at    []time.Duration
	begin time.Time
	ready chan struct{} // closed when begin is known
	next  atomic.Int64
}

// Open returns an open loop over a network.
func Open(at []time.Duration) Loop {
	return &openClients{at: at, ready: make(chan struct{})}
}

func (l *openClients) start() {
	l.begin = time.Now()
	close(l.ready)
}

func (l *openClients) drive(ctx context.Context, w *worker) {
	<-l.ready
	for {
		k := int(l.next.Add(1)) - 1
		if k >= len(l.at) {
			return
		}
		w.sender.Prepare(k)
		start := l.begin.Add(l.at[k])
		for left := time.Until(start); left > 0; left = time.Until(start) {
			time.Sleep(min(left, nap))
			if ctx.Err() != nil {
				return
			}
			if now := time.Now(); now.After(start) {
				start = now
				break
			}
		}
		if ctx.Err() != nil {
			return
		}
		w.send(k, start)
	}
}
