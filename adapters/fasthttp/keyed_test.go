package arenafasthttp_test

import (
	"testing"
	"time"

	"github.com/ebbpool/arena"
	arenafasthttp "github.com/ebbpool/arena/adapters/fasthttp"
	"github.com/valyala/fasthttp"
)

func TestHandlerBy(t *testing.T) {
	p := arena.NewKeyedPool[string](0)
	served := map[string]*arena.Arena{}
	tenant := func(ctx *fasthttp.RequestCtx) string { return string(ctx.Request.Header.Peek("Tenant")) }
	h := arenafasthttp.HandlerBy(p, tenant, func(ctx *fasthttp.RequestCtx) {
		a := arenafasthttp.FromContext(ctx)
		a.AllocString("text")
		for other, b := range served {
			if a == b && other != tenant(ctx) {
				t.Errorf("tenants %s and %s have one arena", other, tenant(ctx))
			}
		}
		served[tenant(ctx)] = a
	})
	for _, name := range []string{"a", "b", "a", "b"} {
		var ctx fasthttp.RequestCtx
		ctx.Request.Header.Set("Tenant", name)
		h(&ctx)
	}
	if s := p.Stats(); s.Gets != 4 || s.Puts != 4 || s.Keys != 2 {
		t.Errorf("%+v", s)
	}
	var ctx fasthttp.RequestCtx
	arenafasthttp.HandlerBy(nil, tenant, func(ctx *fasthttp.RequestCtx) {
		if arenafasthttp.FromContext(ctx) != nil {
			t.Error("a nil pool has an arena")
		}
	})(&ctx)
}

// After a timeout the handler keeps its key's arena until it returns.
func TestTimeoutHandlerBy(t *testing.T) {
	p := arena.NewKeyedPool[string](0)
	goOn, texts := make(chan bool), make(chan string)
	c := serve(t, &fasthttp.Server{Handler: arenafasthttp.TimeoutHandlerBy(p, func(*fasthttp.RequestCtx) string { return "tenant" }, func(ctx *fasthttp.RequestCtx) {
		a := arenafasthttp.FromContext(ctx)
		<-goOn
		texts <- a.Sprintf("%d", 42)
	}, time.Millisecond, "late")})
	if r := ask(t, c, "/", ""); r.StatusCode() != 408 || string(r.Body()) != "late" {
		t.Errorf("%d %q", r.StatusCode(), r.Body())
	}
	close(goOn)
	if s := <-texts; s != "42" {
		t.Errorf("text %q", s)
	}
	for p.Stats().Puts != 1 {
		time.Sleep(time.Millisecond)
	}
	if s := p.Stats(); s.Gets != 1 || s.Keys != 1 || s.Abandoned != 0 {
		t.Errorf("%+v", s)
	}
}
