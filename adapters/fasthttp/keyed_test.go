package arenafasthttp_test

import (
	"testing"

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
	defer func() {
		if recover() == nil {
			t.Error("a nil key does not panic")
		}
	}()
	arenafasthttp.HandlerBy(p, nil, func(*fasthttp.RequestCtx) {})
}
