package arenahttp_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

// answers are ways to set a header, and the expected value of id at the client.
var answers = []struct {
	name   string
	handle func(w http.ResponseWriter, r *http.Request, a *arena.Arena, id string)
	saw    func(r *http.Response, early http.Header, id string) string
}{
	{"Redirect", func(w http.ResponseWriter, r *http.Request, a *arena.Arena, id string) {
		http.Redirect(w, r, a.Concat("/", id), http.StatusSeeOther)
	}, func(r *http.Response, _ http.Header, id string) string { return r.Header.Get("Location")[1:] }},
	{"SetCookie", func(w http.ResponseWriter, _ *http.Request, a *arena.Arena, id string) {
		http.SetCookie(w, arena.NewOf(a, http.Cookie{Name: "id", Value: a.AllocString(id)}))
	}, func(r *http.Response, _ http.Header, id string) string { return r.Cookies()[0].Value }},
	{"Error", func(w http.ResponseWriter, _ *http.Request, a *arena.Arena, id string) {
		w.Header().Set("X-Id", a.AllocString(id))
		http.Error(w, a.Concat("error ", id), http.StatusTeapot)
	}, func(r *http.Response, _ http.Header, id string) string { return r.Header.Get("X-Id") }},
	{"no body", func(w http.ResponseWriter, _ *http.Request, a *arena.Arena, id string) {
		w.Header().Set("X-Id", a.AllocString(id))
	}, func(r *http.Response, _ http.Header, id string) string { return r.Header.Get("X-Id") }},
	{"field", func(w http.ResponseWriter, _ *http.Request, a *arena.Arena, id string) {
		w.Header().Set(a.Concat("X-", id), "x")
		w.WriteHeader(204)
	}, func(r *http.Response, _ http.Header, id string) string {
		if r.Header.Get("X-"+id) == "x" {
			return id
		}
		return fmt.Sprint(r.Header)
	}},
	{"slice", func(w http.ResponseWriter, _ *http.Request, a *arena.Arena, id string) {
		w.Header()["X-Id"] = arena.SliceOf(a, a.AllocString(id))
		w.Write([]byte("x"))
	}, func(r *http.Response, _ http.Header, id string) string { return r.Header.Get("X-Id") }},
	{"fork", func(w http.ResponseWriter, _ *http.Request, a *arena.Arena, id string) {
		fork, goOn, done := a.Fork(), make(chan string), make(chan bool)
		go func() {
			defer close(done)
			goOn <- fork.AllocString(id)
			for range 100 { // while the response begins
				fork.AllocString(strings.Repeat(id, 9))
			}
		}()
		w.Header().Set("X-Id", <-goOn)
		w.WriteHeader(200)
		<-done
	}, func(r *http.Response, _ http.Header, id string) string { return r.Header.Get("X-Id") }},
	{"trailer", func(w http.ResponseWriter, _ *http.Request, a *arena.Arena, id string) {
		w.Header().Set("Trailer", a.AllocString("X-Id"))
		io.WriteString(w, "x")
		w.Header().Set("X-Id", a.AllocString(id))
	}, func(r *http.Response, _ http.Header, id string) string { return r.Trailer.Get("X-Id") }},
	{"TrailerPrefix", func(w http.ResponseWriter, _ *http.Request, a *arena.Arena, id string) {
		io.WriteString(w, "x")
		w.(http.Flusher).Flush()
		w.Header().Set(a.Concat(http.TrailerPrefix, "X-Id"), a.AllocString(id))
	}, func(r *http.Response, _ http.Header, id string) string { return r.Trailer.Get("X-Id") }},
	{"Early Hints", func(w http.ResponseWriter, _ *http.Request, a *arena.Arena, id string) {
		w.Header().Set("Link", a.AllocString(id))
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
	}, func(_ *http.Response, early http.Header, _ string) string { return early.Get("Link") }},
}

// No client sees another's data, whatever package net/http sends after the handler or keeps for a connection,
// such as HTTP/2's header fields. Without the copies, some clients would, or HTTP/2 would panic, in most
// runs; builds with -asan or arenacheck would stop each time.
func TestHeadersOfAServer(t *testing.T) {
	needsNetwork(t)
	for _, h2 := range []bool{false, true} {
		pool := arena.NewAutoPool(0)
		s := httptest.NewUnstartedServer(arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var i int
			var id string
			if _, err := fmt.Sscanf(r.URL.Path, "/%d/%s", &i, &id); err != nil {
				t.Error(err)
				return
			}
			answers[i].handle(w, r, arena.FromContext(r.Context()), id)
		})))
		s.EnableHTTP2 = h2
		s.StartTLS()
		client := s.Client()
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		ask := func(i int, id string) (string, error) {
			early := http.Header{}
			ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
				Got1xxResponse: func(_ int, h textproto.MIMEHeader) error { early = http.Header(h); return nil },
			})
			q, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("%s/%d/%s", s.URL, i, id), nil)
			if err != nil {
				return "", err
			}
			r, err := client.Do(q)
			if err != nil {
				return "", err
			}
			defer r.Body.Close()
			_, err = io.Copy(io.Discard, r.Body)
			return answers[i].saw(r, early, id), err
		}
		var clients sync.WaitGroup
		for n := range 8 {
			clients.Go(func() {
				for round := range 200 {
					i, id := (n+round)%len(answers), fmt.Sprintf("Client%dround%d", n, round)
					if saw, err := ask(i, id); err != nil || saw != id {
						t.Errorf("HTTP/2 %t, %s: client %s sees %q, %v", h2, answers[i].name, id, saw, err)
						return
					}
				}
			})
		}
		clients.Wait()
		s.Close()
		awaitIdle(t, pool)
	}
}

// A header in the arena when a timeout responds while the late handler still uses the arena. The arena must
// not be read then, so the whole header is copied, and values on the heap are not written.
func TestHeaderOfALateHandler(t *testing.T) {
	pool := arena.NewAutoPool(0)
	answered, ended := make(chan bool), make(chan bool)
	late := arenahttp.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		for a := arena.FromContext(r.Context()); ; {
			a.AllocString("at work")
			select {
			case <-answered:
				return
			default:
				runtime.Gosched() // WebAssembly has one thread
			}
		}
	}), time.Millisecond, "late")
	var lies addresses
	shared := []string{"2"}
	w := &sending{h: http.Header{"Shared": shared}}
	arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		w.Header()[lies.text(a.AllocString("X-Id"))] = lies.list(arena.SliceOf(a, lies.text(a.AllocString("1"))))
		late.ServeHTTP(w, r)
	})).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	close(answered)
	<-ended
	for _, h := range append(w.sent, w.h) {
		if found := lies.in(h); found != nil || h.Get("X-Id") != "1" || h.Get("Shared") != "2" || &h["Shared"][0] == &shared[0] {
			t.Errorf("%v; in the arena: %q; shared %q", h, found, shared)
		}
	}
	awaitIdle(t, pool)
}

// If a handler within a TimeoutHandler ends in time, its arena may be read, so values on the heap are not
// copied.
func TestHeaderOfATimelyHandler(t *testing.T) {
	pool := arena.NewAutoPool(0)
	shared := []string{"2"}
	var lies addresses
	w := &sending{h: http.Header{}}
	arenahttp.Handler(pool, arenahttp.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		w.Header()["X-Id"] = []string{lies.text(a.AllocString("1"))}
		w.Header()["Shared"] = shared
	}), time.Minute, "late")).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	for _, h := range append(w.sent, w.h) {
		if found := lies.in(h); found != nil || h.Get("X-Id") != "1" || &h["Shared"][0] != &shared[0] {
			t.Errorf("%v; in the arena: %q", h, found)
		}
	}
}
