//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"time"

	"github.com/ebbpool/arena/examples/orders/store"
	"github.com/ebbpool/arena/examples/orders/traffic"
)

// outside measures the time of requests outside of the database: both services in one process, in turn, on
// one goroutine and one processor. The time is processor time of the process, including the collector's. It
// writes nanoseconds per request for each round.
func outside(ctx context.Context, to io.Writer, dir string, rounds int) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	services := map[string]http.Handler{}
	for _, side := range sides {
		path, err := begin(ctx, dir)
		if err == nil {
			err = os.Rename(path, path+side)
		}
		if err != nil {
			return err
		}
		s, err := store.OpenWith(ctx, "timed", store.SQLite(path+side))
		if err != nil {
			return err
		}
		defer s.Close()
		services[side] = newService(side, s)
	}
	const batch = 400
	for round := range rounds*5 + 1 { // the first one warms up
		sums := map[string]uint32{}
		for i := range sides {
			side := sides[(i+round)%len(sides)]
			requests := mix(uint64(round), batch)
			prepared := make([]*http.Request, batch)
			for k, r := range requests {
				prepared[k] = prepare(ctx, r)
			}
			w := &recorder{header: http.Header{}}
			runtime.GC()
			cost := clockCost()
			inDriver, calls = 0, 0
			begin := cpu()
			for k, r := range prepared {
				w.begin()
				services[side].ServeHTTP(w, r)
				if w.status >= 300 {
					return fmt.Errorf("%s: %s %s: %d %s", side, requests[k].Method, requests[k].Path, w.status, w.body)
				}
				if requests[k].Method == http.MethodGet {
					sums[side] += crc32.ChecksumIEEE(w.body)
				}
			}
			took := cpu() - begin - inDriver - time.Duration(calls)*cost/2 // the other half is in inDriver
			if round > 0 {
				fmt.Fprintf(to, "BenchmarkService/service=orders/loop=outside/side=%s %d %d ns/op\n", side, batch, int(took)/batch)
			}
		}
		if sums["arena"] != sums["plain"] {
			return fmt.Errorf("round %d: the services' answers differ", round)
		}
	}
	return nil
}

func prepare(ctx context.Context, r traffic.Request) *http.Request {
	u, err := url.Parse(r.Path)
	if err != nil {
		panic(err) // traffic makes valid paths
	}
	req := (&http.Request{
		Method: r.Method, URL: u, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Host: "orders", ContentLength: int64(len(r.Body)), Body: body{bytes.NewReader(r.Body)},
	})
	return req.WithContext(ctx)
}

type body struct{ *bytes.Reader }

func (body) Close() error { return nil }

// recorder is a reusable http.ResponseWriter.
type recorder struct {
	header http.Header
	status int
	body   []byte
}

func (w *recorder) begin() {
	clear(w.header)
	w.status, w.body = 0, w.body[:0]
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *recorder) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.body = append(w.body, b...)
	return len(b), nil
}
