package arenahttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/goroutine"
	"github.com/ebbpool/arena/internal/testkit"
)

// pushed is a recorder that implements http.Pusher.
type pushed struct {
	*httptest.ResponseRecorder
	to []string
}

func (p *pushed) Push(target string, _ *http.PushOptions) error {
	p.to = append(p.to, target)
	return nil
}

// outcome is everything observable of a request.
type outcome struct {
	code    int
	header  string
	body    string
	paniced any
	pushed  string
	seen    string // by the handler
}

// TimeoutHandler cannot be distinguished from http.TimeoutHandler, alone, within Handler and around it.
func TestTimeoutHandlerIsTheStandardOne(t *testing.T) {
	oops := errors.New("oops")
	for name, x := range map[string]struct {
		f    func(w http.ResponseWriter, r *http.Request, see func(any))
		msg  string
		late bool
	}{
		"an answer": {func(w http.ResponseWriter, r *http.Request, see func(any)) {
			w.Header().Set("X-One", "1")
			w.Header().Add("X-Two", "2")
			w.WriteHeader(http.StatusTeapot)
			io.WriteString(w, "short and stout")
		}, "late", false},
		"nothing": {func(http.ResponseWriter, *http.Request, func(any)) {}, "late", false},
		"what the writer can": {func(w http.ResponseWriter, r *http.Request, see func(any)) {
			_, flushes := w.(http.Flusher)
			_, hijacks := w.(http.Hijacker)
			_, notifies := w.(http.CloseNotifier)
			see(fmt.Sprint(flushes, hijacks, notifies, http.NewResponseController(w).Flush()))
			p, pushes := w.(http.Pusher)
			if see(pushes); pushes {
				see(p.Push("/style.css", nil))
			}
		}, "late", false},
		"a panic":      {func(http.ResponseWriter, *http.Request, func(any)) { panic(oops) }, "late", false},
		"an abort":     {func(http.ResponseWriter, *http.Request, func(any)) { panic(http.ErrAbortHandler) }, "late", false},
		"two headers":  {func(w http.ResponseWriter, _ *http.Request, _ func(any)) { w.WriteHeader(201); w.WriteHeader(202) }, "late", false},
		"a bad status": {func(w http.ResponseWriter, _ *http.Request, _ func(any)) { w.WriteHeader(42) }, "late", false},
		"late": {func(w http.ResponseWriter, r *http.Request, see func(any)) {
			w.Header().Set("X-One", "1")
			io.WriteString(w, "half")
			see(answered(w, r))
			see(r.Context().Err())
		}, "you waited long enough", true},
		"late, without a message": {func(w http.ResponseWriter, r *http.Request, see func(any)) { answered(w, r) }, "", true},
		"a late panic":            {func(w http.ResponseWriter, r *http.Request, see func(any)) { answered(w, r); panic(oops) }, "late", true},
		"the client goes": {func(w http.ResponseWriter, r *http.Request, see func(any)) {
			r.Context().Value(goAway{}).(context.CancelFunc)()
			see(answered(w, r))
			see(r.Context().Err())
		}, "late", false},
		"a deadline": {func(w http.ResponseWriter, r *http.Request, see func(any)) {
			d, ok := r.Context().Deadline()
			see(ok && time.Until(d) <= time.Hour)
		}, "late", false},
	} {
		run := func(build func(h http.Handler, d time.Duration) http.Handler) (o outcome) {
			d := time.Hour
			if x.late {
				d = 5 * time.Millisecond
			}
			ended := make(chan bool)
			w := &pushed{ResponseRecorder: httptest.NewRecorder()}
			quiet := &http.Server{ErrorLog: log.New(io.Discard, "", 0)}
			ctx, cancel := context.WithCancel(context.WithValue(context.Background(), http.ServerContextKey, quiet))
			defer cancel()
			r := httptest.NewRequest("GET", "/", nil).WithContext(context.WithValue(ctx, goAway{}, cancel))
			func() {
				defer func() { o.paniced = recover() }()
				build(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					defer close(ended)
					x.f(w, r, func(v any) { o.seen += fmt.Sprint(v, ";") })
				}), d).ServeHTTP(w, r)
			}()
			<-ended
			o.code, o.body, o.header, o.pushed = w.Code, w.Body.String(), fmt.Sprint(w.Result().Header), fmt.Sprint(w.to)
			return o
		}
		want := run(func(h http.Handler, d time.Duration) http.Handler { return http.TimeoutHandler(h, d, x.msg) })
		pool := arena.NewAutoPool(0)
		for where, build := range map[string]func(h http.Handler, d time.Duration) http.Handler{
			"alone": func(h http.Handler, d time.Duration) http.Handler { return arenahttp.TimeoutHandler(h, d, x.msg) },
			"within": func(h http.Handler, d time.Duration) http.Handler {
				return arenahttp.Handler(pool, arenahttp.TimeoutHandler(asking(h), d, x.msg))
			},
			"around": func(h http.Handler, d time.Duration) http.Handler {
				return arenahttp.TimeoutHandler(arenahttp.Handler(pool, asking(h)), d, x.msg)
			},
		} {
			if where == "around" && name == "what the writer can" {
				continue // Handler's writer shows more to http.ResponseController
			}
			got := run(build)
			if got, want := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); got != want {
				t.Errorf("%s, %s:\n%s, want\n%s", name, where, got, want)
			}
		}
		awaitIdle(t, pool)
		if s := pool.Stats(); s.Abandoned != 0 || s.Gets == 0 && !x.late {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

type goAway struct{}

// answered waits until r has timed out and its response was sent, and returns the error of Write from then
// on. A handler that returned immediately would race with its timeout.
func answered(w io.Writer, r *http.Request) error {
	for <-r.Context().Done(); ; time.Sleep(time.Millisecond) {
		if _, err := io.WriteString(w, "the rest"); err != nil {
			return err
		}
	}
}

// asking is h with uses of the arena before and after.
func asking(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arena.FromContext(r.Context()).AllocString("first")
		defer func() { arena.FromContext(r.Context()).AllocString("last") }()
		h.ServeHTTP(w, r)
	})
}

// A late handler keeps its arena until it ends; then the arena is put back. Code after the TimeoutHandler has
// none meanwhile.
func TestLateHandlerHasItsArena(t *testing.T) {
	p := arena.NewAutoPool(0)
	begun, goOn, ended := make(chan bool), make(chan bool), make(chan bool)
	late := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		a := arena.FromContext(r.Context())
		s := a.Concat("a", "b")
		close(begun)
		<-goOn
		if b := arena.FromContext(r.Context()); s != "ab" || a == nil || b != a {
			t.Errorf("%q, %p, %p", s, a, b)
		}
	})
	timeout := arenahttp.TimeoutHandler(late, 50*time.Millisecond, "late")
	var own *arena.Arena
	h := arenahttp.Handler(p, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		own = arena.FromContext(r.Context())
		timeout.ServeHTTP(w, r)
		if arena.FromContext(r.Context()) != nil {
			t.Error("two goroutines have one arena")
		}
	}))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	<-begun
	if s := p.Stats(); w.Code != 503 || w.Body.String() != "late" || s.Gets != 1 || s.Puts != 0 {
		t.Errorf("%d %q, %+v", w.Code, w.Body, s)
	}
	for range 10 {
		handled(p, func(w http.ResponseWriter, r *http.Request) {
			if arena.FromContext(r.Context()) == own {
				t.Error("another request has the late one's arena")
			}
		})
	}
	close(goOn)
	<-ended
	awaitIdle(t, p)
	if s := p.Stats(); s.Abandoned != 0 {
		t.Errorf("%+v", s)
	}
}

// A handler that begins after its request has timed out also keeps the arena from being put back, because it
// may use the arena's memory. One that asks after the end gets none.
func TestBegunLate(t *testing.T) {
	p := arena.NewAutoPool(0)
	began := make(chan bool)
	var puts uint64
	s := handled(p, func(w http.ResponseWriter, r *http.Request) {
		user := arena.FromContext(r.Context()).Concat("user ", "name")
		h := http.HandlerFunc(func(_ http.ResponseWriter, in *http.Request) {
			<-began // the handler has returned
			time.Sleep(time.Millisecond)
			if arena.FromContext(in.Context()) == nil || user != "user name" {
				t.Error("a worker has lost its arena")
			}
			puts = p.Stats().Puts
			began <- true
		})
		arenahttp.TimeoutHandler(h, 0, "late").ServeHTTP(w, r)
	})
	if s.Puts != 0 {
		t.Error("put back before its last worker began")
	}
	began <- true
	<-began
	awaitIdle(t, p)
	if s := p.Stats(); puts != 0 || s.Puts != 1 || s.Abandoned != 0 {
		t.Errorf("%d, %+v", puts, s)
	}

	// After the request has ended there is nothing to join.
	var kept *http.Request
	handled(p, func(_ http.ResponseWriter, r *http.Request) { kept = r })
	serveTimeout(kept, func(r *http.Request) {
		if arena.FromContext(r.Context()) != nil {
			t.Error("an arena of a request that has ended")
		}
	})
	awaitIdle(t, p)
}

// A limit exceeded before the timeout has its status. One exceeded later, or a goroutine that exits, must not
// keep the arena.
func TestTimeoutHandlerEnds(t *testing.T) {
	p := arena.NewArenaPool(4096, 0)
	p.SetLimit(64<<10, 0)
	tooMuch := func(_ http.ResponseWriter, r *http.Request) { arena.FromContext(r.Context()).AllocBytes(1 << 20) }
	for name, x := range map[string]struct {
		f    http.HandlerFunc
		d    time.Duration
		code int
	}{
		"in time": {tooMuch, time.Hour, 413},
		"late": {func(w http.ResponseWriter, r *http.Request) {
			arena.FromContext(r.Context())
			answered(w, r)
			tooMuch(w, r)
		}, time.Millisecond, 503},
		"Goexit": {func(_ http.ResponseWriter, r *http.Request) { arena.FromContext(r.Context()); runtime.Goexit() }, 10 * time.Millisecond, 503},
	} {
		w, ended := httptest.NewRecorder(), make(chan bool)
		f := func(w http.ResponseWriter, r *http.Request) {
			defer close(ended)
			x.f(w, r)
		}
		arenahttp.Handler(p, arenahttp.TimeoutHandler(http.HandlerFunc(f), x.d, "late")).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if w.Code != x.code {
			t.Errorf("%s: %d, want %d", name, w.Code, x.code)
		}
		<-ended // it may not have asked for its arena yet
		awaitIdle(t, p)
	}
	if s := p.Stats(); s.Gets != 3 || s.Abandoned != 0 {
		t.Errorf("%+v", s)
	}
}

func TestTimeoutHandlerNil(t *testing.T) {
	defer func() {
		if s, _ := recover().(string); !strings.HasPrefix(s, "arenahttp: TimeoutHandler: nil") {
			t.Errorf("panic %q", s)
		}
	}()
	arenahttp.TimeoutHandler(nil, 1, "")
}

// The allocations of TimeoutHandler beyond http.TimeoutHandler's.
func TestTimeoutHandlerAllocations(t *testing.T) {
	testkit.NeedsReuse(t)
	if goroutine.Traced {
		t.Skip("who asks is told by a stack trace, which allocates")
	}
	if check.Race {
		t.Skip("under the race detector a sync.Pool forgets by chance")
	}
	p := arena.NewAutoPool(0)
	r := httptest.NewRequest("GET", "/", nil)
	allocs := func(h http.Handler) float64 {
		h = arenahttp.Handler(p, h)
		return testing.AllocsPerRun(200, func() { h.ServeHTTP(silent{http.Header{}}, r) })
	}
	nothing := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	theirs, ours := allocs(http.TimeoutHandler(nothing, time.Hour, "")), allocs(arenahttp.TimeoutHandler(nothing, time.Hour, ""))
	if ours > theirs+2 {
		t.Errorf("%v allocations, and %v of http.TimeoutHandler", ours, theirs)
	}
}

type silent struct{ h http.Header }

func (s silent) Header() http.Header         { return maps.Clone(s.h) }
func (s silent) Write(b []byte) (int, error) { return len(b), nil }
func (s silent) WriteHeader(int)             {}
