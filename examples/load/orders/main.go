//go:build linux

// Command orders compares examples/orders with its counterpart without arenas: go run ./orders. It also
// measures the handlers' time outside of the database, without a network.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/ebbpool/arena"
	arenaorders "github.com/ebbpool/arena/examples/orders/arena"
	plainorders "github.com/ebbpool/arena/examples/orders/plain"
	"github.com/ebbpool/arena/examples/orders/store"
	"github.com/ebbpool/arena/examples/orders/traffic"
	"github.com/ebbpool/arena/examples/orders/web"
	"github.com/ebbpool/arena/lab/load"
)

const (
	customers = 200
	orders    = 5000 // initially in the database
)

var sides = []string{"plain", "arena"}

var measured = load.Service{Name: "orders", Sides: sides, Open: []int{60}, Steady: sides, Serve: serve, Begin: begin, Senders: senders, More: outside}

func main() { measured.Main() }

// newService returns the service of one side, which discards its log.
func newService(side string, s *store.Store) http.Handler {
	o := web.Options{Log: slog.New(slog.NewJSONHandler(io.Discard, nil)), MaxUnderWay: 4096, Deadline: time.Minute}
	if side == "plain" {
		return plainorders.New(s, o, time.Now)
	}
	pool := arena.NewAutoPool(0)
	pool.SetLimit(8<<20, 256<<20)
	return arenaorders.New(s, pool, o, time.Now)
}

func serve(ctx context.Context, side, db string, l net.Listener) error {
	s, err := store.Open(ctx, db)
	if err != nil {
		return err
	}
	defer s.Close()
	return web.Serve(ctx, l, newService(side, s), web.DefaultLimits)
}

// begin copies the initial database.
func begin(ctx context.Context, dir string) (string, error) {
	template, db := filepath.Join(dir, "template.db"), filepath.Join(dir, "serve.db")
	if _, err := os.Stat(template); err != nil {
		s, err := store.Open(ctx, template)
		if err != nil {
			return "", err
		}
		if err := traffic.New(1, "c", customers, 1).Fill(ctx, s, orders); err != nil {
			s.Close()
			return "", err
		}
		if err := s.Close(); err != nil { // the last Close writes everything to one file
			return "", err
		}
	}
	for _, behind := range []string{"", "-wal", "-shm"} {
		os.Remove(db + behind)
	}
	b, err := os.ReadFile(template)
	if err != nil {
		return "", err
	}
	return db, os.WriteFile(db, b, 0o600)
}

// mix returns n requests, 80 % of which read. Reads are for the initial customers, and new orders are other
// customers', so the responses of both services are equal for any order of requests.
func mix(seed uint64, n int) []traffic.Request {
	reads := traffic.New(seed, "c", customers, orders)
	writes := traffic.New(seed, "new", customers, 1)
	rng := rand.New(rand.NewPCG(seed, 0x6d6978))
	requests := make([]traffic.Request, n)
	for i := range requests {
		if rng.IntN(100) < 20 {
			requests[i] = writes.Create()
		} else {
			requests[i] = reads.Read()
		}
	}
	return requests
}

// sender is a client that sends requests of a mix.
type sender struct {
	http     *http.Client
	addr     string
	requests []traffic.Request
	buf      bytes.Buffer
}

func senders(addr string, workers, n int, seed uint64) (all []load.Sender, end func(), err error) {
	transport := &http.Transport{MaxIdleConnsPerHost: workers, DisableCompression: true}
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	requests := mix(seed, n)
	for range workers {
		all = append(all, &sender{http: client, addr: addr, requests: requests})
	}
	return all, transport.CloseIdleConnections, nil
}

func (s *sender) Prepare(int) {}

func (s *sender) Send(i int) ([]byte, error) {
	r := s.requests[i]
	req, err := http.NewRequest(r.Method, "http://"+s.addr+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	s.buf.Reset()
	if _, err := io.Copy(&s.buf, resp.Body); err != nil {
		return nil, err
	}
	if resp.StatusCode >= 300 {
		return nil, fmt.Errorf("%s %s: %s: %s", r.Method, r.Path, resp.Status, &s.buf)
	}
	if r.Method != http.MethodGet {
		return nil, nil // a new order's number depends on the order of requests
	}
	return s.buf.Bytes(), nil
}
