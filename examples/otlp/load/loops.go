//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/mem"
)

// most bounds the requests of one round.
const most = 500_000

// export is the method that is called.
const export = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

// ready is a codec for a request that is bytes already, so that what a client does is
// the same, and little, for both servers.
type ready struct{}

func (ready) Name() string { return "proto" }
func (ready) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}
func (ready) Unmarshal(data mem.BufferSlice, v any) error {
	if n := data.Len(); n != 0 { // a reply that says nothing is empty
		return fmt.Errorf("the server rejects what it was sent: %d bytes", n)
	}
	return nil
}

// send makes one request.
func (s *server) send(ctx context.Context, turn int, data []byte) error {
	return s.conns[turn%len(s.conns)].Invoke(ctx, export, data, nil)
}

// closed keeps clients requests under way for span. It returns how many were answered,
// and the server's CPU time.
func (s *server) closed(ctx context.Context, data []byte, span time.Duration, clients int) (n int, spent, cpu time.Duration, err error) {
	before, err := s.used()
	if err != nil {
		return 0, 0, 0, err
	}
	began := time.Now()
	var done atomic.Int64
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for time.Since(began) < span && failed.Load() == nil && done.Load() < most {
				if err := s.send(ctx, c, data); err != nil {
					failed.Store(&err)
					return
				}
				done.Add(1)
			}
		})
	}
	all.Wait()
	spent = time.Since(began)
	if err := failed.Load(); err != nil {
		return 0, 0, 0, *err
	}
	after, err := s.used()
	return int(done.Load()), spent, after - before, err
}

// open sends a request every 1/rate seconds for span, answered or not, and returns how
// long each took, from when it was due, the shortest first: a client that waits would not see
// what waits with it.
func (s *server) open(ctx context.Context, data []byte, span time.Duration, rate float64) ([]time.Duration, error) {
	n := min(int(rate*span.Seconds()), most)
	if n == 0 {
		return nil, errors.New("the load is less than one request")
	}
	took := make([]time.Duration, n)
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	began := time.Now()
	for i := range took {
		due := began.Add(time.Duration(float64(i) / rate * float64(time.Second)))
		time.Sleep(time.Until(due))
		all.Go(func() {
			if err := s.send(ctx, i, data); err != nil {
				failed.Store(&err)
			}
			took[i] = time.Since(due)
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return nil, *err
	}
	slices.Sort(took)
	return took, nil
}
