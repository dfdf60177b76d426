// Package stress runs the workload's handler under load: many workers, a
// large live heap in the background, with a real HTTP server on the loopback
// interface or by calling the handler. Throughput is that of a closed loop;
// latency that of an open one, from the time a request was meant to start.
package stress

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/ebbpool/arena/lab/handlers"
	"github.com/ebbpool/arena/lab/load"
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
	senders := make([]load.Sender, c.Workers)
	for i := range senders {
		senders[i] = &worker{client: newClient(), source: source}
	}
	workers := load.New(senders)
	var measured load.Loop
	switch {
	case c.Rate > 0 && c.Mode == HTTP:
		measured = load.Open(load.Arrivals(c.Seed, c.Requests, c.Rate))
	case c.Rate > 0:
		measured = load.OpenAwake(load.Arrivals(c.Seed, c.Requests, c.Rate))
	default:
		measured = load.Closed(0, c.Requests)
	}

	// Building all this left a collection running, or due: let it finish, so
	// that the measured part pays for what it allocates itself and no more.
	// Afterwards no collection is forced: it would empty the pools.
	runtime.GC()
	var before, after snapshot
	// The warm-up's requests are other ones than the measured: they have the
	// indices behind them.
	if err := workers.Run(ctx, load.Closed(c.Requests, c.Warmup), nil); err != nil {
		return Result{}, err
	}
	workers.Reset()
	before.read()
	err := workers.Run(ctx, measured, progress)
	after.read()
	if err != nil {
		return Result{}, err
	}
	r := Result{Mode: c.Mode, Subject: c.Subject, Requests: c.Requests, Offered: c.Rate}
	fill(&r, &before, &after)
	total, checksum, failed, _ := workers.Total()
	r.Checksum, r.Errors = checksum, failed
	at := func(percentile float64) time.Duration { return time.Duration(total.ValueAtQuantile(percentile)) }
	r.P50, r.P90, r.P99, r.P999, r.P9999 = at(50), at(90), at(99), at(99.9), at(99.99)
	r.Max = time.Duration(total.Max())
	r.PeakRSS = peakRSS()
	if live.walk(1000) < 0 {
		return Result{}, fmt.Errorf("the live background is damaged")
	}
	return r, nil
}

// worker makes the payloads of a client's requests.
type worker struct {
	client  client
	source  *workloads.Source
	payload []byte
}

func (w *worker) Prepare(i int)            { w.payload = w.source.AppendPayload(w.payload[:0], i) }
func (w *worker) Send(int) ([]byte, error) { return w.client.send(w.payload) }

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
