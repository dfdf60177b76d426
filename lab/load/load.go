// Package load measures servers that do the same: each in a process of its own on the
// loopback interface, by turns, in a closed loop, and then in open ones at parts of what the
// first of them did. Workers send the requests and measure each; they allocate nothing for
// one. Where there are two processors the server has all but the last, and the clients that.
package load

import (
	"context"
	"hash/crc32"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Sender is a worker's own: it sends one request at a time.
type Sender interface {
	// Prepare makes request i, which is no part of its latency unless it is late.
	Prepare(i int)
	// Send sends it and returns the answer, which is good until the next call. An answer that
	// may differ from run to run is nil.
	Send(i int) ([]byte, error)
}

// Load is workers, and what they have measured.
type Load struct {
	workers []*worker
}

// New returns a Load with a worker for each sender.
func New(senders []Sender) *Load {
	l := &Load{}
	for _, s := range senders {
		l.workers = append(l.workers, &worker{sender: s, hist: hdrhistogram.New(1, int64(time.Minute), 3)})
	}
	return l
}

// Total is the latencies of all requests, the sum of their answers' weights, how many
// failed, and an error of one of them.
func (l *Load) Total() (latency *hdrhistogram.Histogram, checksum uint64, errors int64, first error) {
	latency = hdrhistogram.New(1, int64(time.Minute), 3)
	for _, w := range l.workers {
		latency.Merge(w.hist)
		checksum += w.checksum
		errors += w.errors
		if w.first != nil {
			first = w.first
		}
	}
	return latency, checksum, errors, first
}

// worker sends requests one after another and measures each.
type worker struct {
	sender   Sender
	hist     *hdrhistogram.Histogram
	checksum uint64
	errors   int64
	first    error
}

// A Loop says when requests start. drive has w send requests until there are
// no more of them; all workers call it at once, and each request is sent once.
type Loop interface {
	// start begins the loop's time.
	start()
	drive(ctx context.Context, w *worker)
}

// closedLoop is the requests first to first+n-1, each as soon as a worker is
// free.
type closedLoop struct {
	first, n int
	next     atomic.Int64
}

// Closed is a closed loop of the requests first to first+n-1.
func Closed(first, n int) Loop { return &closedLoop{first: first, n: n} }

func (l *closedLoop) start() {}

func (l *closedLoop) drive(ctx context.Context, w *worker) {
	for ctx.Err() == nil {
		k := int(l.next.Add(1)) - 1
		if k >= l.n {
			return
		}
		w.sender.Prepare(l.first + k)
		w.send(l.first+k, time.Now())
		// A real worker parks here until its next request comes. One that
		// doesn't let go is stopped by the scheduler after 10 ms, in the middle
		// of a request, for as long as all others then run: that would drown
		// the collector's part in the tail.
		runtime.Gosched()
	}
}

// Run has the workers send all requests of a loop.
func (l *Load) Run(ctx context.Context, loop Loop) error {
	var wg sync.WaitGroup
	for _, w := range l.workers {
		wg.Go(func() { loop.drive(ctx, w) })
	}
	loop.start()
	wg.Wait()
	return ctx.Err()
}

// send sends request i, which was to start at start.
func (w *worker) send(i int, start time.Time) {
	out, err := w.sender.Send(i)
	end := time.Now()
	if err != nil {
		w.errors++
		w.first = err
	}
	// No value is refused: Max tells of one beyond the histogram's minute.
	_ = w.hist.RecordValue(min(max(int64(end.Sub(start)), 1), int64(time.Minute)))
	if out != nil {
		w.checksum += weigh(i, out)
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// weigh makes one number of a request's index and answer. The sum of them
// over all requests doesn't depend on their order, but changes when two
// requests get each other's answer. (The multiplications are those of
// SplitMix64's finalizer.)
func weigh(i int, answer []byte) uint64 {
	x := uint64(i)<<32 | uint64(crc32.Checksum(answer, castagnoli))
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
