// Package stress runs the workload's handler under load: many workers, a
// large live heap in the background, with a real HTTP server on the loopback
// interface or by calling the handler. Throughput is that of a closed loop;
// latency that of an open one, from the time a request was meant to start.
package stress

import (
	"context"
	"fmt"
	"hash/crc32"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/ebbpool/arena/lab/handlers"
	"github.com/ebbpool/arena/lab/workloads"
)

// Modes of a run.
const (
	Handler = "handler" // workers call the handler
	HTTP    = "http"    // workers are clients of a server in the same process
)

// Config says what one process runs.
type Config struct {
	Mode     string
	Subject  string
	Requests int // measured ones
	Warmup   int // requests before them
	Live     int // objects in the background
	Workers  int // goroutines that send requests, each one at a time
	Seed     uint64
	// Rate is the number of requests that arrive each second, whether or not
	// others are done (an open loop). 0: a worker sends its next request when
	// it has the answer to its last (a closed loop).
	Rate float64
}

// The rates that an open loop can have: what is slower than one request in
// 1,000 seconds, or closer than nanoseconds, no clock here can time.
const (
	leastRate = 1e-3
	mostRate  = 1e9
)

func (c Config) check() error {
	if c.Mode != Handler && c.Mode != HTTP {
		return fmt.Errorf("unknown mode %q; there are %q and %q", c.Mode, Handler, HTTP)
	}
	if c.Requests < 1 || c.Warmup < 0 || c.Live < 0 || c.Workers < 1 {
		return fmt.Errorf("no such run: %d requests, %d to warm up, %d live objects, %d workers",
			c.Requests, c.Warmup, c.Live, c.Workers)
	}
	if c.Rate != 0 && !(c.Rate >= leastRate && c.Rate <= mostRate) {
		return fmt.Errorf("a rate of %g requests per second: it is %g to %g, or 0 for a closed loop",
			c.Rate, leastRate, mostRate)
	}
	return nil
}

// A client sends one payload and returns the answer, which is good until its
// next call.
type client interface {
	send(payload []byte) ([]byte, error)
}

// Run serves c.Requests requests in this process and returns what it cost.
// progress, if not nil, is called now and then with the number of requests
// done so far.
func Run(ctx context.Context, c Config, progress func(done int)) (Result, error) {
	if err := c.check(); err != nil {
		return Result{}, err
	}
	h, err := handlers.New(c.Subject)
	if err != nil {
		return Result{}, err
	}
	return runHandler(ctx, c, h, progress)
}

func runHandler(ctx context.Context, c Config, h handlers.Handler, progress func(done int)) (Result, error) {
	newClient := func() client { return &direct{handler: h} }
	if c.Mode == HTTP {
		srv, err := serve(h, c.Workers)
		if err != nil {
			return Result{}, err
		}
		defer srv.close()
		newClient = srv.client
	}
	live := newBackground(c.Live, c.Seed)
	source := workloads.NewSource(c.Seed, c.Requests+c.Warmup)
	workers := make([]*worker, c.Workers)
	var done atomic.Int64
	for i := range workers {
		workers[i] = &worker{
			client: newClient(),
			hist:   hdrhistogram.New(1, int64(time.Minute), 3),
			source: source,
			done:   &done,
		}
	}
	var measured loop
	switch {
	case c.Rate > 0 && c.Mode == HTTP:
		measured = newOpenClients(arrivals(c.Seed, c.Requests, c.Rate))
	case c.Rate > 0:
		measured = newOpenLoop(0, arrivals(c.Seed, c.Requests, c.Rate))
	default:
		measured = &closedLoop{n: c.Requests}
	}

	// Building all this left a collection running, or due: let it finish, so
	// that the measured part pays for what it allocates itself and no more.
	// Afterwards no collection is forced: it would empty the pools.
	runtime.GC()
	var before, after snapshot
	// The warm-up's requests are other ones than the measured: they have the
	// indices behind them.
	if err := phase(ctx, workers, &closedLoop{first: c.Requests, n: c.Warmup}, nil); err != nil {
		return Result{}, err
	}
	done.Store(0)
	for _, w := range workers {
		w.hist.Reset()
		w.checksum, w.errors = 0, 0
	}
	before.read()
	err := phase(ctx, workers, measured, progress)
	after.read()
	if err != nil {
		return Result{}, err
	}
	r := Result{Mode: c.Mode, Subject: c.Subject, Requests: c.Requests, Offered: c.Rate}
	fill(&r, &before, &after)
	total := hdrhistogram.New(1, int64(time.Minute), 3)
	for _, w := range workers {
		total.Merge(w.hist)
		r.Checksum += w.checksum
		r.Errors += w.errors
	}
	at := func(percentile float64) time.Duration { return time.Duration(total.ValueAtQuantile(percentile)) }
	r.P50, r.P90, r.P99, r.P999, r.P9999 = at(50), at(90), at(99), at(99.9), at(99.99)
	r.Max = time.Duration(total.Max())
	r.PeakRSS = peakRSS()
	if live.walk(1000) < 0 {
		return Result{}, fmt.Errorf("the live background is damaged")
	}
	return r, nil
}

// worker sends requests one after another and measures each.
type worker struct {
	client   client
	source   *workloads.Source
	hist     *hdrhistogram.Histogram
	done     *atomic.Int64 // of all workers
	payload  []byte
	checksum uint64
	errors   int64
}

// A loop says when requests start. drive has w send requests until there are
// no more of them; all workers call it at once, and each request is sent once.
type loop interface {
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

func (l *closedLoop) start() {}

func (l *closedLoop) drive(ctx context.Context, w *worker) {
	for ctx.Err() == nil {
		k := int(l.next.Add(1)) - 1
		if k >= l.n {
			return
		}
		w.prepare(l.first + k)
		w.send(l.first+k, time.Now())
		// A real worker parks here until its next request comes. One that
		// doesn't let go is stopped by the scheduler after 10 ms, in the middle
		// of a request, for as long as all others then run: that would drown
		// the collector's part in the tail.
		runtime.Gosched()
	}
}

// phase has the workers send all requests of a loop.
func phase(ctx context.Context, workers []*worker, l loop, progress func(int)) error {
	var wg sync.WaitGroup
	for _, w := range workers {
		wg.Go(func() { l.drive(ctx, w) })
	}
	l.start()
	stop := make(chan struct{})
	var watch sync.WaitGroup
	if progress != nil {
		watch.Go(func() {
			tick := time.NewTicker(250 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-stop:
					return
				case <-tick.C:
					progress(int(workers[0].done.Load()))
				}
			}
		})
	}
	wg.Wait()
	close(stop)
	watch.Wait()
	return ctx.Err()
}

// prepare makes the payload of request i, which is no part of its latency
// unless it is late.
func (w *worker) prepare(i int) {
	w.payload = w.source.AppendPayload(w.payload[:0], i)
}

// send sends the payload of request i, which was to start at start.
func (w *worker) send(i int, start time.Time) {
	out, err := w.client.send(w.payload)
	end := time.Now()
	if err != nil {
		w.errors++
	}
	// No value is refused: Max tells of one beyond the histogram's minute.
	_ = w.hist.RecordValue(min(max(int64(end.Sub(start)), 1), int64(time.Minute)))
	w.checksum += weigh(i, out)
	w.done.Add(1)
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

// direct calls the handler without a network.
type direct struct {
	handler handlers.Handler
	out     []byte
}

func (d *direct) send(payload []byte) ([]byte, error) {
	out, err := d.handler.Serve(d.out[:0], payload)
	d.out = out
	return out, err
}
