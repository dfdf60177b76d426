//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/url"
	"path/filepath"
	"runtime"
	"time"

	"github.com/ebbpool/arena/examples/orders/store"
	"github.com/ebbpool/arena/examples/orders/traffic"
)

// outside measures how long a request takes besides the database: both services in one
// process, by turns, one goroutine, on one processor. The time is the process's
// processor time, with the collector's work in it. It returns nanoseconds for a request, of each round.
func outside(ctx context.Context, dir string, c config) (map[string][]float64, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	services := map[string]http.Handler{}
	for _, side := range sides {
		path := filepath.Join(dir, "outside-"+side+".db")
		if err := copyFile(path, filepath.Join(dir, "template.db")); err != nil {
			return nil, err
		}
		s, err := store.OpenWith(ctx, "timed", store.SQLite(path))
		if err != nil {
			return nil, err
		}
		defer s.Close()
		services[side] = newService(side, s)
	}
	perRequest := map[string][]float64{}
	batch := min(400, c.requests)
	for round := range c.rounds*5 + 1 { // one to warm up
		sums := map[string]uint32{}
		for i := range sides {
			side := sides[(i+round)%len(sides)]
			requests := mix(c.seed+uint64(round), batch, c.orders)
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
					return nil, fmt.Errorf("%s: %s %s: %d %s", side, requests[k].Method, requests[k].Path, w.status, w.body)
				}
				if requests[k].Method == http.MethodGet {
					sums[side] += crc32.ChecksumIEEE(w.body)
				}
			}
			took := cpu() - begin - inDriver - time.Duration(calls)*cost/2 // half of that is in inDriver
			if round > 0 {
				perRequest[side] = append(perRequest[side], float64(took)/float64(batch))
			}
		}
		if sums["arena"] != sums["plain"] {
			return nil, fmt.Errorf("round %d: the services' answers differ", round)
		}
	}
	return perRequest, nil
}

func prepare(ctx context.Context, r traffic.Request) *http.Request {
	u, err := url.Parse(r.Path)
	if err != nil {
		panic(err) // traffic makes paths that can be parsed
	}
	req := (&http.Request{
		Method: r.Method, URL: u, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Host: "orders", ContentLength: int64(len(r.Body)), Body: body{bytes.NewReader(r.Body)},
	})
	return req.WithContext(ctx)
}

type body struct{ *bytes.Reader }

func (body) Close() error { return nil }

// recorder is an http.ResponseWriter that is used again.
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
