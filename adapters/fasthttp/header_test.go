package arenafasthttp_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/ebbpool/arena"
	arenafasthttp "github.com/ebbpool/arena/adapters/fasthttp"
	"github.com/valyala/fasthttp"
)

// fasthttp sends headers after the handler has returned and copies them when they are set. If that changed, a
// client could get another request's data.
func TestHeaderOutlivesTheArena(t *testing.T) {
	p := arena.NewAutoPool(0)
	outside := func(next fasthttp.RequestHandler) fasthttp.RequestHandler {
		return func(ctx *fasthttp.RequestCtx) {
			next(ctx)
			p.Do(func(a *arena.Arena) { // most likely the same arena
				for range 20 {
					a.AllocString("written over what was there")
				}
			})
		}
	}
	c := serve(t, &fasthttp.Server{Handler: outside(arenafasthttp.Handler(p, func(ctx *fasthttp.RequestCtx) {
		a := arenafasthttp.FromContext(ctx)
		id := a.AllocString(string(ctx.Path()[1:]))
		h := &ctx.Response.Header
		h.Set("X-Id", id)
		h.Add(a.Concat("X-", id), id)
		var cookie fasthttp.Cookie
		cookie.SetKey("id")
		cookie.SetValue(id)
		h.SetCookie(&cookie)
		ctx.Redirect(a.Concat("http://server/", id), 303)
	}))})
	var clients sync.WaitGroup
	for n := range 4 {
		clients.Go(func() {
			for round := range 100 {
				id := fmt.Sprintf("Client%dround%d", n, round)
				req, resp := fasthttp.AcquireRequest(), new(fasthttp.Response)
				req.SetRequestURI("http://server/" + id)
				err := c.Do(req, resp)
				fasthttp.ReleaseRequest(req)
				h := &resp.Header
				if err != nil || string(h.Peek("X-Id")) != id || string(h.Peek("X-"+id)) != id ||
					string(h.Peek("Location")) != "http://server/"+id || string(h.PeekCookie("id")) != "id="+id {
					t.Errorf("client %s sees %v, %v", id, h, err)
					return
				}
			}
		})
	}
	clients.Wait()
	awaitIdle(t, p)
}
