package arenafasthttp_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	arenafasthttp "github.com/ebbpool/arena/adapters/fasthttp"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttpadaptor"
)

// A net/http handler behind fasthttp's adaptor continues on its own goroutine after a flush, when Handler has
// returned. Its memory must not be reused by the next request.
func TestAdaptor(t *testing.T) {
	late := func(goOn, ended chan bool) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := arena.FromContext(r.Context())
			if a == nil {
				t.Error("no arena")
			}
			s := a.Concat("path ", r.URL.Path)
			if r.URL.Path != "/late" {
				w.Write([]byte(s))
				return
			}
			defer close(ended)
			w.Write([]byte(s))
			w.(http.Flusher).Flush()
			<-goOn
			if s != "path /late" {
				t.Errorf("%q is another request's", s)
			}
			a.AllocBytes(100)
			w.Write([]byte(", late"))
		})
	}
	for name, build := range map[string]func(p *arena.ArenaPool, h http.Handler) fasthttp.RequestHandler{
		"around": func(p *arena.ArenaPool, h http.Handler) fasthttp.RequestHandler {
			return arenafasthttp.Handler(p, fasthttpadaptor.NewFastHTTPHandler(h))
		},
		"inside": func(p *arena.ArenaPool, h http.Handler) fasthttp.RequestHandler {
			return fasthttpadaptor.NewFastHTTPHandler(arenahttp.Handler(p, h))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, goOn, ended := arena.NewAutoPool(0), make(chan bool), make(chan bool)
			c := serve(t, &fasthttp.Server{Handler: build(p, late(goOn, ended))})
			answer := make(chan string)
			go func() { answer <- string(ask(t, c, "/late", "").Body()) }()
			for range 60_000 { // until Handler has returned
				if s := p.Stats(); s.Gets == 1 && (s.Abandoned == 1 || name == "inside") {
					break
				}
				time.Sleep(time.Millisecond)
			}
			for range 10 {
				if b := ask(t, c, "/quick", "").Body(); string(b) != "path /quick" {
					t.Errorf("%q", b)
				}
			}
			close(goOn)
			if s := <-answer; s != "path /late, late" {
				t.Errorf("%q", s)
			}
			<-ended
			want := uint64(11)
			if name == "inside" {
				awaitIdle(t, p)
				want = 0
			}
			if s := p.Stats(); s.Gets != 11 || s.Abandoned != want {
				t.Errorf("%+v", s)
			}
		})
	}
}

// The goroutine that asks determines what happens to the arena, also to that of an outer Handler. No two
// goroutines get the same arena.
func TestWhoAsks(t *testing.T) {
	on := func(f func()) {
		done := make(chan bool)
		go func() {
			f()
			close(done)
			<-t.Context().Done()
		}()
		<-done
	}
	q := arena.NewAutoPool(0)
	within := func(ctx *fasthttp.RequestCtx, f fasthttp.RequestHandler) { arenafasthttp.Handler(q, f)(ctx) }
	ask := arenafasthttp.FromContext
	for name, x := range map[string]struct {
		f         fasthttp.RequestHandler
		gets      uint64
		abandoned uint64
	}{
		"nobody":      {func(ctx *fasthttp.RequestCtx) {}, 0, 0},
		"the handler": {func(ctx *fasthttp.RequestCtx) { ask(ctx); ask(ctx) }, 1, 0},
		"another": {func(ctx *fasthttp.RequestCtx) {
			on(func() {
				if a := ask(ctx); a == nil || ask(ctx) != a {
					t.Error("not the first one's")
				}
			})
			if ask(ctx) != nil {
				t.Error("two goroutines have it")
			}
		}, 1, 1},
		"the handler, then another": {func(ctx *fasthttp.RequestCtx) {
			a := ask(ctx)
			on(func() {
				if ask(ctx) != nil {
					t.Error("two goroutines have it")
				}
			})
			if ask(ctx) != a {
				t.Error("lost")
			}
		}, 1, 1},
		"another, in a request within": {func(ctx *fasthttp.RequestCtx) {
			a := ask(ctx)
			within(ctx, func(ctx *fasthttp.RequestCtx) { on(func() { ask(ctx) }) })
			if ask(ctx) != a {
				t.Error("lost by a request within that another asked")
			}
		}, 1, 1},
		"the handler, which says that it is late": {func(ctx *fasthttp.RequestCtx) { ask(ctx); ctx.TimeoutError("late") }, 1, 1},
		"another has a request within": {func(ctx *fasthttp.RequestCtx) {
			ask(ctx)
			on(func() { within(ctx, func(ctx *fasthttp.RequestCtx) {}) })
		}, 1, 1},
	} {
		p, ctx := arena.NewAutoPool(0), new(fasthttp.RequestCtx)
		arenafasthttp.Handler(p, x.f)(ctx)
		s := p.Stats()
		if s.Gets != x.gets || s.Abandoned != x.abandoned || s.Puts != x.gets-x.abandoned || ask(ctx) != nil {
			t.Errorf("%s: %+v, %p", name, s, ask(ctx))
		}
	}
}

// A limit exceeded after the handler has timed out must not change the context, which may be in use
// elsewhere. Write must give back the memory of the document.
func TestLateLimit(t *testing.T) {
	p, ctx := arena.NewArenaPool(4096, 0), new(fasthttp.RequestCtx)
	p.SetLimit(64<<10, 0)
	arenafasthttp.Handler(p, func(ctx *fasthttp.RequestCtx) {
		a := arenafasthttp.FromContext(ctx)
		before := a.Stats().UsedBytes
		if err := arenafasthttp.Write(ctx, 201, []string{"a document"}); err != nil || a.Stats().UsedBytes != before {
			t.Errorf("%d bytes, and %d before: %v", a.Stats().UsedBytes, before, err)
		}
		ctx.TimeoutError("late")
		a.AllocBytes(1 << 20)
	})(ctx)
	if ctx.Response.StatusCode() != 201 || string(ctx.Response.Body()) != "[\"a document\"]\n" {
		t.Errorf("%d %q", ctx.Response.StatusCode(), ctx.Response.Body())
	}
}

// A request that never asks for its arena counts in the pool's statistics.
func TestRequestsThatDoNotAsk(t *testing.T) {
	p := arena.NewAutoPool(0)
	h := arenafasthttp.Handler(p, func(ctx *fasthttp.RequestCtx) {
		if ctx.IsPost() {
			arenafasthttp.FromContext(ctx)
		}
	})
	for _, method := range []string{"GET", "POST", "GET"} {
		var ctx fasthttp.RequestCtx
		ctx.Request.Header.SetMethod(method)
		h(&ctx)
	}
	if s := p.Stats(); s.Gets != 1 || s.Unused != 1 || s.NoArena != 2 {
		t.Errorf("Gets, Unused, NoArena = %d, %d, %d, want 1, 1, 2", s.Gets, s.Unused, s.NoArena)
	}
	var ctx fasthttp.RequestCtx
	arenafasthttp.Handler(nil, func(*fasthttp.RequestCtx) {})(&ctx)
}
