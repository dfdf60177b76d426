package routers_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/crosstalk"
	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	chimiddleware "github.com/go-chi/chi/v5/middleware"
	"github.com/labstack/echo/v4"
	echomiddleware "github.com/labstack/echo/v4/middleware"
)

// stack is a router with a timeout, and Handler inside the timeout or around it.
type stack struct {
	name     string
	recycled bool // arenas are put back
	build    func(p *arena.ArenaPool, h http.Handler) http.Handler
}

func handler(p *arena.ArenaPool) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler { return arenahttp.Handler(p, next) }
}

func ours(next http.Handler) http.Handler {
	return arenahttp.TimeoutHandler(next, crosstalk.Timeout, "late")
}

func theirs(next http.Handler) http.Handler {
	return http.TimeoutHandler(next, crosstalk.Timeout, "late")
}

// byContext is chi's timeout, which only cancels the context, with a handler that observes the context, as in
// chi's documentation: a goroutine does the work.
func byContext(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, done := &page{header: http.Header{}}, make(chan bool)
		go func() {
			defer close(done)
			h.ServeHTTP(p, r)
		}()
		select {
		case <-done:
			p.send(w)
		case <-r.Context().Done():
		}
	})
}

// page buffers a response until its handler has ended in time.
type page struct {
	gin.ResponseWriter // nil outside of gin
	mu                 sync.Mutex
	header             http.Header
	body               bytes.Buffer
}

func (p *page) Header() http.Header { return p.header }
func (p *page) WriteHeader(int)     {}
func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.body.Write(b)
}
func (p *page) WriteString(s string) (int, error) { return p.Write([]byte(s)) }
func (p *page) send(w http.ResponseWriter) {
	maps.Copy(w.Header(), p.header)
	w.Write(p.body.Bytes())
}

// ginTimeout is a usual timeout for gin: later handlers run on a goroutine, with a copy of the context and a
// writer that buffers.
func ginTimeout(h gin.HandlerFunc) gin.HandlerFunc {
	return func(c *gin.Context) {
		ctx, cancel := context.WithTimeout(c.Request.Context(), crosstalk.Timeout)
		defer cancel()
		p, done, w := &page{header: http.Header{}}, make(chan bool, 1), c.Writer
		inner := c.Copy()
		inner.Request = c.Request.WithContext(ctx)
		inner.Writer = p
		go func() {
			h(inner)
			done <- true
		}()
		select {
		case <-done:
			p.send(w)
		case <-ctx.Done():
			c.String(http.StatusGatewayTimeout, "late")
		}
	}
}

func ginEngine(h gin.HandlerFunc) *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	g := gin.New()
	g.NoRoute(h)
	return g
}

func echoWith(h http.Handler, use ...echo.MiddlewareFunc) *echo.Echo {
	e := echo.New()
	e.Logger.SetOutput(io.Discard)
	e.Use(use...)
	e.Any("/*", func(c echo.Context) error { h.ServeHTTP(c.Response(), c.Request()); return nil })
	return e
}

// chiWith adds timeouts inside the route. chi recycles its routing context when middleware returns, so a
// timeout in its middleware would be a data race in chi.
func chiWith(h http.Handler, use ...func(http.Handler) http.Handler) http.Handler {
	r := chi.NewRouter()
	r.Use(use...)
	r.Handle("/*", h)
	return r
}

var chiTimeout = chimiddleware.Timeout(crosstalk.Timeout)

var stacks = []stack{
	{"chi, ours inside", true, func(p *arena.ArenaPool, h http.Handler) http.Handler { return chiWith(ours(h), handler(p)) }},
	{"chi, ours around", true, func(p *arena.ArenaPool, h http.Handler) http.Handler { return chiWith(ours(arenahttp.Handler(p, h))) }},
	{"chi, net/http's inside", false, func(p *arena.ArenaPool, h http.Handler) http.Handler { return chiWith(theirs(h), handler(p)) }},
	{"chi, net/http's around", true, func(p *arena.ArenaPool, h http.Handler) http.Handler { return chiWith(theirs(arenahttp.Handler(p, h))) }},
	{"chi's inside, with a goroutine", false, func(p *arena.ArenaPool, h http.Handler) http.Handler {
		return chiWith(byContext(h), handler(p), chiTimeout)
	}},
	{"chi's around, with a goroutine", false, func(p *arena.ArenaPool, h http.Handler) http.Handler {
		return chiWith(byContext(h), chiTimeout, handler(p))
	}},
	{"chi's, Handler in the goroutine", true, func(p *arena.ArenaPool, h http.Handler) http.Handler {
		return chiWith(byContext(arenahttp.Handler(p, h)), chiTimeout)
	}},
	{"gin, ours around the engine", true, func(p *arena.ArenaPool, h http.Handler) http.Handler {
		return arenahttp.Handler(p, ours(ginEngine(gin.WrapH(h))))
	}},
	{"gin, ours in a route", true, func(p *arena.ArenaPool, h http.Handler) http.Handler {
		return arenahttp.Handler(p, ginEngine(gin.WrapH(ours(h))))
	}},
	{"gin, its users' inside", false, func(p *arena.ArenaPool, h http.Handler) http.Handler {
		return arenahttp.Handler(p, ginEngine(ginTimeout(gin.WrapH(h))))
	}},
	{"gin, its users' around", true, func(p *arena.ArenaPool, h http.Handler) http.Handler {
		return ginEngine(ginTimeout(gin.WrapH(arenahttp.Handler(p, h))))
	}},
	{"echo, ours inside", true, func(p *arena.ArenaPool, h http.Handler) http.Handler {
		return echoWith(ours(h), echo.WrapMiddleware(handler(p)))
	}},
	{"echo, ours around", true, func(p *arena.ArenaPool, h http.Handler) http.Handler {
		return echoWith(ours(arenahttp.Handler(p, h)))
	}},
	{"echo, ours around all", true, func(p *arena.ArenaPool, h http.Handler) http.Handler {
		return arenahttp.Handler(p, ours(echoWith(h)))
	}},
	{"echo's inside, with a goroutine", false, func(p *arena.ArenaPool, h http.Handler) http.Handler {
		return echoWith(byContext(h), echo.WrapMiddleware(handler(p)), echomiddleware.ContextTimeout(crosstalk.Timeout))
	}},
	{"echo's, Handler in the goroutine", true, func(p *arena.ArenaPool, h http.Handler) http.Handler {
		return echoWith(byContext(arenahttp.Handler(p, h)), echomiddleware.ContextTimeout(crosstalk.Timeout))
	}},
}

// For each order of a router's timeout and Handler, no request sees another's data. With TimeoutHandler, or
// with Handler inside the timeout, every arena is put back.
func TestTimeouts(t *testing.T) {
	for _, s := range stacks {
		t.Run(s.name, func(t *testing.T) { crosstalk.Try(t, s.recycled, s.build) })
	}
}

// echo's own timeout gives a late handler the writer and the context of the next request, which is a race
// that echo's documentation warns of.
func TestEchosTimeout(t *testing.T) {
	if check.Race {
		t.Skip("echo's Timeout is a data race by itself")
	}
	timeout := echomiddleware.TimeoutWithConfig(echomiddleware.TimeoutConfig{Timeout: crosstalk.Timeout, ErrorMessage: "late"})
	for _, s := range []stack{
		{"inside", false, func(p *arena.ArenaPool, h http.Handler) http.Handler {
			return echoWith(h, echo.WrapMiddleware(handler(p)), timeout)
		}},
		{"around", true, func(p *arena.ArenaPool, h http.Handler) http.Handler {
			return echoWith(arenahttp.Handler(p, h), timeout)
		}},
	} {
		t.Run(s.name, func(t *testing.T) { crosstalk.Try(t, s.recycled, s.build) })
	}
}

// A handler that returns when chi's timeout cancels the context runs on Handler's goroutine.
func TestChisTimeoutObeyed(t *testing.T) {
	p := arena.NewAutoPool(0)
	h := chiWith(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		select {
		case <-r.Context().Done():
		case <-time.After(time.Minute):
		}
		io.WriteString(w, a.Concat("too ", "late"))
	}), handler(p), chimiddleware.Timeout(time.Millisecond))
	h.ServeHTTP(&page{header: http.Header{}}, newRequest(t))
	if s := p.Stats(); s.Gets != 1 || s.Puts != 1 || s.Abandoned != 0 {
		t.Errorf("%+v", s)
	}
}

func newRequest(t *testing.T) *http.Request {
	r, err := http.NewRequestWithContext(t.Context(), "GET", "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
