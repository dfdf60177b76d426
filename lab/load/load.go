// Package load compares servers that do the same work, each in its own process on the loopback interface, in
// turn: in a closed loop, and then in open loops at fractions of the first server's throughput. Workers send
// the requests and measure each; they do not allocate. On several processors the server has all but the last,
// and the clients have the last.
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

// Sender belongs to a worker and sends one request at a time.
type Sender interface {
	// Prepare prepares request i. Its time is not part of the latency unless the request is late.
	Prepare(i int)
	// Send sends request i and returns the response, which is valid until the next call. It returns nil for a
	// response that may differ between runs.
	Send(i int) ([]byte, error)
}

// Load holds workers and their measurements.
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

// Total returns the latencies of all requests, the sum of the weights of their responses, the number of
// failures, and one of the errors.
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

// A Loop determines when requests start. All workers call drive, which makes w send requests until there are
// no more. Each request is sent once.
type Loop interface {
	// start begins the loop's time.
	start()
	drive(ctx context.Context, w *worker)
}

// closedLoop sends the requests first to first+n-1, each as soon as a worker is free.
type closedLoop struct {
	first, n int
	next     atomic.Int64
}

// Closed returns a closed loop of the requests first to first+n-1.
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
		// A real worker would block here until its next request. Without yielding, a worker is preempted
		// after 10 ms, in the middle of a request, for as long as all others run, which would hide the
		// collector's share of the tail.
		runtime.Gosched()
	}
}

// Run sends all requests of a loop.
func (l *Load) Run(ctx context.Context, loop Loop) error {
	var wg sync.WaitGroup
	for _, w := range l.workers {
		wg.Go(func() { loop.drive(ctx, w) })
	}
	loop.start()
	wg.Wait()
	return ctx.Err()
}

// send sends request i, which was scheduled at start.
func (w *worker) send(i int, start time.Time) {
	out, err := w.sender.Send(i)
	end := time.Now()
	if err != nil {
		w.errors++
		w.first = err
	}
	// Values beyond a minute are recorded as a minute.
	_ = w.hist.RecordValue(min(max(int64(end.Sub(start)), 1), int64(time.Minute)))
	if out != nil {
		w.checksum += weigh(i, out)
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// weigh returns a hash of a request's index and response. The sum over all requests does not depend on their
// order, but changes if two requests get each other's response. The multiplications are from SplitMix64's
// finalizer.
func weigh(i int, answer []byte) uint64 {
	x := uint64(i)<<32 | uint64(crc32.Checksum(answer, castagnoli))
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
