package routers_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	chimiddleware "github.com/go-chi/chi/v5/middleware"
	"github.com/labstack/echo/v4"
	echomiddleware "github.com/labstack/echo/v4/middleware"
)

// streams is a service with responses that need optional interfaces of the writer:
//
//	/stream  three lines, each after the previous one was read
//	/gone    a stream that ends when its client has left
//	/hijack  a connection that is taken over
//	/file    a file, by io.Copy
type streams struct {
	t    *testing.T
	next chan bool // a line was read
	gone chan bool // the handler has noticed
	file string
}

func (s *streams) line(a *arena.Arena, i int) string { return a.Sprintf("line %d\n", i) }

func (s *streams) answer(conn net.Conn, err error) {
	if err != nil {
		s.t.Error(err)
		return
	}
	io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\ntaken")
	conn.Close()
}

func (s *streams) gin() http.Handler {
	gin.SetMode(gin.ReleaseMode)
	g := gin.New()
	g.GET("/stream", func(c *gin.Context) {
		a, i := arena.FromContext(c.Request.Context()), 0
		c.Stream(func(w io.Writer) bool {
			if i > 0 {
				<-s.next
			}
			io.WriteString(w, s.line(a, i))
			i++
			return i < 3
		})
	})
	g.GET("/gone", func(c *gin.Context) {
		c.Stream(func(w io.Writer) bool {
			c.SSEvent("tick", "tock")
			time.Sleep(time.Millisecond)
			return true
		})
		close(s.gone)
	})
	g.GET("/hijack", func(c *gin.Context) {
		conn, _, err := c.Writer.Hijack()
		s.answer(conn, err)
	})
	g.GET("/file", func(c *gin.Context) { c.File(s.file) })
	return g
}

func (s *streams) echo() http.Handler {
	e := echo.New()
	e.GET("/stream", func(c echo.Context) error {
		a := arena.FromContext(c.Request().Context())
		for i := range 3 {
			if i > 0 {
				<-s.next
			}
			io.WriteString(c.Response(), s.line(a, i))
			c.Response().Flush()
		}
		return nil
	})
	e.GET("/gone", func(c echo.Context) error {
		defer close(s.gone)
		return c.Stream(200, "text/event-stream", untilGone{c.Request().Context(), c.Response()})
	})
	e.GET("/hijack", func(c echo.Context) error {
		conn, _, err := c.Response().Hijack()
		s.answer(conn, err)
		return nil
	})
	e.GET("/file", func(c echo.Context) error { return c.File(s.file) })
	return e
}

// untilGone blocks in Read until the client has left.
type untilGone struct {
	ctx context.Context
	w   http.Flusher
}

func (u untilGone) Read(p []byte) (int, error) {
	u.w.Flush()
	select {
	case <-u.ctx.Done():
		return 0, io.EOF
	case <-time.After(time.Millisecond):
		return copy(p, "tick\n"), nil
	}
}

func (s *streams) chi() http.Handler {
	r := chi.NewRouter()
	r.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ww := chimiddleware.NewWrapResponseWriter(w, r.ProtoMajor)
			next.ServeHTTP(ww, r)
		})
	})
	r.Get("/stream", func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		for i := range 3 {
			if i > 0 {
				<-s.next
			}
			io.WriteString(w, s.line(a, i))
			w.(http.Flusher).Flush()
		}
	})
	r.Get("/gone", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			io.WriteString(w, "tick\n")
			w.(http.Flusher).Flush()
			time.Sleep(time.Millisecond)
		}
		close(s.gone)
	})
	r.Get("/hijack", func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		s.answer(conn, err)
	})
	r.Get("/file", func(w http.ResponseWriter, r *http.Request) {
		f, err := os.Open(s.file)
		if err != nil {
			s.t.Error(err)
			return
		}
		defer f.Close()
		if n, err := w.(io.ReaderFrom).ReadFrom(f); err != nil || n == 0 {
			s.t.Error(n, err)
		}
	})
	return r
}

// Streams that a router supports without Handler also work with Handler around it. gin's Stream, for example,
// panics if the writer does not implement http.CloseNotifier.
func TestStreams(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	text := strings.Repeat("a file of some length\n", 10_000)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, build := range map[string]func(*streams) http.Handler{
		"gin": (*streams).gin, "echo": (*streams).echo, "chi": (*streams).chi,
		"gin, behind gzip's flushes": func(s *streams) http.Handler { return flushing((*streams).gin(s)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := &streams{t: t, next: make(chan bool), gone: make(chan bool), file: file}
			p := arena.NewAutoPool(0)
			server := httptest.NewServer(arenahttp.Handler(p, build(s)))
			defer server.Close()

			r, err := http.Get(server.URL + "/stream")
			if err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(r.Body)
			for i := range 3 {
				if i > 0 {
					s.next <- true
				}
				if want := fmt.Sprint("line ", i); !lines.Scan() || lines.Text() != want {
					t.Errorf("%q, want %q: %v", lines.Text(), want, lines.Err())
				}
			}
			r.Body.Close()

			ctx, cancel := context.WithCancel(t.Context())
			q, _ := http.NewRequestWithContext(ctx, "GET", server.URL+"/gone", nil)
			if r, err = http.DefaultClient.Do(q); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(r.Body, make([]byte, 8)); err != nil {
				t.Error(err)
			}
			cancel()
			r.Body.Close()
			select {
			case <-s.gone:
			case <-time.After(time.Minute):
				t.Error("nobody noticed that the client has gone")
			}

			for path, want := range map[string]string{"/hijack": "taken", "/file": text} {
				r, err := http.Get(server.URL + path)
				if err != nil {
					t.Fatal(path, ": ", err)
				}
				b, err := io.ReadAll(r.Body)
				if r.Body.Close(); string(b) != want || err != nil {
					t.Errorf("%s: %d bytes, want %d: %v", path, len(b), len(want), err)
				}
			}
			if s := p.Stats(); s.Abandoned != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// flushing is middleware whose writer keeps all optional interfaces.
func flushing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(struct {
			http.ResponseWriter
			http.Flusher
			http.Hijacker
			http.CloseNotifier
		}{w, w.(http.Flusher), w.(http.Hijacker), w.(http.CloseNotifier)}, r)
	})
}

// The compressors of chi and echo look for optional interfaces of the writer, and flush.
func TestCompressed(t *testing.T) {
	p := arena.NewAutoPool(0)
	text := strings.Repeat("compress me ", 1000)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, arena.FromContext(r.Context()).Concat(text[:600]))
		w.(http.Flusher).Flush()
		io.WriteString(w, text[600:])
	})
	e := echo.New()
	e.Use(echomiddleware.Gzip())
	e.GET("/", echo.WrapHandler(h))
	for name, h := range map[string]http.Handler{"chi": chiWith(h, chimiddleware.Compress(5)), "echo": e} {
		server := httptest.NewServer(arenahttp.Handler(p, h))
		q, _ := http.NewRequest("GET", server.URL, nil)
		q.Header.Set("Accept-Encoding", "gzip")
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Fatal(name, ": ", err)
		}
		if b, err := io.ReadAll(z); string(b) != text || err != nil {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
		r.Body.Close()
		server.Close()
	}
}
