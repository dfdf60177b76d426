package arenahttp_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

type plain struct{ h http.Header }

func (w plain) Header() http.Header         { return w.h }
func (w plain) Write(b []byte) (int, error) { return len(b), nil }
func (w plain) WriteHeader(int)             {}

type flusher struct{}

func (flusher) Flush() {}

type hijacker struct{}

func (hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, nil }

type pusher struct{}

func (pusher) Push(string, *http.PushOptions) error { return http.ErrNotSupported }

type notifier struct{}

func (notifier) CloseNotify() <-chan bool { return gone }

var gone = make(chan bool)

// Programs find a writer's abilities by type assertions: no set of abilities may gain or lose one.
func TestWriterKeepsItsAbilities(t *testing.T) {
	pool := arena.NewAutoPool(0)
	sets := map[string]bool{}
	for _, w := range []http.ResponseWriter{
		plain{},
		struct {
			plain
			flusher
		}{},
		struct {
			plain
			hijacker
		}{},
		struct {
			plain
			flusher
			hijacker
		}{},
		struct {
			plain
			pusher
		}{},
		struct {
			plain
			flusher
			pusher
		}{},
		struct {
			plain
			hijacker
			pusher
		}{},
		struct {
			plain
			flusher
			hijacker
			pusher
		}{},
		struct {
			plain
			notifier
		}{},
		struct {
			plain
			flusher
			notifier
		}{},
		struct {
			plain
			hijacker
			notifier
		}{},
		struct {
			plain
			flusher
			hijacker
			notifier
		}{},
		struct {
			plain
			pusher
			notifier
		}{},
		struct {
			plain
			flusher
			pusher
			notifier
		}{},
		struct {
			plain
			hijacker
			pusher
			notifier
		}{},
		struct {
			plain
			flusher
			hijacker
			pusher
			notifier
		}{},
	} {
		_, fok := w.(http.Flusher)
		_, hok := w.(http.Hijacker)
		_, pok := w.(http.Pusher)
		_, cok := w.(http.CloseNotifier)
		sets[fmt.Sprint(fok, hok, pok, cok)] = true
		arenahttp.Handler(pool, http.HandlerFunc(func(got http.ResponseWriter, r *http.Request) {
			f, gotF := got.(http.Flusher)
			h, gotH := got.(http.Hijacker)
			p, gotP := got.(http.Pusher)
			c, gotC := got.(http.CloseNotifier)
			if gotF != fok || gotH != hok || gotP != pok || gotC != cok {
				t.Errorf("%T: has %v %v %v %v, want %v %v %v %v", w, gotF, gotH, gotP, gotC, fok, hok, pok, cok)
				return
			}
			if fok {
				f.Flush()
			}
			if err := http.NewResponseController(got).Flush(); (err == nil) != fok {
				t.Error(err)
			}
			if hok {
				if _, _, err := h.Hijack(); err != nil {
					t.Error(err)
				}
			}
			if pok && p.Push("/", nil) != http.ErrNotSupported {
				t.Error("a push went elsewhere")
			}
			if cok && c.CloseNotify() != gone {
				t.Error("somebody else is notified")
			}
			if u, ok := got.(interface{ Unwrap() http.ResponseWriter }); !ok || reflect.TypeOf(u.Unwrap()) != reflect.TypeOf(w) {
				t.Errorf("%T can't be unwrapped", got)
			}
		})).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	}
	if len(sets) != 16 {
		t.Errorf("%d sets, want 16", len(sets))
	}
}

// rich has the optional methods of a server's writer and records the calls.
type rich struct {
	plain
	calls *[]string
}

func (w rich) note(what string, args ...any) { *w.calls = append(*w.calls, fmt.Sprint(what, args)) }

func (w rich) Write(b []byte) (int, error) { w.note("Write", string(b)); return len(b), nil }
func (w rich) WriteString(s string) (int, error) {
	w.note("WriteString", s)
	return 1, io.ErrShortWrite
}
func (w rich) ReadFrom(r io.Reader) (int64, error) { w.note("ReadFrom", r); return 2, io.ErrNoProgress }
func (w rich) FlushError() error                   { w.note("FlushError"); return io.ErrClosedPipe }
func (w rich) SetReadDeadline(d time.Time) error {
	w.note("SetReadDeadline", d.IsZero())
	return io.EOF
}
func (w rich) SetWriteDeadline(d time.Time) error {
	w.note("SetWriteDeadline", d.IsZero())
	return io.EOF
}
func (w rich) EnableFullDuplex() error { w.note("EnableFullDuplex"); return io.EOF }

// able has the methods of every writer behind Handler.
type able interface {
	http.ResponseWriter
	io.StringWriter
	io.ReaderFrom
	FlushError() error
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
	EnableFullDuplex() error
}

// The writer's own methods are called, with their results: without ReadFrom sendfile is lost, and a deadline
// that is not set keeps a connection forever.
func TestWriterPassesOn(t *testing.T) {
	pool := arena.NewAutoPool(0)
	var calls []string
	from := io.LimitReader(strings.NewReader("xyz"), 2)
	arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := w.(able)
		n, err := x.WriteString("s")
		m, err2 := x.ReadFrom(from)
		if n != 1 || err != io.ErrShortWrite || m != 2 || err2 != io.ErrNoProgress || x.FlushError() != io.ErrClosedPipe {
			t.Error(n, err, m, err2)
		}
		if x.SetReadDeadline(time.Time{}) != io.EOF || x.SetWriteDeadline(time.Now()) != io.EOF || x.EnableFullDuplex() != io.EOF {
			t.Error("other results")
		}
	})).ServeHTTP(rich{plain{}, &calls}, httptest.NewRequest("GET", "/", nil))
	want := fmt.Sprint([]string{"WriteString[s]", fmt.Sprint("ReadFrom", []any{from}), "FlushError[]", "SetReadDeadline[true]", "SetWriteDeadline[false]", "EnableFullDuplex[]"})
	if got := fmt.Sprint(calls); got != want {
		t.Errorf("%s, want %s", got, want)
	}

	w := httptest.NewRecorder() // has only WriteString
	arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := w.(able)
		if n, err := x.ReadFrom(from); n != 2 || err != nil {
			t.Error(n, err)
		}
		for _, err := range []error{x.SetReadDeadline(time.Time{}), x.SetWriteDeadline(time.Time{}), x.EnableFullDuplex()} {
			if !errors.Is(err, http.ErrNotSupported) {
				t.Error(err)
			}
		}
		if _, err := x.WriteString("!"); err != nil {
			t.Error(err)
		}
	})).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Body.String() != "xy!" {
		t.Errorf("%q", w.Body)
	}
	arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := w.(able).FlushError(); !errors.Is(err, http.ErrNotSupported) {
			t.Error(err)
		}
	})).ServeHTTP(plain{}, httptest.NewRequest("GET", "/", nil))
}

// Every method that begins a response counts as such. An exceeded limit then has no status and ends the
// connection.
func TestWhatBeginsAnAnswer(t *testing.T) {
	pool := arena.NewArenaPool(4096, 0)
	pool.SetLimit(64<<10, 0)
	for name, x := range map[string]struct {
		f     func(w http.ResponseWriter)
		begun bool
	}{
		"nothing":          {func(w http.ResponseWriter) { w.Header().Set("X-One", "1") }, false},
		"early hints":      {func(w http.ResponseWriter) { w.WriteHeader(http.StatusEarlyHints) }, false},
		"continue":         {func(w http.ResponseWriter) { w.WriteHeader(http.StatusContinue) }, false},
		"a status":         {func(w http.ResponseWriter) { w.WriteHeader(204) }, true},
		"other protocols":  {func(w http.ResponseWriter) { w.WriteHeader(http.StatusSwitchingProtocols) }, true},
		"Write":            {func(w http.ResponseWriter) { w.Write(nil) }, true},
		"WriteString":      {func(w http.ResponseWriter) { io.WriteString(w, "") }, true},
		"ReadFrom":         {func(w http.ResponseWriter) { w.(io.ReaderFrom).ReadFrom(strings.NewReader("x")) }, true},
		"Flush":            {func(w http.ResponseWriter) { w.(http.Flusher).Flush() }, true},
		"a controller":     {func(w http.ResponseWriter) { http.NewResponseController(w).Flush() }, true},
		"a failed hijack":  {func(w http.ResponseWriter) { http.NewResponseController(w).Hijack() }, false},
		"a read deadline":  {func(w http.ResponseWriter) { http.NewResponseController(w).SetReadDeadline(time.Time{}) }, false},
		"a status, behind": {func(w http.ResponseWriter) { struct{ http.ResponseWriter }{w}.WriteHeader(200) }, true},
	} {
		h := arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			x.f(w)
			arena.FromContext(r.Context()).AllocBytes(1 << 20)
		}))
		aborted := false
		w := httptest.NewRecorder()
		func() {
			defer func() {
				if v := recover(); v != nil {
					if aborted = v == http.ErrAbortHandler; !aborted {
						t.Errorf("%s: panic %v", name, v)
					}
				}
			}()
			h.ServeHTTP(struct {
				*httptest.ResponseRecorder
				failing
			}{w, failing{}}, httptest.NewRequest("GET", "/", nil))
		}()
		if aborted != x.begun || !aborted && w.Code != 413 && w.Code >= 200 {
			t.Errorf("%s: aborted %v, %d", name, aborted, w.Code)
		}
	}
	w := httptest.NewRecorder()
	arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).Flush()
		arena.FromContext(r.Context()).AllocBytes(1 << 20)
	})).ServeHTTP(struct{ http.ResponseWriter }{w}, httptest.NewRequest("GET", "/", nil))
	if w.Code != 413 {
		t.Errorf("after a failed flush: %d", w.Code)
	}
	awaitIdle(t, pool)
}

// failing implements Hijack but cannot be hijacked.
type failing struct{}

func (failing) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, http.ErrNotSupported }
