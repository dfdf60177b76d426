// Package crosstalk tests timeouts: its requests notice if another request writes into their arena, for every
// order of the two ends of a timed-out request.
package crosstalk

import (
	"context"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebbpool/arena"
)

// Timeout is the time limit of requests that Try's build function must set.
const Timeout = 30 * time.Millisecond

// late is the longest time that a request waits for its timeout.
const late = time.Minute

// Try sends requests to the handler that build makes of h, with arenas from pool and a timeout of Timeout.
// Requests time out or lose their client at various points. If recycled is set, all arenas must be put back;
// otherwise none of the arenas that h obtained.
func Try(t *testing.T, recycled bool, build func(pool *arena.ArenaPool, h http.Handler) http.Handler) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("no network here: ", err)
	}
	l.Close()
	pool := arena.NewAutoPool(0)
	x := &trial{t: t, pool: pool, goOn: map[string]chan bool{}, begun: make(chan bool, 100)}
	x.server = httptest.NewUnstartedServer(build(pool, x))
	x.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	x.server.Start()
	defer x.server.Close()

	x.quick("alone")
	x.late("timeout", context.Background())
	x.late("gone", nil)
	x.random()
	x.idle()

	x.awaitIdle()
	s := pool.Stats()
	if s.Gets == 0 || recycled && s.Abandoned != 0 || !recycled && s.Abandoned == 0 {
		t.Errorf("%+v: all recycled is %v", s, recycled)
	}
}

type trial struct {
	t       *testing.T
	pool    *arena.ArenaPool
	server  *httptest.Server
	begun   chan bool
	running atomic.Int64 // running handlers

	mu   sync.Mutex
	goOn map[string]chan bool
}

// idle waits until no handler runs. A WaitGroup does not allow Add during Wait.
func (x *trial) idle() {
	for end := time.Now().Add(late); x.running.Load() != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			x.t.Fatal("a handler does not end")
		}
	}
}

// awaitIdle waits until each arena is put back, abandoned or leaked.
func (x *trial) awaitIdle() {
	for range 60_000 {
		if s := x.pool.Stats(); s.Gets == s.Puts+s.Abandoned+s.Leaked {
			return
		}
		time.Sleep(time.Millisecond)
	}
	x.t.Errorf("%+v: an arena is still out", x.pool.Stats())
}

// ask sends a request and returns the response, or "".
func (x *trial) ask(ctx context.Context, path string) string {
	r, err := http.NewRequestWithContext(ctx, "GET", x.server.URL+path, nil)
	if err != nil {
		x.t.Error(err)
		return ""
	}
	answer, err := x.server.Client().Do(r)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	b, _ := io.ReadAll(answer.Body)
	return string(b)
}

// quick sends requests that end before their timeout, one after the other, so that each gets the arena put
// back last.
func (x *trial) quick(name string) {
	for i := range 10 {
		path := fmt.Sprintf("/quick/%s-%d", name, i)
		if got := x.ask(context.Background(), path); got != path && got != "" && !strings.Contains(got, "late") {
			x.t.Errorf("%s was answered with %q", path, got)
		}
	}
}

// late sends a request that continues after its response, while others arrive. It times out or, without a
// context, loses its client earlier.
func (x *trial) late(name string, ctx context.Context) {
	path, goOn := "/late/"+name, make(chan bool)
	x.mu.Lock()
	x.goOn[path] = goOn
	x.mu.Unlock()
	gone := func() {}
	if ctx == nil {
		ctx, gone = context.WithCancel(context.Background())
	}
	answered := make(chan bool)
	go func() {
		defer close(answered)
		x.ask(ctx, path)
	}()
	<-x.begun
	gone()
	select {
	case <-answered:
	case <-time.After(late):
		x.t.Error(path, ": no timeout")
	}
	x.quick(name)
	close(goOn)
	x.idle()
	x.quick(name + "-after")
}

// random sends many concurrent requests: some end just before their timeout, some just after it, and some
// lose their client.
func (x *trial) random() {
	var clients sync.WaitGroup
	for c := range 8 {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(uint64(c), 1))
			for i := range 15 {
				ctx, cancel := context.WithCancel(context.Background())
				takes := time.Duration(random.Int64N(int64(2 * Timeout)))
				if random.IntN(4) == 0 {
					time.AfterFunc(time.Duration(random.Int64N(int64(Timeout))), cancel)
				}
				path := fmt.Sprintf("/sleep/%d-%d/%s", c, i, takes)
				if got := x.ask(ctx, path); got != path && got != "" && !strings.Contains(got, "late") {
					x.t.Errorf("%s was answered with %q", path, got)
				}
				cancel()
			}
		})
	}
	clients.Wait()
}

// ServeHTTP is the handler. It allocates memory and checks that the memory does not change.
func (x *trial) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x.running.Add(1)
	defer x.running.Add(-1)
	path, ctx := strings.Clone(r.URL.Path), r.Context()
	a := arena.FromContext(ctx)
	mine := plant(nil, a, path)
	x.look(mine, path)
	switch {
	case strings.HasPrefix(path, "/late/"):
		x.mu.Lock()
		goOn := x.goOn[path]
		x.mu.Unlock()
		x.begun <- true
		<-goOn
	case strings.HasPrefix(path, "/sleep/"):
		d, _ := time.ParseDuration(path[strings.LastIndex(path, "/")+1:])
		time.Sleep(d)
	}
	x.look(mine, path)
	mine = plant(mine, a, path)
	if b := arena.FromContext(ctx); b != nil && b != a {
		x.t.Errorf("%s has two arenas", path)
	} else {
		mine = plant(mine, b, path)
	}
	x.look(mine, path)
	if ctx.Err() == nil { // otherwise some servers have given the writer to another request
		io.WriteString(w, path)
	}
}

// planted is memory of a request, with and without pointers.
type planted struct {
	text string
	next *planted
	sum  *[4]uint64
}

func plant(list *planted, a *arena.Arena, path string) *planted {
	for range 40 {
		p := arena.New[planted](a)
		p.text, p.next = a.Concat("of ", path), list
		p.sum = arena.New[[4]uint64](a)
		for i := range p.sum {
			p.sum[i] = uint64(len(path))*1000 + uint64(path[len(path)-1])
		}
		list = p
	}
	return list
}

func (x *trial) look(list *planted, path string) {
	for p := list; p != nil; p = p.next {
		if p.text != "of "+path || p.sum[3] != uint64(len(path))*1000+uint64(path[len(path)-1]) {
			x.t.Errorf("%s finds %q, %d in its arena", path, p.text, p.sum)
			return
		}
	}
}
