//go:build linux

// Command load measures the service and its twin without arenas, each in a process of
// its own on the loopback interface, by turns:
//
//	load [-rounds 7] [-requests 4000] [-page README.md]
//
// It needs Linux, whose clocks and /proc it reads.
//
// In each round both answer the same requests, in a closed loop and then in an open one
// at 60 % of the plain service's throughput. The answers have to be the same. What
// handlers take besides the database is measured without a network.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/ebbpool/arena/examples/orders/store"
	"github.com/ebbpool/arena/examples/orders/traffic"
)

type config struct {
	rounds, requests, orders, workers int
	seed                              uint64
}

func main() {
	var c config
	flag.IntVar(&c.rounds, "rounds", 7, "rounds, of each service")
	flag.IntVar(&c.requests, "requests", 4000, "requests of each loop of a round")
	flag.IntVar(&c.orders, "orders", 5000, "orders that the database begins with")
	flag.IntVar(&c.workers, "workers", 16, "requests at the same time, in the closed loop")
	flag.Uint64Var(&c.seed, "seed", 1, "of the requests")
	page := flag.String("page", "", "a page to write the table to, between load:begin and load:end")
	side := flag.String("serve", "", "be the server: plain or arena")
	db := flag.String("db", "", "its database")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if *side != "" {
		err = serve(ctx, *side, *db, os.Stdin, os.Stdout)
	} else {
		err = measure(ctx, c, os.Stdout, *page)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, c config, to io.Writer, page string) error {
	dir, err := os.MkdirTemp("", "orders-load")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := template(ctx, dir, c); err != nil {
		return err
	}
	perRequest, err := outside(ctx, dir, c)
	if err != nil {
		return err
	}
	results := map[string][]round{}
	for n := range c.rounds + 1 { // one to warm up, which tells the rate of the open loops
		var rate float64
		if n > 0 {
			var rates []float64
			for _, r := range results["plain"] {
				rates = append(rates, r.closed.perSecond())
			}
			rate = 0.6 * median(rates)
		}
		var both [2]round
		for i := range sides {
			k := (i + n) % len(sides)
			if both[k], err = life(ctx, sides[k], dir, c, c.seed+uint64(n), rate); err != nil {
				return fmt.Errorf("%s: %w", sides[k], err)
			}
		}
		if both[0].closed.sum != both[1].closed.sum || both[0].open.sum != both[1].open.sum {
			return fmt.Errorf("round %d: the services' answers differ", n)
		}
		for k, side := range sides {
			if n == 1 && k == 0 {
				results = map[string][]round{} // without the one to warm up
			}
			results[side] = append(results[side], both[k])
		}
		fmt.Fprintf(os.Stderr, "\rround %d of %d", n, c.rounds)
	}
	fmt.Fprintln(os.Stderr)
	table := tabulate(c, results, perRequest)
	fmt.Fprint(to, table)
	if page != "" {
		return insert(page, table)
	}
	return nil
}

// template makes the database that each server gets a copy of.
func template(ctx context.Context, dir string, c config) error {
	s, err := store.Open(ctx, filepath.Join(dir, "template.db"))
	if err != nil {
		return err
	}
	if err := traffic.New(c.seed, "c", customers, 1).Fill(ctx, s, c.orders); err != nil {
		s.Close()
		return err
	}
	return s.Close() // the last one to close puts all into the one file
}

func copyFile(to, from string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o600)
}

// round is what one server did in its life.
type round struct {
	closed, open   outcome
	inClosed, both usage
	requests       int
}

func (o outcome) perSecond() float64 {
	return float64(o.latency.TotalCount()) / o.took.Seconds()
}

// life starts a server and sends it its requests; no open loop if rate is 0.
func life(ctx context.Context, side, dir string, c config, seed uint64, rate float64) (r round, err error) {
	db := filepath.Join(dir, "serve.db")
	for _, behind := range []string{"", "-wal", "-shm"} {
		os.Remove(db + behind)
	}
	if err := copyFile(db, filepath.Join(dir, "template.db")); err != nil {
		return r, err
	}
	s, err := start(side, db)
	if err != nil {
		return r, err
	}
	defer func() {
		if e := s.stop(); err == nil {
			err = e
		}
	}()
	if _, err := send(s.addr, mix(seed+1<<32, c.requests, c.orders), c.workers, 0, seed); err != nil {
		return r, err
	}
	before, err := s.usage()
	if err != nil {
		return r, err
	}
	if r.closed, err = send(s.addr, mix(seed, c.requests, c.orders), c.workers, 0, seed); err != nil {
		return r, err
	}
	after, err := s.usage()
	if err != nil {
		return r, err
	}
	r.requests = c.requests
	r.inClosed = after.since(before)
	if rate > 0 {
		time.Sleep(100 * time.Millisecond)
		if r.open, err = send(s.addr, mix(seed+1<<33, c.requests, c.orders), c.workers, rate, seed); err != nil {
			return r, err
		}
		if after, err = s.usage(); err != nil {
			return r, err
		}
		r.requests += c.requests
	}
	r.both = after.since(before)
	return r, ctx.Err()
}
