package routers_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	chimiddleware "github.com/go-chi/chi/v5/middleware"
	"github.com/gorilla/handlers"
	"github.com/gorilla/mux"
	"github.com/labstack/echo/v4"
	echomiddleware "github.com/labstack/echo/v4/middleware"
)

// routes is a net/http service; name extracts the name from a router's path.
func routes(t *testing.T, name func(*http.Request) string) map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"/hello/": func(w http.ResponseWriter, r *http.Request) {
			a := arena.FromContext(r.Context())
			if a == nil {
				t.Error("no arena in the request's context")
			}
			io.WriteString(w, a.Concat("hello ", name(r)))
		},
		"/json/": func(w http.ResponseWriter, r *http.Request) {
			var v struct{ Name string }
			if err := arenahttp.Read(r, &v); err != nil {
				http.Error(w, err.Error(), arenahttp.Status(err))
				return
			}
			arenahttp.Write(w, r, http.StatusCreated, &v)
		},
		"/panic/": func(w http.ResponseWriter, r *http.Request) {
			arena.FromContext(r.Context()).AllocBytes(100)
			panic("oh")
		},
		"/large/": func(w http.ResponseWriter, r *http.Request) { arena.FromContext(r.Context()).AllocBytes(1 << 20) },
		"/busy/":  func(w http.ResponseWriter, r *http.Request) { arena.FromContext(r.Context()).AllocBytes(60 << 10) },
		"/flush/": func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "part ")
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			io.WriteString(w, "whole")
		},
	}
}

// try tests a router: build returns a handler with arenahttp.Handler around its routes, or inside them, and
// recovery around that.
func try(t *testing.T, build func(p *arena.ArenaPool) http.Handler) {
	p := arena.NewArenaPool(4096, 0)
	p.SetLimit(64<<10, 96<<10)
	s := httptest.NewServer(build(p))
	t.Cleanup(s.Close)
	ask := func(method, path, body string, status int, want string) *http.Response {
		t.Helper()
		r, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(path, ": ", err)
		}
		defer answer.Body.Close()
		b, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != status || !strings.Contains(string(b), want) {
			t.Errorf("%s: %s %q, %v", path, answer.Status, b, err)
		}
		return answer
	}
	ask("GET", "/hello/jo", "", 200, "hello jo")
	ask("POST", "/json/x", `{"Name":"Jo"}`, 201, `{"Name":"Jo"}`)
	ask("POST", "/json/x", `{"Name":5}`, 400, "")
	ask("POST", "/json/x", `{"Name":"`+strings.Repeat("x", 1<<20)+`"}`, 413, "")
	ask("GET", "/panic/x", "", 500, "")
	ask("GET", "/large/x", "", 413, "")
	ask("GET", "/flush/x", "", 200, "part whole")
	ask("GET", "/none", "", 404, "")
	other := p.Get()
	other.AllocBytes(50 << 10)
	if r := ask("GET", "/busy/x", "", 503, ""); r.Header.Get("Retry-After") != "1" {
		t.Error("503 without Retry-After")
	}
	p.Put(other)
	ask("GET", "/busy/x", "", 200, "")
	for range 60_000 { // a response may arrive before its handler has returned
		if s := p.Stats(); s.Gets == s.Puts {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if s := p.Stats(); s.Gets != s.Puts || s.Leaked != 0 || s.Gets != 9 {
		t.Errorf("%+v: arenas are out", s)
	}
	for _, off := range []*arena.ArenaPool{nil, p} { // a nil pool, and a disabled pool
		func() {
			arena.SetEnabled(off == nil)
			defer arena.SetEnabled(true)
			w := httptest.NewRecorder()
			build(off).ServeHTTP(w, httptest.NewRequest("POST", "/json/x", strings.NewReader(`{"Name":"Jo"}`)))
			if w.Code != 201 || !strings.Contains(w.Body.String(), `{"Name":"Jo"}`) {
				t.Errorf("on the heap: %d %q, %+v", w.Code, w.Body, p.Stats())
			}
		}()
	}
}

func TestChi(t *testing.T) {
	try(t, func(p *arena.ArenaPool) http.Handler {
		r := chi.NewRouter()
		r.Use(chimiddleware.Recoverer, func(next http.Handler) http.Handler { return arenahttp.Handler(p, next) })
		for path, h := range routes(t, func(r *http.Request) string { return chi.URLParam(r, "name") }) {
			r.Handle(path+"{name}", h)
		}
		return r
	})
}

func TestGorillaMux(t *testing.T) {
	try(t, func(p *arena.ArenaPool) http.Handler {
		r := mux.NewRouter()
		r.Use(func(next http.Handler) http.Handler { return arenahttp.Handler(p, next) })
		for path, h := range routes(t, func(r *http.Request) string { return mux.Vars(r)["name"] }) {
			r.Handle(path+"{name}", h)
		}
		return handlers.RecoveryHandler()(r)
	})
}

func TestEcho(t *testing.T) {
	try(t, func(p *arena.ArenaPool) http.Handler {
		e := echo.New()
		e.Logger.SetOutput(io.Discard)
		e.Use(echomiddleware.RecoverWithConfig(echomiddleware.RecoverConfig{DisablePrintStack: true}))
		e.Use(echo.WrapMiddleware(func(next http.Handler) http.Handler { return arenahttp.Handler(p, next) }))
		for path, h := range routes(t, last) {
			e.Any(path+":name", echo.WrapHandler(h))
		}
		return e
	})
}

func TestGin(t *testing.T) {
	try(t, func(p *arena.ArenaPool) http.Handler {
		gin.SetMode(gin.ReleaseMode)
		g := gin.New()
		g.Use(gin.CustomRecoveryWithWriter(io.Discard, func(c *gin.Context, _ any) { c.AbortWithStatus(500) }))
		for path, h := range routes(t, last) {
			g.Any(path+":name", gin.WrapH(arenahttp.Handler(p, h)))
		}
		return g
	})
}

// last returns the last element of the path.
func last(r *http.Request) string { return r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:] }

// A limit's error that a router wraps in its own error type is still recognized.
func TestWrapped(t *testing.T) {
	p := arena.NewArenaPool(4096, 0)
	p.SetLimit(64<<10, 0)
	e := echo.New()
	e.Use(echo.WrapMiddleware(func(next http.Handler) http.Handler { return arenahttp.Handler(p, next) }))
	e.GET("/", func(c echo.Context) (err error) {
		defer func() {
			cause, _ := recover().(error)
			var over *arena.LimitError
			if !errors.As(cause, &over) {
				t.Errorf("recovered %v", cause)
			}
			panic(fmt.Errorf("in a handler: %w", cause))
		}()
		arena.FromContext(c.Request().Context()).AllocBytes(1 << 20)
		return nil
	})
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != 413 || p.Stats().Puts != 1 {
		t.Errorf("%d, %+v", w.Code, p.Stats())
	}
}
