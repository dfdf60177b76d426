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

// After the timeout, the handler keeps its arena until it returns. Requests that are served in the meantime get other
// arenas.
func TestTimeoutHandlerBy(t *testing.T) {
	p := arena.NewKeyedPool[string](0)
	tenant := func(ctx *fasthttp.RequestCtx) string { return string(ctx.Path()) }
	begun, goOn, ended := make(chan bool), make(chan bool), make(chan bool)
	var kept *arena.Arena
	late := serve(t, &fasthttp.Server{Handler: arenafasthttp.TimeoutHandlerBy(p, tenant, func(ctx *fasthttp.RequestCtx) {
		defer close(ended)
		kept = arenafasthttp.FromContext(ctx)
		close(begun)
		<-goOn
		if s := kept.Sprintf("%d", 42); s != "42" {
			t.Errorf("text %q", s)
		}
	}, time.Millisecond, "late")})
	arenas := make(chan *arena.Arena, 1)
	quick := serve(t, &fasthttp.Server{Handler: arenafasthttp.TimeoutHandlerBy(p, tenant, func(ctx *fasthttp.RequestCtx) {
		a := arenafasthttp.FromContext(ctx)
		a.AllocString("text")
		arenas <- a
	}, time.Minute, "late")})

	if r := ask(t, late, "/a", ""); r.StatusCode() != 408 || string(r.Body()) != "late" {
		t.Errorf("%d %q", r.StatusCode(), r.Body())
	}
	<-begun // the response may come earlier
	used := map[*arena.Arena]string{kept: "/a"}
	for i, path := range []string{"/a", "/b", "/a", "/b"} {
		if r := ask(t, quick, path, ""); r.StatusCode() != 200 {
			t.Errorf("%s: %d", path, r.StatusCode())
		}
		a := <-arenas
		if a == kept {
			t.Errorf("%s has the arena of the late handler", path)
		}
		if other, ok := used[a]; ok && other != path {
			t.Errorf("%s has the arena of %s", path, other)
		}
		used[a] = path
		awaitPuts(t, p, uint64(i)+1)
	}
	close(goOn)
	<-ended
	awaitPuts(t, p, 5)
	if s := p.Stats(); s.Gets != 5 || s.Keys != 2 || s.Abandoned != 0 {
		t.Errorf("%+v", s)
	}
	heap := serve(t, &fasthttp.Server{Handler: arenafasthttp.TimeoutHandlerBy(nil, tenant, func(ctx *fasthttp.RequestCtx) {
		arenas <- arenafasthttp.FromContext(ctx)
	}, time.Minute, "late")})
	ask(t, heap, "/a", "")
	if <-arenas != nil {
		t.Error("a nil pool has an arena")
	}
}

// awaitPuts waits until n arenas of p have been put back.
func awaitPuts(t *testing.T, p *arena.KeyedPool[string], n uint64) {
	t.Helper()
	for range 60_000 {
		if p.Stats().Puts == n {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%+v: want %d puts", p.Stats(), n)
}
