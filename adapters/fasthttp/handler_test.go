package arenafasthttp_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	arenafasthttp "github.com/ebbpool/arena/adapters/fasthttp"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/goroutine"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"
)

// serve runs s on a listener in memory and returns a client.
func serve(t testing.TB, s *fasthttp.Server) *fasthttp.Client {
	t.Helper()
	ln := fasthttputil.NewInmemoryListener()
	s.Logger = quiet{}
	done := make(chan bool)
	go func() { defer close(done); s.Serve(ln) }()
	t.Cleanup(func() { ln.Close(); <-done })
	return &fasthttp.Client{Dial: func(string) (net.Conn, error) { return ln.Dial() }}
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

func ask(t testing.TB, c *fasthttp.Client, path, body string) *fasthttp.Response {
	t.Helper()
	req, resp := fasthttp.AcquireRequest(), new(fasthttp.Response)
	defer fasthttp.ReleaseRequest(req)
	req.SetRequestURI("http://server" + path)
	if body != "" {
		req.Header.SetMethod("POST")
		req.SetBodyString(body)
	}
	if err := c.Do(req, resp); err != nil {
		t.Fatal(path, ": ", err)
	}
	return resp
}

// awaitIdle waits until all arenas of p are put back.
func awaitIdle(t testing.TB, p *arena.ArenaPool) {
	t.Helper()
	for range 60_000 {
		if s := p.Stats(); s.Gets == s.Puts {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%+v: an arena is still out", p.Stats())
}

func TestEachRequestHasAnArena(t *testing.T) {
	p := arena.NewAutoPool(0)
	c := serve(t, &fasthttp.Server{Handler: arenafasthttp.Handler(p, func(ctx *fasthttp.RequestCtx) {
		a := arenafasthttp.FromContext(ctx)
		if a == nil || a != arena.FromContext(ctx) {
			t.Error("no arena")
		}
		ctx.SetBodyString(a.Concat("you asked for ", string(ctx.Path())))
	})})
	for i := range 3 {
		path := fmt.Sprint("/", i)
		if r := ask(t, c, path, ""); r.StatusCode() != 200 || string(r.Body()) != "you asked for "+path {
			t.Errorf("%d %q", r.StatusCode(), r.Body())
		}
	}
	awaitIdle(t, p)
	if n := p.Stats().Gets; n != 3 {
		t.Errorf("%d arenas for 3 requests", n)
	}
}

// A context used after the request must not return an arena that another request uses. After a nested
// Handler, the outer arena is available again.
func TestContextForgets(t *testing.T) {
	p, q := arena.NewAutoPool(0), arena.NewAutoPool(0)
	ctx := new(fasthttp.RequestCtx)
	var outer *arena.Arena
	inner := arenafasthttp.Handler(q, func(ctx *fasthttp.RequestCtx) {
		if a := arenafasthttp.FromContext(ctx); a == nil || a == outer {
			t.Error("the inner handler has no arena of its own")
		}
	})
	arenafasthttp.Handler(p, func(ctx *fasthttp.RequestCtx) {
		outer = arenafasthttp.FromContext(ctx)
		inner(ctx)
		if arenafasthttp.FromContext(ctx) != outer {
			t.Error("the outer arena is lost")
		}
	})(ctx)
	if arenafasthttp.FromContext(ctx) != nil {
		t.Error("a context that was kept still leads to the arena")
	}
	awaitIdle(t, p)
	awaitIdle(t, q)
}

// An arena is put back however the handler ends, and a panic continues.
func TestPanicsGoOn(t *testing.T) {
	p := arena.NewAutoPool(0)
	for _, v := range []any{"a string", errors.New("an error"), fmt.Errorf("%w", io.EOF)} {
		func() {
			defer func() {
				if got := recover(); got != v {
					t.Errorf("panic %v became %v", v, got)
				}
			}()
			arenafasthttp.Handler(p, func(*fasthttp.RequestCtx) { panic(v) })(new(fasthttp.RequestCtx))
		}()
	}
	// A panic with text in the arena is copied before the arena is put back.
	func() {
		defer func() {
			got := recover()
			p.Do(func(a *arena.Arena) { a.AllocString("another") })
			if got != "of one 1" {
				t.Errorf("the panic became %v", got)
			}
		}()
		arenafasthttp.Handler(p, func(ctx *fasthttp.RequestCtx) {
			panic(arena.FromContext(ctx).Sprintf("of one %d", 1))
		})(new(fasthttp.RequestCtx))
	}()
	exited := make(chan bool)
	go func() {
		defer close(exited)
		arenafasthttp.Handler(p, func(*fasthttp.RequestCtx) { runtime.Goexit() })(new(fasthttp.RequestCtx))
		t.Error("Goexit was stopped")
	}()
	<-exited
	awaitIdle(t, p)
}

// An exceeded limit has its status, and nothing of the prepared response is sent.
func TestLimits(t *testing.T) {
	p := arena.NewArenaPool(4096, 0)
	p.SetLimit(64<<10, 96<<10)
	handle := func(ctx *fasthttp.RequestCtx) {
		a := arenafasthttp.FromContext(ctx)
		ctx.Response.Header.Set("X-Half", "done")
		switch string(ctx.Path()) {
		case "/large":
			ctx.SetBodyString("half an answer")
			a.AllocBytes(1 << 20)
		case "/stream":
			ctx.SetBodyStream(strings.NewReader("half an answer"), -1)
			a.AllocBytes(1 << 20)
		case "/hijack":
			ctx.HijackSetNoResponse(true)
			ctx.Hijack(func(net.Conn) { t.Error("hijacked") })
			a.AllocBytes(1 << 20)
		case "/wrapped":
			defer func() { panic(fmt.Errorf("while decoding: %w", recover().(error))) }()
			a.AllocBytes(1 << 20)
		case "/busy":
			a.AllocBytes(60 << 10)
		}
		ctx.SetBodyString("fine")
	}
	for name, h := range map[string]fasthttp.RequestHandler{
		"Handler":        arenafasthttp.Handler(p, handle),
		"TimeoutHandler": arenafasthttp.TimeoutHandler(p, handle, time.Minute, "late"),
	} {
		c := serve(t, &fasthttp.Server{Handler: h})
		for path, want := range map[string]int{"/": 200, "/busy": 200, "/large": 413, "/stream": 413, "/hijack": 413, "/wrapped": 413} {
			r := ask(t, c, path, "")
			if r.StatusCode() != want || len(r.Header.Peek("Retry-After")) != 0 ||
				want == 413 && (string(r.Body()) != "Request Entity Too Large" || len(r.Header.Peek("X-Half")) != 0) {
				t.Errorf("%s, %s: %d, %q", name, path, r.StatusCode(), r.Body())
			}
			awaitIdle(t, p)
		}
		other := p.Get()
		other.AllocBytes(50 << 10)
		if r := ask(t, c, "/busy", ""); r.StatusCode() != 503 || string(r.Header.Peek("Retry-After")) != "1" {
			t.Errorf("%s, while others have the memory: %d", name, r.StatusCode())
		}
		p.Put(other)
		if r := ask(t, c, "/busy", ""); r.StatusCode() != 200 {
			t.Errorf("%s, when they have gone: %d", name, r.StatusCode())
		}
		awaitIdle(t, p)
	}
}

// After a timeout the handler keeps the arena until it returns, after the response.
func TestTimeout(t *testing.T) {
	p := arena.NewAutoPool(0)
	begun, goOn, ended := make(chan bool), make(chan bool), make(chan bool)
	c := serve(t, &fasthttp.Server{Handler: arenafasthttp.TimeoutHandler(p, func(ctx *fasthttp.RequestCtx) {
		defer close(ended)
		a := arenafasthttp.FromContext(ctx)
		close(begun)
		<-goOn
		if s := a.Sprintf("%d", 42); s != "42" {
			t.Error(s)
		}
	}, time.Millisecond, "late")})
	r := ask(t, c, "/", "")
	<-begun // the response may come earlier
	if s := p.Stats(); r.StatusCode() != 408 || string(r.Body()) != "late" || s.Gets != 1 || s.Puts != 0 {
		t.Errorf("%d %q, %+v", r.StatusCode(), r.Body(), s)
	}
	close(goOn)
	<-ended
	awaitIdle(t, p)
}

// With fasthttp's own timeout inside Handler, a handler that continues keeps its arena. Otherwise the next
// request would get the same arena.
func TestTimeoutInside(t *testing.T) {
	p := arena.NewAutoPool(0)
	goOn, ended := make(chan bool), make(chan bool)
	late := fasthttp.TimeoutHandler(func(ctx *fasthttp.RequestCtx) {
		if string(ctx.Path()) != "/late" {
			arenafasthttp.FromContext(ctx).AllocBytes(100)
			return
		}
		defer close(ended)
		a := arenafasthttp.FromContext(ctx)
		<-goOn
		for i := range 1000 {
			if s := a.Sprintf("%d", i); s != fmt.Sprint(i) {
				t.Errorf("%q in place of %d", s, i)
			}
		}
	}, 50*time.Millisecond, "late")
	c := serve(t, &fasthttp.Server{Handler: arenafasthttp.Handler(p, late)})
	if r := ask(t, c, "/late", ""); r.StatusCode() != 408 {
		t.Errorf("%d", r.StatusCode())
	}
	for range 10 {
		ask(t, c, "/", "")
	}
	for range 60_000 {
		if s := p.Stats(); s.Gets == 11 && s.Abandoned == 11 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if s := p.Stats(); s.Gets != 11 || s.Puts != 0 || s.Abandoned != 11 || s.Leaked != 0 {
		t.Errorf("%+v: the arena of a handler that runs was put back", s)
	}
	close(goOn)
	<-ended
}

func TestHijack(t *testing.T) {
	p := arena.NewAutoPool(0)
	ln := fasthttputil.NewInmemoryListener()
	defer ln.Close()
	go fasthttp.Serve(ln, arenafasthttp.Handler(p, func(ctx *fasthttp.RequestCtx) {
		ctx.HijackSetNoResponse(true)
		ctx.Hijack(func(conn net.Conn) {
			if arenafasthttp.FromContext(ctx) != nil {
				t.Error("the connection has the arena of the request")
			}
			io.WriteString(conn, "taken over")
		})
	}))
	conn, err := ln.Dial()
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: server\r\n\r\n")
	if b, err := io.ReadAll(conn); err != nil || string(b) != "taken over" {
		t.Errorf("%q, %v", b, err)
	}
	awaitIdle(t, p)
}

// A stream writer runs concurrently with the handler and after it, so it gets copies.
func TestStreamedAnswer(t *testing.T) {
	p := arena.NewAutoPool(0)
	c := serve(t, &fasthttp.Server{Handler: arenafasthttp.Handler(p, func(ctx *fasthttp.RequestCtx) {
		a := arenafasthttp.FromContext(ctx)
		words := arena.MakeSlice[string](a, 0, 1000)
		for i := range 1000 {
			words = arena.Append(a, words, a.Sprintf("%d ", i))
		}
		words = arena.Escape(a, words)
		ctx.SetBodyStreamWriter(func(w *bufio.Writer) {
			for _, s := range words {
				w.WriteString(s)
			}
		})
	})})
	r := ask(t, c, "/", "")
	if words := strings.Fields(string(r.Body())); len(words) != 1000 || words[999] != "999" {
		t.Errorf("%d words", len(words))
	}
	awaitIdle(t, p)
}

func TestNil(t *testing.T) {
	for _, f := range []func(){
		func() { arenafasthttp.Handler(arena.NewAutoPool(0), nil) },
		func() { arenafasthttp.TimeoutHandler(arena.NewAutoPool(0), nil, 1, "") },
		func() { arenafasthttp.HandlerBy(nil, nil, func(*fasthttp.RequestCtx) {}) },
		func() { arenafasthttp.HandlerBy(nil, func(*fasthttp.RequestCtx) string { return "" }, nil) },
		func() { arenafasthttp.TimeoutHandlerBy(nil, nil, func(*fasthttp.RequestCtx) {}, 1, "") },
		func() {
			arenafasthttp.TimeoutHandlerBy(nil, func(*fasthttp.RequestCtx) string { return "" }, nil, 1, "")
		},
	} {
		func() {
			defer func() {
				if s, _ := recover().(string); !strings.HasPrefix(s, "arenafasthttp: ") || !strings.Contains(s, ": nil ") {
					t.Errorf("panic %q", s)
				}
			}()
			f()
		}()
	}
}

func TestHandlerAllocatesNothing(t *testing.T) {
	if check.On || check.Race || check.ASan || goroutine.Traced {
		t.Skip("builds with checks allocate, and so does a stack trace, which tells who asks")
	}
	p := arena.NewAutoPool(0)
	h := arenafasthttp.Handler(p, func(ctx *fasthttp.RequestCtx) { arenafasthttp.FromContext(ctx).AllocBytes(100) })
	ctx := new(fasthttp.RequestCtx)
	h(ctx)
	if n := testing.AllocsPerRun(1000, func() { h(ctx) }); n >= 1 {
		t.Errorf("%v allocations for a request", n)
	}
}
