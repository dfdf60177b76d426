package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	arenaorders "github.com/ebbpool/arena/examples/orders/arena"
	"github.com/ebbpool/arena/examples/orders/pair"
	"github.com/ebbpool/arena/examples/orders/store"
	"github.com/ebbpool/arena/examples/orders/traffic"
	"github.com/ebbpool/arena/examples/orders/web"
)

// The server writes headers after the handler has returned. A header in the request's arena would contain
// another request's text.
func TestHeadersOutliveTheArena(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "orders.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h := arenaorders.New(s, arena.NewAutoPool(0), web.Options{Log: slog.New(slog.DiscardHandler)}, pair.Clock)
	var headers []http.Header
	source := traffic.New(1, "c", 5, 1)
	for range 20 { // each has the arena of the previous one
		r := source.Create()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(r.Method, r.Path, bytes.NewReader(r.Body)))
		headers = append(headers, w.Header())
	}
	for i, header := range headers {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", header.Get("Location"), nil))
		var got struct{ ID int }
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.ID != i+1 || header.Get("Content-Type") != "application/json" {
			t.Errorf("order %d: %v: %d %s", i+1, header, w.Code, w.Body)
		}
	}
}

// The program prints its addresses, serves customers and operators, and ends when it is told to.
func TestRun(t *testing.T) {
	for _, plain := range []bool{false, true} {
		var log safeBuffer
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- run(ctx, slog.New(slog.NewJSONHandler(&log, nil)), "127.0.0.1:0", "127.0.0.1:0", filepath.Join(t.TempDir(), "orders.db"), plain)
		}()
		var at struct{ Customers, Operators string }
		for at.Customers == "" {
			select {
			case err := <-ended:
				t.Skip("SKIPPED: no network here: ", err)
			case <-time.After(10 * time.Millisecond):
			}
			line, _, _ := strings.Cut(log.String(), "\n")
			json.Unmarshal([]byte(line), &at)
		}
		for range 3 {
			if got := ask(t, "http://"+at.Customers+"/orders"); !strings.Contains(got, `"orders":[]`) {
				t.Errorf("orders: %s", got)
			}
		}
		metrics := ask(t, "http://"+at.Operators+"/metrics")
		for _, want := range []string{"orders_requests_under_way 0\n", `orders_request_seconds_count{method="GET",status="200"} 3`, "go_goroutines "} {
			if !strings.Contains(metrics, want) {
				t.Errorf("plain %v: %q is missing from the metrics", plain, want)
			}
		}
		if pools := strings.Contains(metrics, `ebbpool_gets_total{pool="requests"} 3`); pools == plain {
			t.Errorf("plain %v: metrics of a pool: %v", plain, pools)
		}
		if got := ask(t, "http://"+at.Operators+"/debug/pprof/goroutine?debug=1"); !strings.HasPrefix(got, "goroutine profile") {
			t.Errorf("pprof: %.100s", got)
		}
		if got := ask(t, "http://"+at.Operators+"/debug/pprof/arena.live"); !strings.HasPrefix(got, "\x1f\x8b") { // gzip
			t.Errorf("the profile of arenas: %.100q", got)
		}
		if got := ask(t, "http://"+at.Customers+"/debug/pprof/"); !strings.Contains(got, "404") {
			t.Errorf("pprof is where customers are: %.100s", got)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func ask(t *testing.T, url string) string {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// safeBuffer is a buffer for two goroutines.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
