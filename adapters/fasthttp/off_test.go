package arenafasthttp_test

import (
	"testing"
	"time"

	"github.com/ebbpool/arena"
	arenafasthttp "github.com/ebbpool/arena/adapters/fasthttp"
	"github.com/valyala/fasthttp"
)

// With a nil or disabled pool, a handler works on the heap, also after a timeout.
func TestOff(t *testing.T) {
	p := arena.NewAutoPool(0)
	handle := func(ctx *fasthttp.RequestCtx) {
		a := arenafasthttp.FromContext(ctx)
		if a != nil && p.Stats().Mode != "heap" {
			t.Error("an arena")
		}
		ctx.SetBodyString(a.Concat("you asked for ", string(ctx.Path())))
	}
	late := func(ctx *fasthttp.RequestCtx) { ctx.TimeoutError("late") }
	for name, test := range map[string]struct {
		pool *arena.ArenaPool
		on   bool
	}{"no pool": {nil, true}, "off": {p, false}} {
		t.Run(name, func(t *testing.T) {
			arena.SetEnabled(test.on)
			defer arena.SetEnabled(true)
			for _, h := range []fasthttp.RequestHandler{
				arenafasthttp.Handler(test.pool, handle),
				arenafasthttp.TimeoutHandler(test.pool, handle, time.Minute, ""),
			} {
				if r := ask(t, serve(t, &fasthttp.Server{Handler: h}), "/x", ""); string(r.Body()) != "you asked for /x" {
					t.Errorf("%d %q", r.StatusCode(), r.Body())
				}
			}
			if r := ask(t, serve(t, &fasthttp.Server{Handler: arenafasthttp.Handler(test.pool, late)}), "/", ""); string(r.Body()) != "late" {
				t.Errorf("%d %q", r.StatusCode(), r.Body())
			}
		})
	}
	if s := p.Stats(); s.Gets == 0 || s.Leaked != 0 {
		t.Errorf("%+v", s)
	}
}
