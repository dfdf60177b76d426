package arenahttp_test

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/internal/crosstalk"
)

// page buffers a response until its handler has ended in time.
type page struct {
	mu     sync.Mutex
	header http.Header
	status int
	body   bytes.Buffer
	late   bool
}

func newPage() *page { return &page{header: http.Header{}, status: 200} }

func (p *page) Header() http.Header { return p.header }

func (p *page) WriteHeader(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = status
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.late {
		return 0, http.ErrHandlerTimeout
	}
	return p.body.Write(b)
}

func (p *page) send(w http.ResponseWriter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.Copy(w.Header(), p.header)
	w.WriteHeader(p.status)
	w.Write(p.body.Bytes())
}

func (p *page) tooLate(w http.ResponseWriter, status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.late = true
	http.Error(w, "late", status)
}

// handmade are timeouts as programs write them.
var handmade = map[string]func(http.Handler) http.Handler{
	// The usual one: no context, and 504.
	"After": func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p, done := newPage(), make(chan bool)
			go func() {
				defer close(done)
				next.ServeHTTP(p, r)
			}()
			select {
			case <-done:
				p.send(w)
			case <-time.After(crosstalk.Timeout):
				p.tooLate(w, http.StatusGatewayTimeout)
			case <-r.Context().Done():
				p.tooLate(w, http.StatusBadGateway)
			}
		})
	},
	// One with a context that responds 200 with an error in the body.
	"WithTimeout": func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), crosstalk.Timeout)
			defer cancel()
			p, done := newPage(), make(chan bool, 1)
			go func() { next.ServeHTTP(p, r.WithContext(ctx)); done <- true }()
			select {
			case <-done:
				p.send(w)
			case <-ctx.Done():
				p.tooLate(w, http.StatusOK)
			}
		})
	},
	// One that aborts, so there is no status.
	"AfterFunc": func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p, end := newPage(), make(chan bool, 3)
			timer := time.AfterFunc(crosstalk.Timeout, func() { end <- false })
			defer timer.Stop()
			defer context.AfterFunc(r.Context(), func() { end <- false })()
			go func() { next.ServeHTTP(p, r); end <- true }()
			if !<-end {
				p.mu.Lock()
				p.late = true
				p.mu.Unlock()
				panic(http.ErrAbortHandler)
			}
			p.send(w)
		})
	},
	"http.TimeoutHandler": func(next http.Handler) http.Handler {
		return http.TimeoutHandler(next, crosstalk.Timeout, "late")
	},
	"http.TimeoutHandler as 502": func(next http.Handler) http.Handler {
		return as502(http.TimeoutHandler(next, crosstalk.Timeout, "late"))
	},
}

// as502 is middleware that replaces status 503.
func as502(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(badGateway{w}, r)
	})
}

type badGateway struct{ http.ResponseWriter }

func (w badGateway) WriteHeader(status int) {
	if status == http.StatusServiceUnavailable {
		status = http.StatusBadGateway
	}
	w.ResponseWriter.WriteHeader(status)
}

// A timeout unknown to Handler leaves a handler running when Handler returns. The handler's arena must not be
// put back then.
func TestHandmadeTimeouts(t *testing.T) {
	for name, timeout := range handmade {
		t.Run(name+" inside", func(t *testing.T) {
			crosstalk.Try(t, false, func(p *arena.ArenaPool, h http.Handler) http.Handler {
				return arenahttp.Handler(p, timeout(h))
			})
		})
		t.Run(name+" around", func(t *testing.T) {
			crosstalk.Try(t, true, func(p *arena.ArenaPool, h http.Handler) http.Handler {
				return timeout(arenahttp.Handler(p, h))
			})
		})
	}
}

// With TimeoutHandler every arena is put back, for any order of TimeoutHandler, Handler and other middleware.
func TestTimeoutHandlerRecycles(t *testing.T) {
	timeout := func(h http.Handler) http.Handler {
		return arenahttp.TimeoutHandler(h, crosstalk.Timeout, "late")
	}
	for name, build := range map[string]func(p *arena.ArenaPool, h http.Handler) http.Handler{
		"inside": func(p *arena.ArenaPool, h http.Handler) http.Handler { return arenahttp.Handler(p, timeout(h)) },
		"around": func(p *arena.ArenaPool, h http.Handler) http.Handler { return timeout(arenahttp.Handler(p, h)) },
		"as 502": func(p *arena.ArenaPool, h http.Handler) http.Handler { return arenahttp.Handler(p, as502(timeout(h))) },
		"twice": func(p *arena.ArenaPool, h http.Handler) http.Handler {
			return arenahttp.Handler(p, timeout(timeout(h)))
		},
		"within two": func(p *arena.ArenaPool, h http.Handler) http.Handler {
			return arenahttp.Handler(p, arenahttp.Handler(p, timeout(h)))
		},
		"between those who ask": func(p *arena.ArenaPool, h http.Handler) http.Handler {
			return arenahttp.Handler(p, asks(t, timeout(h)))
		},
	} {
		t.Run(name, func(t *testing.T) { crosstalk.Try(t, true, build) })
	}
}

// asks is middleware that uses the arena before its handler, and afterwards.
func asks(t *testing.T, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user := arena.FromContext(r.Context()).Concat("user of ", r.URL.Path)
		defer func() {
			after := arena.FromContext(r.Context()).Concat("log of ", r.URL.Path)
			if user != "user of "+r.URL.Path || after != "log of "+r.URL.Path {
				t.Errorf("%q, %q of %s", user, after, r.URL.Path)
			}
		}()
		next.ServeHTTP(w, r)
	})
}
