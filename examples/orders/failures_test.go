package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/examples/orders/pair"
	"github.com/ebbpool/arena/examples/orders/traffic"
	"github.com/ebbpool/arena/examples/orders/web"
)

// Clients that send a request by hand and stop.
func TestBodiesThatDontCome(t *testing.T) {
	limits := web.DefaultLimits
	limits.Read = 300 * time.Millisecond
	p := pair.Run(t, pair.Config{Limits: limits})
	for _, c := range []struct {
		name, sent string
		status     int
	}{
		{"half of it", "Content-Length: 100\r\n\r\n{\"customer\":\"a\"", 408},
		{"nothing of it", "Content-Length: 100\r\n\r\n", 408},
		{"half a chunk", "Transfer-Encoding: chunked\r\n\r\n20\r\n{\"customer\":", 408},
		{"a chunk that is none", "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
		{"64 MB are announced, and a little more than may be comes", "Content-Length: 67108864\r\n\r\n" + strings.Repeat(" ", 1<<20+1), 413},
	} {
		t.Run(c.name, func(t *testing.T) {
			var bodies []string
			for _, s := range []*pair.Service{p.Arena, p.Plain} {
				conn, err := net.Dial("tcp", s.Addr)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				io.WriteString(conn, "POST /orders HTTP/1.1\r\nHost: orders\r\n"+c.sent)
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(resp.Body)
				if err != nil || resp.StatusCode != c.status || !resp.Close {
					t.Errorf("%s, close %v: %s, %v; want %d, and the connection closed", resp.Status, resp.Close, body, err, c.status)
				}
				bodies = append(bodies, string(body))
			}
			if bodies[0] != bodies[1] {
				t.Errorf("arena %q, plain %q", bodies[0], bodies[1])
			}
		})
	}
	p.AwaitIdle(t)
}

// Without its table, the database fails each query. With the table, everything works again.
func TestDatabaseGone(t *testing.T) {
	p := pair.Run(t, pair.Config{})
	if err := traffic.New(1, "c", 5, 1).Fill(t.Context(), p.Store, 10); err != nil {
		t.Fatal(err)
	}
	requests := []traffic.Request{
		{Method: "GET", Path: "/orders/3"},
		{Method: "GET", Path: "/orders/3/receipt"},
		{Method: "GET", Path: "/orders?customer=c1"},
		{Method: "POST", Path: "/orders", Body: []byte(good)},
	}
	for _, gone := range []bool{false, true, false} {
		for i, r := range requests {
			switch {
			case gone:
				same(t, p, r, 503, "the database does not answer")
			case i == 3:
				same(t, p, r, 201, "ann")
			default:
				same(t, p, r, 200, "")
			}
		}
		rename := "ALTER TABLE orders RENAME TO away"
		if gone {
			rename = "ALTER TABLE away RENAME TO orders"
		}
		if _, err := p.Store.DB.Exec(rename); err != nil {
			t.Fatal(err)
		}
	}
	p.AwaitIdle(t)
}

// If the database makes a request wait beyond its deadline, the request fails, and nothing of it is stored
// later.
func TestDatabaseSlow(t *testing.T) {
	p := pair.Run(t, pair.Config{Options: web.Options{Deadline: 3 * time.Second}})
	tx, _, err := p.Store.Begin(t.Context()) // blocks writers
	if err != nil {
		t.Fatal(err)
	}
	same(t, p, traffic.Request{Method: "POST", Path: "/orders", Body: []byte(good)}, 503, "the database does not answer")
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	same(t, p, traffic.Request{Method: "GET", Path: "/orders"}, 200, `"count":0`)
	same(t, p, traffic.Request{Method: "POST", Path: "/orders", Body: []byte(good)}, 201, "ann")
	same(t, p, traffic.Request{Method: "GET", Path: "/orders"}, 200, `"count":2`)
	p.AwaitIdle(t)
}

// A closed database stays closed.
func TestDatabaseClosed(t *testing.T) {
	p := pair.Run(t, pair.Config{})
	p.Store.Close()
	same(t, p, traffic.Request{Method: "POST", Path: "/orders", Body: []byte(good)}, 503, "the database does not answer")
	same(t, p, traffic.Request{Method: "GET", Path: "/orders"}, 503, "the database does not answer")
	p.AwaitIdle(t)
}

// A third request while two are in progress is refused with Retry-After, and succeeds later.
func TestTooManyRequests(t *testing.T) {
	goOn, inside := make(chan bool), make(chan bool)
	p := pair.Run(t, pair.Config{Options: web.Options{MaxUnderWay: 2, Inside: func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Wait") != "" {
				inside <- true
				<-goOn
			}
			h.ServeHTTP(w, r)
		})
	}}})
	ask := traffic.Request{Method: "GET", Path: "/orders"}
	for _, s := range []*pair.Service{p.Arena, p.Plain} {
		var g sync.WaitGroup
		for range 2 {
			g.Go(func() {
				if a, err := s.Ask(t.Context(), ask, "X-Wait", "1"); err != nil || a.Status != 200 {
					t.Errorf("one that was there first: %v, %v", a, err)
				}
			})
			<-inside
		}
		a, err := s.Ask(t.Context(), ask)
		if err != nil || a.Status != 503 || a.RetryAfter != "1" || !strings.Contains(a.Body, "too many") {
			t.Errorf("%v, %v", a, err)
		}
		goOn <- true
		goOn <- true
		g.Wait()
		if a, err := s.Ask(t.Context(), ask); err != nil || a.Status != 200 {
			t.Errorf("when they have gone: %v, %v", a, err)
		}
	}
	p.AwaitIdle(t)
}

// A request over the pool's limits gets 413, or 503 while other requests use the memory. Other requests are
// not affected.
func TestPoolLimits(t *testing.T) {
	pool := arena.NewArenaPool(4<<10, 0)
	pool.SetLimit(64<<10, 96<<10)
	p := pair.Run(t, pair.Config{Pool: pool})
	if err := traffic.New(1, "c", 1, 1).Fill(t.Context(), p.Store, 100); err != nil {
		t.Fatal(err)
	}
	small := traffic.Request{Method: "GET", Path: "/orders/3"}
	large := traffic.Request{Method: "GET", Path: "/orders?limit=100"}
	same(t, p, small, 200, "")
	if a, err := p.Arena.Ask(t.Context(), large); err != nil || a.Status != 413 {
		t.Errorf("%v, %v", a, err)
	}
	body := traffic.Request{Method: "POST", Path: "/orders", Body: []byte(`{"note":"` + strings.Repeat("x", 70<<10) + `"}`)}
	if a, err := p.Arena.Ask(t.Context(), body); err != nil || a.Status != 413 {
		t.Errorf("a large body: %v, %v", a, err)
	}
	if a, err := p.Plain.Ask(t.Context(), large); err != nil || a.Status != 200 {
		t.Errorf("without a pool: %v, %v", a, err)
	}
	same(t, p, small, 200, "")
	p.AwaitIdle(t)

	other := pool.Get()
	other.AllocBytes(56 << 10)
	if a, err := p.Arena.Ask(t.Context(), large); err != nil || a.Status != 503 || a.RetryAfter == "" {
		t.Errorf("while another has the memory: %v, %v", a, err)
	}
	pool.Put(other)
	same(t, p, small, 200, "")
	p.AwaitIdle(t)
}

// If a handler panics, the response is 500, or the connection is closed if the response has begun. Other
// requests are not affected.
func TestPanics(t *testing.T) {
	p := pair.Run(t, pair.Config{Options: web.Options{Inside: pair.Faults}})
	ask := traffic.Request{Method: "GET", Path: "/orders"}
	for name, s := range map[string]*pair.Service{"arena": p.Arena, "plain": p.Plain} {
		if a, err := s.Ask(t.Context(), ask, "X-Fault", "before"); err != nil || a.Status != 500 || !strings.Contains(a.Body, "the service failed") {
			t.Errorf("%s: %v, %v", name, a, err)
		}
		if a, err := s.Ask(t.Context(), ask, "X-Fault", "after"); err == nil {
			t.Errorf("%s: half of an answer looks like a whole one: %v", name, a)
		}
		if a, err := s.Ask(t.Context(), ask); err != nil || a.Status != 200 {
			t.Errorf("%s, afterwards: %v, %v", name, a, err)
		}
	}
	p.AwaitIdle(t)
}

// A shutdown under load completes accepted requests, and every acknowledged order is in the database, as it
// was sent.
func TestShutdownUnderLoad(t *testing.T) {
	p := pair.Run(t, pair.Config{})
	for name, s := range map[string]*pair.Service{"arena": p.Arena, "plain": p.Plain} {
		var acknowledged sync.Map // customers by Location
		var count, failed atomic.Int64
		var clients sync.WaitGroup
		for client := range 8 {
			clients.Go(func() {
				for i := 0; ; i++ {
					customer := fmt.Sprintf("%s-%d-%d", name, client, i)
					a, err := s.Ask(context.Background(), traffic.Request{Method: "POST", Path: "/orders", Body: []byte(strings.Replace(good, "Ann", customer, 1))})
					if err != nil { // refused, or closed before the request was read
						failed.Add(1)
						return
					}
					if a.Status != 201 || a.Length != fmt.Sprint(len(a.Body)) || !strings.Contains(a.Body, `"customer":"`+customer+`"`) {
						t.Errorf("%s: %v", customer, a)
					}
					acknowledged.Store(a.Location, customer)
					count.Add(1)
				}
			})
		}
		for count.Load() < 50 {
			time.Sleep(time.Millisecond)
		}
		if err := s.Stop(); err != nil {
			t.Errorf("%s: not all were answered: %v", name, err)
		}
		clients.Wait()
		acknowledged.Range(func(location, customer any) bool {
			var got string
			id := strings.TrimPrefix(location.(string), "/orders/")
			if err := p.Store.DB.QueryRow("SELECT customer FROM orders WHERE id = ?1", id).Scan(&got); err != nil || got != customer {
				t.Errorf("%v was acknowledged to %v and is %q, %v", location, customer, got, err)
			}
			return true
		})
		t.Logf("%s: %d orders acknowledged, %d clients refused", name, count.Load(), failed.Load())
	}
	p.AwaitIdle(t)
}

// Serve returns an error if a request takes longer than the shutdown may.
func TestShutdownGivesUp(t *testing.T) {
	goOn, inside := make(chan bool), make(chan bool)
	limits := web.DefaultLimits
	limits.Shutdown = 50 * time.Millisecond
	p := pair.Run(t, pair.Config{Limits: limits, Options: web.Options{Inside: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside <- true; <-goOn })
	}}})
	go p.Arena.Ask(t.Context(), traffic.Request{Method: "GET", Path: "/orders"})
	<-inside
	if err := p.Arena.Stop(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	close(goOn)
	p.AwaitIdle(t)
}
