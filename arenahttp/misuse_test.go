package arenahttp

import (
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/guard"
	"github.com/ebbpool/arena/internal/testkit"
)

// A use of another request's arena memory is reported with that request's route, also in a handler that has
// asked for no arena. Without SetPanicOnFault the process would end.
func TestMisuseHasARoute(t *testing.T) {
	if check.On || !guard.HavePages() || testkit.Emulated() {
		t.Skip("each arena is guarded, or none; an emulated fault may have no address")
	}
	reports := make(chan *arena.MisuseReport, 10)
	p := arena.NewAutoPool(0)
	p.SetMisuseSampling(1, func(r *arena.MisuseReport) { reports <- r })
	var kept string
	keeps := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kept = arena.FromContext(r.Context()).AllocString("a secret") //arenavet:ignore a secret that is kept
	})
	uses := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(kept)) })
	late := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for err := error(nil); err != http.ErrHandlerTimeout; _, err = w.Write(nil) {
			time.Sleep(time.Millisecond)
		}
		w.Write([]byte(kept)) // http.TimeoutHandler drops the panic
	})
	users := map[string]http.Handler{
		"a handler":                       Handler(p, uses),
		"a TimeoutHandler without a pool": Handler(nil, TimeoutHandler(uses, time.Minute, "")),
		"a TimeoutHandler":                Handler(p, TimeoutHandler(uses, time.Minute, "")),
		"a handler after its timeout":     Handler(p, TimeoutHandler(late, time.Millisecond, "")),
	}
	mux := http.NewServeMux()
	mux.Handle("GET /orders/{id}", keeps)
	for name, c := range map[string]struct {
		h    http.Handler
		want string
	}{
		"a mux inside":               {Handler(p, mux), "GET /orders/{id}"},
		"a mux around":               {around(p, keeps), "/orders/{id}"},
		"no mux":                     {Handler(p, keeps), "/orders/7"},
		"a mux in a TimeoutHandler":  {Handler(p, TimeoutHandler(mux, time.Minute, "")), "GET /orders/{id}"},
		"a mux around the timeout":   {around(p, TimeoutHandler(keeps, time.Minute, "")), "/orders/{id}"},
		"a Handler around a Handler": {Handler(arena.NewAutoPool(0), Handler(p, mux)), "GET /orders/{id}"},
	} {
		for user, h := range users {
			c.h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/orders/7", nil))
			done := make(chan bool)
			go func() { // a goroutine that has never asked for an arena
				defer close(done)
				defer func() { recover() }()
				h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
			}()
			<-done
			select {
			case r := <-reports:
				if r.Route != c.want || !strings.Contains(r.String(), "\nthe arena was taken for "+c.want+"\n") {
					t.Errorf("%s, used by %s: route %q, want %q\n%s", name, user, r.Route, c.want, r)
				}
			case <-time.After(30 * time.Second):
				t.Errorf("%s, used by %s: no report", name, user)
			}
		}
	}
	if len(reports) != 0 {
		t.Errorf("%d uses were reported twice", len(reports))
	}
	Handler(p, keeps).ServeHTTP(httptest.NewRecorder(), &http.Request{}) // without a URL
}

// Handler restores debug.SetPanicOnFault, unless the request's arena was guarded.
func TestHandlerRestoresPanicOnFault(t *testing.T) {
	if check.On {
		t.Skip("no request is sampled")
	}
	p, guarded := arena.NewAutoPool(0), arena.NewAutoPool(0)
	p.SetMisuseSampling(1<<30, nil)
	guarded.SetMisuseSampling(1, nil)
	asks := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { arena.FromContext(r.Context()) })
	none := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if !debug.SetPanicOnFault(true) {
			t.Error("faults in a handler end the process")
		}
	})
	after := func(first, then http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { first.ServeHTTP(w, r); then.ServeHTTP(w, r) })
	}
	both := func(inner http.Handler) http.Handler { return after(asks, inner) }
	for name, x := range map[string]struct {
		h            http.Handler
		before, want bool
	}{
		"no arena":          {Handler(p, none), false, false},
		"an arena":          {Handler(p, asks), false, false},
		"a guarded arena":   {Handler(guarded, asks), false, true},
		"a panic":           {Handler(p, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("oh") })), false, false},
		"on before":         {Handler(p, asks), true, true},
		"a timeout":         {Handler(p, TimeoutHandler(asks, time.Minute, "")), false, false},
		"a guarded timeout": {Handler(guarded, TimeoutHandler(asks, time.Minute, "")), false, true},
		"inner":             {Handler(p, Handler(p, asks)), false, false},
		"inner guarded":     {Handler(p, Handler(guarded, asks)), false, true},
		"outer guarded":     {Handler(guarded, both(Handler(p, asks))), false, true},
		"after the inner":   {Handler(p, after(Handler(p, asks), none)), false, false},
		"inner panics":      {Handler(p, Handler(p, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("oh") }))), false, false},
	} {
		done := make(chan bool)
		go func() {
			debug.SetPanicOnFault(x.before)
			func() {
				defer func() { recover() }()
				x.h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
			}()
			done <- debug.SetPanicOnFault(false)
		}()
		if got := <-done; got != x.want {
			t.Errorf("%s: debug.SetPanicOnFault is %t afterwards, want %t", name, got, x.want)
		}
	}
}

func around(p *arena.ArenaPool, h http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/orders/{id}", Handler(p, h))
	return mux
}
