package load

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// Arrivals are the times at which n requests are meant to start: those of a
// Poisson process, in which callers know nothing of each other, so that some
// come in bunches. They follow from the seed, and fill n/rate seconds
// exactly: every subject meets the same ones.
func Arrivals(seed uint64, n int, rate float64) []time.Duration {
	rng := rand.New(rand.NewPCG(seed, 0x6172726976616c))
	sums := make([]float64, n)
	sum := 0.0
	for i := range sums {
		sum += rng.ExpFloat64()
		sums[i] = sum
	}
	// With one more gap behind the last, the sums in parts of their total are
	// those of a Poisson process that has had n arrivals in that time.
	scale := float64(n) / rate * float64(time.Second) / (sum + rng.ExpFloat64())
	at := make([]time.Duration, n)
	for i := range at {
		at[i] = time.Duration(sums[i] * scale)
	}
	return at
}

// nap is the longest time until a worker sees that the run was cancelled.
const nap = 100 * time.Millisecond

// openClients is an open loop over the network: its workers are clients that sleep
// until the next arrival, since the runtime looks at the network only when nobody is
// ready to run. A client that is free in time begins when it wakes, which may be some
// time late and is not the server's fault; one that isn't has its request begin when
// it was meant to. With fewer clients than requests wait, arrivals pass all the same.
type openClients struct {
	at    []time.Duration
	begin time.Time
	ready chan struct{} // closed when begin is known
	next  atomic.Int64
}

// Open is an open loop over a network.
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
