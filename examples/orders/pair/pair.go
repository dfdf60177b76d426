// Package pair runs both services on one database, for tests that compare them.
package pair

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ebbpool/arena"
	arenaorders "github.com/ebbpool/arena/examples/orders/arena"
	plainorders "github.com/ebbpool/arena/examples/orders/plain"
	"github.com/ebbpool/arena/examples/orders/store"
	"github.com/ebbpool/arena/examples/orders/traffic"
	"github.com/ebbpool/arena/examples/orders/web"
)

// Clock returns a constant time, so that both services store the same.
func Clock() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// Pair is both services on one database, each on its own port.
type Pair struct {
	Store        *store.Store
	Pool         *arena.ArenaPool
	Arena, Plain *Service
}

// Service is a running service.
type Service struct {
	URL, Addr string
	Stop      func() error // returns the result of web.Serve after all responses were sent
	Client    *http.Client
}

// Config configures a pair.
type Config struct {
	Database string // a postgres:// URL, or "" for a new SQLite file
	Options  web.Options
	Limits   web.Limits
	Pool     *arena.ArenaPool
	Arena    func(*web.Options) // changes the options of the service with arenas, if not nil
}

// Run starts a pair and stops it at the end of the test.
func Run(t testing.TB, c Config) *Pair {
	t.Helper()
	s, err := store.Open(t.Context(), cmp.Or(c.Database, filepath.Join(t.TempDir(), "orders.db")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if c.Pool == nil {
		c.Pool = arena.NewAutoPool(0)
		c.Pool.SetLimit(8<<20, 256<<20)
	}
	if c.Limits == (web.Limits{}) {
		c.Limits = web.DefaultLimits
	}
	if c.Options.Log == nil {
		c.Options.Log = slog.New(slog.DiscardHandler)
	}
	p := &Pair{Store: s, Pool: c.Pool}
	o := c.Options
	o.Metrics = prometheus.NewRegistry()
	if c.Arena != nil {
		c.Arena(&o)
	}
	p.Arena = serve(t, arenaorders.New(s, c.Pool, o, Clock), c.Limits)
	o = c.Options
	o.Metrics = prometheus.NewRegistry()
	p.Plain = serve(t, plainorders.New(s, o, Clock), c.Limits)
	return p
}

func serve(t testing.TB, h http.Handler, limits web.Limits) *Service {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("SKIPPED: no network here: ", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(ctx, l, h, limits) }()
	transport := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}
	stopped := false
	s := &Service{
		URL: "http://" + l.Addr().String(), Addr: l.Addr().String(),
		Client: &http.Client{Transport: transport, Timeout: time.Minute},
	}
	s.Stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		transport.CloseIdleConnections()
		cancel()
		return <-ended
	}
	t.Cleanup(func() { s.Stop() })
	return s
}

// Answer is a response of a service.
type Answer struct {
	Status                             int
	Body                               string
	Type, RetryAfter, Location, Length string
}

// Ask sends one request.
func (s *Service) Ask(ctx context.Context, r traffic.Request, headers ...string) (Answer, error) {
	return s.AskReader(ctx, r.Method, r.Path, bytes.NewReader(r.Body), headers...)
}

// AskReader is Ask with a body that need not be in memory.
func (s *Service) AskReader(ctx context.Context, method, path string, body io.Reader, headers ...string) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.URL+path, body)
	if err != nil {
		return Answer{}, err
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := s.Client.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	h := resp.Header
	return Answer{resp.StatusCode, string(b), h.Get("Content-Type"), h.Get("Retry-After"), h.Get("Location"), h.Get("Content-Length")}, err
}

var idOf = regexp.MustCompile(`"id":\d+|/orders/\d+`)

// WithoutID returns a without the ids that the database assigns to new orders.
func (a Answer) WithoutID() Answer {
	a.Body = idOf.ReplaceAllString(a.Body, "id")
	a.Location = idOf.ReplaceAllString(a.Location, "id")
	a.Length = ""
	return a
}

func (a Answer) String() string {
	body := a.Body
	if len(body) > 300 {
		body = body[:300] + "..."
	}
	return fmt.Sprintf("%d %s retry %q location %q: %s", a.Status, a.Type, a.RetryAfter, a.Location, body)
}

// AwaitIdle waits until no arena and no database connection is in use, and fails the test after some time. A
// canceled request may hold either.
func (p *Pair) AwaitIdle(t testing.TB) {
	t.Helper()
	var s arena.PoolStats
	var connections int
	for range 5000 {
		s, connections = p.Pool.Stats(), p.Store.InUse()
		if s.Gets == s.Puts && connections == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if s.Gets != s.Puts {
		t.Errorf("arenas are still out: %+v", s)
	}
	if connections != 0 {
		t.Errorf("%d connections of the database are still in use", connections)
	}
	if s.Leaked != 0 {
		t.Errorf("%d arenas were not put back", s.Leaked)
	}
}
